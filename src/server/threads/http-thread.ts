import { parentPort, workerData } from 'node:worker_threads'
import { loadConfig } from '../../config.ts'
import { loadPepper, openProgram } from '../../open.ts'
import { createPulse } from '../../platform/concurrency/pulse.ts'
import type { Fault, Faults } from '../../platform/instance/faults.ts'
import { createLog } from '../../platform/log/log.ts'
import { createLongReads } from '../../platform/long-reads/client.ts'
import { createDistantSource, type FromSource, type ToSource } from '../../platform/long-reads/distant-source.ts'
import { joinPort } from '../../platform/net/listen.ts'
import { failpoint } from '../../platform/process/failpoints.ts'
import { openSharing, type SharingCells } from '../../platform/threads/sharing.ts'
import type { Woken } from '../../platform/wiring.ts'
import type { Program } from '../../program.ts'
import { createHandler } from '../handler.ts'
import { connectionCounts, createListener } from '../listener.ts'
import type { MetricsText, Tally } from '../metrics/metrics.ts'
import { routes } from '../routes.ts'
import type { SecureListener, SecureParts, SecurePort } from '../tls/secure-listener.ts'

/** The data that http-threads.ts passes to a thread. */
export interface HttpThreadData {
  name: string
  /** All settings as text, from which the thread builds its own configuration. */
  settings: Record<string, string>
  /** The check value of the master key of the process. */
  keyCheck: string
  turnCell: SharedArrayBuffer
  soundnessCell: SharedArrayBuffer
  clockCell: SharedArrayBuffer
  changesCell: SharedArrayBuffer
  sharing: SharingCells
  host: string
  port: number
  /** The port of HTTPS, and the secret that seals TLS sessions. */
  secure: SecurePort | undefined
  /** Connections to the database. */
  pool: number
  faults: Fault[]
}

/**
 * Messages to a thread: it shall stop; it shall look for new certificates; what is wrong with the process; it shall report now;
 * the text it asked for; an answer about ports to the reader thread.
 */
export type ToHttpThread =
  | 'stop'
  | 'reload'
  | { faults: Fault[] }
  | { report: number }
  | { metrics: MetricsText | undefined }
  | { readers: FromSource }

/**
 * Messages from a thread: it listens; there is work for these workers; what it counted (`report`: the number of the question, 0
 * when it was not asked); it wants the text of `/metrics`; what it asks about ports to the reader thread; it has failed.
 */
export type FromHttpThread =
  | 'listening'
  | { wake: Woken }
  | 'metrics'
  | { tally: Tally; report: number }
  | { readers: ToSource }
  | { failed: string }

/** The workers are told of new work at most so often (ms). */
const WAKE_MS = 1
/** Interval of reports. Stays below the time after which a thread counts as stuck (workers/watch.ts). */
const REPORT_MS = 1000

/** Makes the function that tells of work, to either kind of workers at most every `WAKE_MS`. */
function createWakes(tell: (whom: Woken) => void): (whom?: Woken) => void {
  const all = createPulse(() => tell('all'), WAKE_MS)
  const senders = createPulse(() => tell('senders'), WAKE_MS)
  return (whom) => (whom === 'senders' ? senders() : all())
}

/**
 * Runs one more HTTP thread: the whole server on a port that it shares with the main thread, with database connections
 * of its own. Ends when it is told to stop, once its requests are finished.
 */
async function main(onOpen: (program: Program) => void): Promise<void> {
  const { name, settings, host, port, secure, faults: known, sharing, pool, ...cells } = workerData as HttpThreadData
  const say = (message: FromHttpThread) => parentPort!.postMessage(message)
  const { config } = await loadConfig({ environment: {}, flags: settings })
  const log = createLog(config['log.level'], config['log.format']).child({ thread: name })
  const faults = toldFaults(known)
  const program = openProgram({
    ...cells,
    config,
    log,
    pool,
    sharing: openSharing(sharing),
    faults,
    wake: createWakes((wake) => say({ wake })),
  })
  onOpen(program)
  await loadPepper(program)
  program.kernel.port = port
  const readers = createDistantSource((readers) => say({ readers }))
  const longReads = createLongReads(readers, program.kernel.clock)
  program.kernel.longReads = longReads

  const metrics = createMetricsQuestions(() => say('metrics'))
  const handler = createHandler(program, routes, { ask: metrics.ask })
  const counts = connectionCounts(program)
  const listener = createListener(program, handler, counts)
  const tls = secure && (await openSecure({ program, handler, counts: counts!, ...secure, speaks: false }))
  const report = (number: number) => say({ tally: handler.meter.take(), report: number })
  const ticking = setInterval(() => {
    failpoint('http.reports')
    report(0)
  }, REPORT_MS)

  const stopped = new Promise<void>((resolve) => {
    parentPort!.on('message', (message: ToHttpThread) => {
      if (message === 'stop') resolve()
      else if (message === 'reload') void tls?.reload()
      else if ('faults' in message) faults.tell(message.faults)
      else if ('report' in message) report(message.report)
      else if ('readers' in message) readers.hear(message.readers)
      else metrics.answer(message.metrics)
    })
  })
  await joinPort(listener.server, host, port)
  listener.watch()
  if (tls) {
    await joinPort(tls.server, secure.host, secure.port)
    tls.watch()
  }
  say('listening')
  await stopped
  await Promise.all([listener.close(), tls?.close()])
  await handler.close()
  longReads.close()
  clearInterval(ticking)
  report(0)
  await program.close()
  log.flush()
  parentPort!.close()
}

/** Questions for the text of `/metrics`, which the main thread answers: one for all who ask meanwhile. `say` asks it. */
function createMetricsQuestions(say: () => void) {
  const asking: PromiseWithResolvers<MetricsText>[] = []
  return {
    ask(): Promise<MetricsText> {
      const answer = Promise.withResolvers<MetricsText>()
      if (asking.push(answer) === 1) say()
      return answer.promise
    },
    answer(text: MetricsText | undefined): void {
      for (const { resolve, reject } of asking.splice(0)) {
        if (text) resolve(text)
        else reject(new Error('the main thread cannot read the metrics'))
      }
    },
  }
}

/** Opens the port of HTTPS. Only servers with TLS load the modules for it. */
async function openSecure(parts: SecureParts): Promise<SecureListener> {
  const { createSecureListener } = await import('../tls/secure-listener.ts')
  return createSecureListener(parts)
}

/** Faults of the process: the main thread finds them (workers/watch.ts), and they are only shown here. */
function toldFaults(known: Fault[]): Faults & { tell(faults: Fault[]): void } {
  let latest = known
  return {
    list: () => latest,
    settle() {},
    tell(faults) {
      latest = faults
    },
  }
}

/** Runs this thread. `onOpen` gets the program before the thread listens. */
export function startHttpThread(onOpen: (program: Program) => void): void {
  main(onOpen).catch((error: unknown) => {
    const failed = error instanceof Error ? (error.stack ?? error.message) : String(error)
    parentPort!.postMessage({ failed } satisfies FromHttpThread)
    process.exitCode = 1
    parentPort!.close()
  })
}
