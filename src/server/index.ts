import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { availableParallelism } from 'node:os'
import type { RequestTotals } from '../domain/load/types.ts'
import type { Config } from '../platform/config/settings.ts'
import { speaksTls } from '../platform/config/tls-settings.ts'
import type { Log } from '../platform/log/log.ts'
import type { ReaderSource } from '../platform/long-reads/client.ts'
import { canSharePorts, listenOn, listenShared } from '../platform/net/listen.ts'
import type { Program } from '../program.ts'
import { consoleAddress } from './console/entrance.ts'
import { createHandler, type Handler } from './handler.ts'
import { answerHealth } from './health.ts'
import { connectionCounts, createListener, FINISH_MS } from './listener.ts'
import { metricsListener } from './metrics/metrics.ts'
import { totalsOf } from './metrics/totals.ts'
import { routes } from './routes.ts'
import { createHttpThreads, type HttpCells, type HttpThreads } from './threads/http-threads.ts'
import { listenSecurely } from './tls/listen.ts'
import { portOfListen, REMEDIES } from './tls/remedies.ts'

export type { HttpCells } from './threads/http-threads.ts'

export interface RunningServer {
  /** `http://127.0.0.1:8080` */
  address: string
  /** `https://push.example.com`, when the server speaks TLS. */
  secureAddress?: string
  /** The port on which HTTPS listens; `baseUrl` may name another one that leads here. */
  securePort?: number
  /** `http://[::]:80`, the port that leads to HTTPS. */
  plainAddress?: string
  /** `http://127.0.0.1:9464`, of `metrics.listen`. */
  metricsAddress?: string
  /** `http://127.0.0.1:8080/console/`, where people open the console; undefined when it is off. */
  consoleAddress?: string
  /** The requests that every thread has answered since the start. */
  requests(): Promise<RequestTotals>
  /** Looks for new certificates in every thread. */
  reload(): Promise<void>
  /** Stops listening in every thread, lets running requests finish (5 s at most), closes. */
  close(): Promise<void>
}

const FEW_CORES = 4
const MAX_AUTO = 16

/**
 * The number of HTTP threads if none is configured. One on SQLite: each thread writes with a connection of its own, and
 * SQLite empties the cache of a connection when another one has written (docs/decisions/0026-http-threads.md).
 */
export function autoThreads(isSqlite: boolean, cores: number): number {
  return isSqlite || cores < FEW_CORES ? 1 : Math.min(cores, MAX_AUTO)
}

/** The number of HTTP threads to run: 1 where the system cannot share a port between threads. */
export async function httpThreadsOf(config: Config, log: Log): Promise<number> {
  const wanted = config['http.threads']
  const isSqlite = config['database.url'].reveal() === ''
  const threads = wanted === 'auto' ? autoThreads(isSqlite, availableParallelism()) : wanted
  if (threads === 1 || (await canSharePorts())) return threads
  log.warn({ 'http.threads': threads }, 'this system cannot share a port between threads: one thread answers HTTP')
  return 1
}

/**
 * Starts the HTTP door on `config.host` and `config.port`, in this thread and, given `cells` that several share, in
 * others, which get ports to the thread for long reads from `readers`. Throws `unavailable` when the port is taken.
 */
