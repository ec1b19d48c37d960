import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/**
 * A minimal HTTP client, because it shares the machine with the server that it measures: keep-alive connections, one request at a time
 * on each, and responses with a Content-Length.
 */

export interface Request {
  method: 'GET' | 'POST' | 'PUT'
  path: string
  /** Sent as JSON. */
  body?: unknown
}

export interface Caller {
  /** Resolves with the status; 0 if the connection broke. */
  call(request: Request): Promise<number>
  close(): void
}

/** `address` as `http://host:port`; `credentials` as `user:password`, empty for none; `headers` add to the default ones or replace them. */
export async function openCaller(
  address: string,
  credentials: string,
  headers: Record<string, string> = {},
): Promise<Caller> {
  const { hostname, port } = new URL(address)
  const socket = connect(Number(port), hostname).setNoDelay()
  await once(socket, 'connect')
  const statusOf = readReplies(socket)
  const all = {
    Host: `${hostname}:${port}`,
    ...(credentials !== '' && { Authorization: `Basic ${btoa(credentials)}` }),
    'Content-Type': 'application/json',
    ...headers,
  }
  const constant = Object.entries(all)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
  return {
    call({ method, path, body }) {
      const text = body === undefined ? '' : JSON.stringify(body)
      const answered = statusOf()
      socket.write(`${method} ${path} HTTP/1.1\r\n${constant}Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
      return answered
    },
    close: () => void socket.destroy(),
  }
}

/** Resolves with the status of the next response when it is complete. */
function readReplies(socket: Socket): () => Promise<number> {
  let answer: (status: number) => void = () => {}
  let text = ''
  const end = () => answer(0)
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1')
    const head = text.indexOf('\r\n\r\n')
    if (head < 0) return
    const length = Number(/content-length: *(\d+)/i.exec(text.slice(0, head))?.[1] ?? 0)
    if (text.length < head + 4 + length) return
    const status = Number(text.slice(9, 12))
    text = ''
    answer(status)
  })
  socket.on('error', end).on('close', end)
  return () =>
    new Promise((resolve) => {
      if (socket.destroyed) resolve(0)
      else answer = resolve
    })
}

export interface Load {
  /** Calls per second of all connections together. */
  rate: number
  /** The time of each call (ms). */
  times: number[]
}

export interface LoadOptions {
  address: string
  credentials: string
  connections: number
  ms: number
  /** The request with this number: 0, 1, 2 ... */
  request(number: number): Request
  /** Headers of every request; they add to the default ones or replace them. */
  headers?: Record<string, string>
  /** The expected status of every response; any 2xx if absent. */
  expected?: number
}

/** Makes as many calls as possible on several connections for `ms`. Throws for a response with another status. */
export async function load(options: LoadOptions): Promise<Load> {
  const { address, credentials, connections, ms, request, headers, expected } = options
  const callers = await Promise.all(
    Array.from({ length: connections }, () => openCaller(address, credentials, headers)),
  )
  const times: number[] = []
  const began = performance.now()
  let number = 0
  await Promise.all(
    callers.map(async (caller) => {
      while (performance.now() - began < ms) {
        const sentAt = performance.now()
        expectStatus(await caller.call(request(number++)), expected)
        times.push(performance.now() - sentAt)
      }
    }),
  )
  for (const caller of callers) caller.close()
  return { rate: (times.length / (performance.now() - began)) * 1000, times }
}

const MAX_IDLE_MS = 3000

/** Starts a call every `everyMs`, even while earlier ones wait, until `until` settles. Returns how long each took (ms). */
export async function steadyCalls(
  options: Pick<LoadOptions, 'address' | 'credentials' | 'request'> & { everyMs: number; until: Promise<unknown> },
): Promise<number[]> {
  const { address, credentials, request, everyMs, until } = options
  const idle: { caller: Caller; since: number }[] = []
  const times: number[] = []
  const running = new Set<Promise<void>>()
  const failures: unknown[] = []
  let over = false
  const ending = until.finally(() => (over = true))
  // The error is thrown below. Without a handler until then, the process would end.
  ending.catch(() => {})
  const one = async (number: number, dueAt: number) => {
    const kept = idle.pop()
    // The server closes connections that are idle for 5 s. After a busy moment there are more connections than calls.
    const isFresh = kept !== undefined && performance.now() - kept.since < MAX_IDLE_MS
    if (kept && !isFresh) kept.caller.close()
    const caller = isFresh ? kept.caller : await openCaller(address, credentials)
    expectStatus(await caller.call(request(number)))
    // Measured from when the call was due: a pause of this process must not hide a pause of the server.
    times.push(performance.now() - dueAt)
    idle.push({ caller, since: performance.now() })
  }
  const began = performance.now()
  for (let number = 0; !over && failures.length === 0; number++) {
    const dueAt = began + number * everyMs
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, dueAt - performance.now())))
    const call: Promise<void> = one(number, dueAt)
      .catch((error: unknown) => failures.push(error))
      .then(() => void running.delete(call))
    running.add(call)
  }
  await Promise.all(running)
  if (failures.length > 0) throw failures[0]
  for (const { caller } of idle) caller.close()
  await ending
  return times
}

function expectStatus(status: number, expected?: number): void {
  if (expected === undefined ? status < 200 || status > 299 : status !== expected)
    throw new Error(`the server answered ${status}`)
}
