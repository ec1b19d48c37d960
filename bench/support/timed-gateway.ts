/**
 * A stand-in of FCM that tells when each push came, in a process of its own. It splits HTTP/2 frames and reads nothing of the
 * headers, so that it takes little from the server on the same machine. It can also refuse for a while, and find tokens dead.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer, type TLSSocket } from 'node:tls'
import { ByteWriter } from '../../src/platform/http2/byte-writer.ts'
import {
  FLAG,
  FRAME,
  FrameParser,
  HEADER_BYTES,
  MAX_WINDOW,
  PREFACE,
  SETTING,
  writeFrameHeader,
  writePing,
  writeSettings,
  writeSettingsAck,
  writeWindowUpdate,
} from '../../src/platform/http2/frames.ts'
import { fcmError } from '../../src/sandbox/fcm/errors.ts'
import { type Certificate, makeCa } from '../../test/support/certificates.ts'
import { type FcmReceiver, startFcmReceiver } from './fcm-receiver.ts'

/** The pushes of one mark since the last report. */
interface Arrivals {
  /** Time (ms) of each from the moment in its title until it came. */
  waits: number[]
  /** Times at which the first and the last one came (`monotonicMs`). */
  first: number
  last: number
}

interface GatewayReport {
  /** Pushes that were accepted, by the mark in their titles. */
  arrivals: Record<string, Arrivals>
  accepted: number
  refused: number
  dead: number
}

/** The way in which it answers from now on. */
interface Manners {
  /** Answers 429 to everything. */
  refuses?: boolean
  /** Tokens with an odd number are dead. */
  halfIsDead?: boolean
}

export interface TimedGateway extends FcmReceiver {
  behave(manners: Manners): Promise<void>
  /** Pushes that came since the last report that was asked for. */
  report(): Promise<GatewayReport>
  /** Number of pushes that it accepted or found dead since the last report. */
  settled(): Promise<number>
}

/** The time in ms on a clock that all processes of the machine share. */
export const monotonicMs = () => Number(process.hrtime.bigint()) / 1e6

/** A title by which the gateway knows a push: its mark and the moment from which its wait counts. */
export const timedTitle = (mark: string, at: number) => `${mark}@${at.toFixed(3)}`

type Order = { behave: Manners } | 'report' | 'settled'

export async function startTimedGateway(): Promise<TimedGateway> {
  const child = fork(import.meta.filename, [], { execArgv: ['--max-semi-space-size=16'] })
  const ask = async (order: Order | Certificate): Promise<unknown> => {
    const answered = once(child, 'message')
    child.send(order)
    return (await answered)[0]
  }
  const receiver = await startFcmReceiver(async () => {
    const dir = mkdtempSync(join(tmpdir(), 'bench-gateway-'))
    const ca = makeCa()
    const caFile = join(dir, 'ca.pem')
    writeFileSync(caFile, ca.certPem)
    const port = (await ask(ca.issue({ cn: 'localhost' }))) as number
    return {
      url: `https://localhost:${port}`,
      caPem: ca.certPem,
      caFile,
      async stop() {
        if (child.kill()) await once(child, 'exit')
        rmSync(dir, { recursive: true })
      },
    }
  })
  return {
    ...receiver,
    behave: async (manners) => void (await ask({ behave: manners })),
    report: async () => (await ask('report')) as GatewayReport,
    settled: async () => (await ask('settled')) as number,
  }
}

/** The rest runs in the child process. */

const STREAMS = 100
const RETRY_AFTER_S = '1'

interface Reply {
  headers: Buffer
  body: Buffer
}

const text = (value: string) => Buffer.from(value, 'latin1')
/** Header blocks by hand (RFC 7541): an index of the static table, or the index of a name and a short text. */
const ACCEPTED: Reply = {
  headers: Buffer.from([0x88]),
  body: text('{"name":"projects/bench/messages/0:1700000000000000%0"}'),
}
const DEAD: Reply = { headers: Buffer.from([0x8d]), body: text(fcmError('UNREGISTERED').body) }
const REFUSED: Reply = {
  headers: Buffer.concat([
    Buffer.from([0x08, 3]),
    text('429'),
    Buffer.from([0x0f, 53 - 0x0f, RETRY_AFTER_S.length]),
    text(RETRY_AFTER_S),
  ]),
  body: text(fcmError('QUOTA_EXCEEDED').body),
}

const TITLE = /"title":"([^"@]*)@([\d.]+)"/
const TOKEN = /"token":"bench(\d+)/

let manners: Manners = {}
let report = emptyReport()

function emptyReport(): GatewayReport {
  return { arrivals: {}, accepted: 0, refused: 0, dead: 0 }
}

function judge(body: string): Reply {
  if (manners.refuses) {
    report.refused++
    return REFUSED
  }
  const at = monotonicMs()
  const [, mark = '', since] = TITLE.exec(body) ?? []
  const of = (report.arrivals[mark] ??= { waits: [], first: at, last: at })
  of.waits.push(at - Number(since ?? at))
  of.last = at
  if (manners.halfIsDead && Number(TOKEN.exec(body)?.[1]) % 2 === 1) {
    report.dead++
    return DEAD
  }
  report.accepted++
  return ACCEPTED
}

function serveConnection(socket: TLSSocket): void {
  const out = new ByteWriter()
  const begun = new Map<number, Buffer>()
  let missing = PREFACE.length
  const frame = (type: number, flags: number, stream: number, payload: Buffer) => {
    out.reserve(HEADER_BYTES + payload.length)
    writeFrameHeader(out, payload.length, type, flags, stream)
    out.copy(payload)
  }
  const parser = new FrameParser((type, flags, stream, bytes, start, end) => {
    if (type === FRAME.settings && (flags & FLAG.ack) === 0) writeSettingsAck(out)
    else if (type === FRAME.ping && (flags & FLAG.ack) === 0) writePing(out, bytes.subarray(start, end), true)
    else if (type === FRAME.data) {
      if (end > start) writeWindowUpdate(out, 0, end - start)
      const before = begun.get(stream)
      const part = bytes.subarray(start, end)
      const body = before ? Buffer.concat([before, part]) : part
      if ((flags & FLAG.endStream) === 0) return void begun.set(stream, Buffer.from(body))
      begun.delete(stream)
      const reply = judge(body.toString('latin1'))
      frame(FRAME.headers, FLAG.endHeaders, stream, reply.headers)
      frame(FRAME.data, FLAG.endStream, stream, reply.body)
    }
  })
  socket.setNoDelay().on('error', () => {})
  writeSettings(out, [[SETTING.maxConcurrentStreams, STREAMS]])
  writeWindowUpdate(out, 0, MAX_WINDOW - 2 ** 20)
  socket.write(Buffer.from(out.take()))
  socket.on('data', (chunk: Buffer) => {
    const skipped = Math.min(missing, chunk.length)
    missing -= skipped
    parser.push(chunk.subarray(skipped))
    if (out.size > 0) socket.write(Buffer.from(out.take()))
  })
}

function serve({ certPem, keyPem }: Certificate): void {
  const server = createServer({ cert: certPem, key: keyPem, ALPNProtocols: ['h2'] }, serveConnection)
  server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port))
  process.on('message', (order: Order) => {
    if (order === 'settled') process.send!(report.accepted + report.dead)
    else if (order === 'report') {
      process.send!(report)
      report = emptyReport()
    } else {
      manners = order.behave
      process.send!('done')
    }
  })
}

if (import.meta.main) process.once('message', serve)
