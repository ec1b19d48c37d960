import { once } from 'node:events'
import http2 from 'node:http2'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { expect } from 'chai'
import { ByteWriter } from '../../../src/platform/http2/byte-writer.ts'
import {
  CODE,
  FLAG,
  FRAME,
  FrameParser,
  HEADER_BYTES,
  PREFACE,
  writeFrameHeader,
  writePing,
  writeSettings,
  writeWindowUpdate,
} from '../../../src/platform/http2/frames.ts'
import { createHttp2Door, type Http2Door } from '../../../src/server/tls/http2-door.ts'
import { createNoise } from '../../../src/server/tls/http2-noise.ts'

const MB = 1_048_576

describe('an HTTP/2 connection that floods', () => {
  let door: Http2Door
  let server: Server

  before(async () => {
    const never = { idleMs: 3_600_000, requestMs: 3_600_000, writeMs: 3_600_000, onRefused() {} }
    door = createHttp2Door((request, response) => request.resume().on('end', () => response.end('hello')), never)
    server = createServer((socket) => door.accept(socket as TLSSocket))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  after(() => {
    door.close()
    server.close()
  })

  const port = () => (server.address() as AddressInfo).port

  /** Sends `many` copies of a frame, again and again. `isAnswered`: only after the answers to those before. */
  async function flood(many: number, isAnswered: boolean, write: (out: ByteWriter) => void): Promise<number | 'cut'> {
    const socket: Socket = connect({ port: port(), host: '127.0.0.1' })
    socket.on('error', () => {})
    const closed = new Promise((resolve) => socket.once('close', resolve))
    let code: number | 'cut' = 'cut'
    let answers = 0
    const out = new ByteWriter(1024)
    for (let i = 0; i < many; i++) write(out)
    const bytes = Buffer.from(out.take())
    const send = (): void => {
      if (socket.destroyed) return
      if (socket.write(bytes)) {
        if (!isAnswered) setImmediate(send)
      } else if (!isAnswered) socket.once('drain', send)
    }
    const parser = new FrameParser((type, flags, _stream, payload, start) => {
      if (type === FRAME.goaway) code = payload.readUInt32BE(start + 4)
      const isAnswer = (type === FRAME.ping || type === FRAME.settings) && flags === FLAG.ack
      if (isAnswer && ++answers % many === 0 && isAnswered) send()
    })
    socket.on('data', (chunk: Buffer) => parser.push(chunk))
    const first = new ByteWriter(1024)
    writeSettings(first, [])
    socket.write(Buffer.concat([PREFACE, first.take()]))
    send()
    await closed
    return code
  }

  const FLOODS: [string, isAnswered: boolean, (out: ByteWriter) => void, codes: (number | 'cut')[]][] = [
    ['WINDOW_UPDATE', false, (out) => writeWindowUpdate(out, 0, 1), [CODE.ENHANCE_YOUR_CALM]],
    // In the calm of a client that waits for the answers.
    ['PING', true, (out) => writePing(out, Buffer.alloc(8), false), [CODE.ENHANCE_YOUR_CALM]],
    ['SETTINGS', true, (out) => writeSettings(out, []), [CODE.ENHANCE_YOUR_CALM]],
    // Node ends these by itself, with a code of its liking.
    ['unread PING', false, (out) => writePing(out, Buffer.alloc(8), false), [CODE.INTERNAL_ERROR, 'cut']],
    [
      'an unknown frame',
      false,
      (out) => {
        out.reserve(HEADER_BYTES)
        writeFrameHeader(out, 0, 0x77, 0, 0)
      },
      [CODE.ENHANCE_YOUR_CALM, CODE.INTERNAL_ERROR, 'cut'],
    ],
  ]
  for (const [name, isAnswered, write, codes] of FLOODS) {
    it(`with ${name} frames is closed, and others are served meanwhile`, async () => {
      let ended = false
      const flooding = flood(500, isAnswered, write).finally(() => (ended = true))
      const other = http2.connect(`http://127.0.0.1:${port()}`)
      do {
        const request = other.request({ ':path': '/' })
        const [headers] = (await once(request, 'response')) as [http2.IncomingHttpHeaders]
        expect(headers[':status']).to.equal(200)
        request.resume()
        await once(request, 'close')
      } while (!ended)
      expect(await flooding).to.be.oneOf(codes)
      other.destroy()
    })
  }
})

describe('what a connection may send', () => {
  interface Second {
    requests?: number
    /** Bytes and frames of bodies that came. */
    body?: [bytes: number, frames: number]
    /** Bytes that came and that were sent in all. */
    read: number
    written?: number
    signals?: number
  }
  const SECONDS = 60
  const CASES: [string, Second, isTooMuch: boolean][] = [
    ['an idle client that asks every second whether we live', { read: 17, written: 17, signals: 1 }, false],
    ['requests with the longest headers', { requests: 1000, read: 16_384 * 1000 }, false],
    ['an upload of 1 GB in a second', { body: [1024 * MB, 65_536], read: 1024 * MB + 65_536 * 9 }, false],
    ['an upload byte by byte', { body: [50_000, 50_000], read: 50_000 * 10 }, false],
    ['an upload with the most padding', { body: [16_384, 1000], read: 16_384 + 1000 * 265 }, false],
    ['a download with two WINDOW_UPDATE for 1 kB', { written: 100 * MB, read: 26 * 100 * 1024 }, false],
    ['1000 events in a second, each confirmed', { written: 100_000, read: 26 * 1000 }, false],
    ['WINDOW_UPDATE, 13 bytes', { read: 13 * 20_000 }, true],
    ['WINDOW_UPDATE beside a few requests', { requests: 5, read: 13 * 50_000 }, true],
    ['100 PING in a second', { read: 1700, written: 1700, signals: 100 }, true],
    ['padding without a body', { requests: 1, body: [0, 1], read: 300_000 }, true],
  ]
  for (const [name, { requests = 0, body, read, written = 0, signals = 0 }, isTooMuch] of CASES) {
    it(`${isTooMuch ? 'is no minute' : 'is a minute'} of ${name}`, () => {
      const socket = { bytesRead: 0, bytesWritten: 0 }
      const noise = createNoise(socket, 0)
      let told = false
      for (let second = 1; second <= SECONDS; second++) {
        for (let i = 0; i < requests; i++) noise.request(false)
        if (body) noise.body(...body)
        for (let i = 0; i < signals; i++) told = noise.signal() || told
        socket.bytesRead += read
        socket.bytesWritten += written
        told = noise.look(second * 1000) || told
      }
      expect(told).to.equal(isTooMuch)
    })
  }

  it('includes bodies that are refused', () => {
    const socket = { bytesRead: 0, bytesWritten: 0 }
    const noise = createNoise(socket, 0)
    for (let i = 0; i < 100; i++) noise.request(true)
    socket.bytesRead = 100 * 65_535
    expect(noise.look(1)).to.equal(false)
  })
})