export async function listen(
  program: Program,
  shared?: { cells: HttpCells; readers: ReaderSource },
): Promise<RunningServer> {
  const { host, port } = program.kernel.config
  const remedy = REMEDIES.port
  const sharingCells = shared?.cells.sharingCells
  const threads: HttpThreads | undefined =
    sharingCells && createHttpThreads(program, { ...shared.cells, sharingCells }, shared.readers, () => handler.meter)
  const handler: Handler = createHandler(program, routes, threads && { gather: threads.gather })
  const counts = connectionCounts(program)
  const listener = createListener(program, handler, counts)
  const take = threads ? listenShared : listenOn
  const at = await take(listener.server, host, port, remedy)
  listener.watch()
  program.kernel.port = at.port
  const opened: { close(): Promise<unknown> }[] = [listener]
  try {
    const secure =
      counts && speaksTls(program.kernel.config) ? await listenSecurely(program, handler, counts, take) : undefined
    if (secure) opened.push(secure)
    const consoleServer = await listenForConsole(program, handler)
    if (consoleServer) opened.push({ close: () => finish(consoleServer) })
    const metrics = await listenForMetrics(program, handler.meter.alone)
    // Not awaited: this thread answers already, and others may take seconds on a busy machine.
    threads?.start({ host, port: at.port, secure: secure?.shared })
    return {
      address: urlOf(at),
      ...(secure && { secureAddress: secure.address, securePort: secure.shared.port }),
      ...(secure?.plainAddress && { plainAddress: secure.plainAddress }),
      ...(metrics && { metricsAddress: urlOf(metrics.address() as AddressInfo) }),
      ...(program.kernel.config['console.enabled'] && {
        consoleAddress: consoleAddress(
          program.kernel.config,
          consoleServer ? urlOf(consoleServer.address() as AddressInfo) : (secure?.address ?? urlOf(at)),
        ),
      }),
      requests: async () => totalsOf(await handler.meter.answered()),
      async reload() {
        threads?.reload()
        await secure?.reload()
      },
      async close() {
        metrics?.closeAllConnections()
        metrics?.close()
        await Promise.all([threads?.close(), ...opened.map((one) => one.close())])
        await handler.close()
      },
    }
  } catch (error) {
    await Promise.all(opened.map((one) => one.close()))
    throw error
  }
}

function urlOf({ address, port, family }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

/** The listener of `metrics.listen`, if there is one. */
async function listenForMetrics(program: Program, listener: RequestListener): Promise<Server | undefined> {
  const { 'metrics.listen': at } = program.kernel.config
  return at === '' ? undefined : listenAside(program, at, listener, 'choose another with metrics.listen')
}

/** The listener of `console.listen`, if there is one. */
async function listenForConsole(program: Program, handler: Handler): Promise<Server | undefined> {
  const { 'console.listen': at, 'console.enabled': isEnabled } = program.kernel.config
  if (at === '' || !isEnabled) return undefined
  return listenAside(program, at, handler.handleConsole, 'choose another with console.listen')
}

/** Stops listening and lets running requests finish (`FINISH_MS` at most). */
async function finish(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeIdleConnections()
  const late = setTimeout(() => server.closeAllConnections(), FINISH_MS)
  await closed
  clearTimeout(late)
}

/** A small listener beside the main one, at `host:port`. */
async function listenAside(
  { kernel }: Program,
  at: string,
  listener: RequestListener,
  remedy: string,
): Promise<Server> {
  const server = createServer({ headersTimeout: 10_000, requestTimeout: 30_000 }, listener)
  server.maxConnections = 100
  server.setTimeout(kernel.config['http.writeTimeout'] * 1000)
  await listenOn(server, ...portOfListen(at), remedy)
  server.on('error', (error) => kernel.log.warn({ error: error.message }, 'a connection could not be accepted'))
  return server
}

/** The listener of a worker. */
export interface WorkerListener {
  /** `http://127.0.0.1:9465` */
  address: string
  close(): void
}

/**
 * Opens the listener of a worker, at `metrics.workerListen`: its metrics, and for orchestrators `/healthz` and `/readyz`.
 * Undefined when it does not listen. Throws `unavailable` when the port is taken.
 */
export async function listenForWorker(program: Program): Promise<WorkerListener | undefined> {
  const { 'metrics.workerListen': at } = program.kernel.config
  if (at === '') return undefined
  const { createCatalogue } = await import('./metrics/catalogue.ts')
  const catalogue = createCatalogue(program)
  const text = async () => ({ contentType: catalogue.contentType, text: await catalogue.text() })
  const listener = metricsListener(program, text, (path) => answerHealth(program, path))
  const server = await listenAside(program, at, listener, 'choose another with --metrics-port')
  return {
    address: urlOf(server.address() as AddressInfo),
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
