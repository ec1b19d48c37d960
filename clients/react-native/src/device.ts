import { batchOf, type DeviceEvent, eventsPath, fateOf, type Json, waitAfter } from '../../core/src/index.ts'
import type { AppEvents, StartOptions } from './api.ts'
import { newUuid } from './ids.ts'
import { type Kept, openStore, type Store } from './store.ts'

/** An answer of the server. */
export interface Answer {
  status: number
  body: unknown
  /** Seconds that the server asks to wait. */
  retryAfter: number
}

type Handler<E extends keyof AppEvents> = (what: AppEvents[E]) => void

/** The install as the server knows it: its store, its calls, its queue of events, and those who hear of what happens. */
export interface Device extends Store {
  options: StartOptions
  installId: Promise<string>
  /** Name of the user in events and paths. */
  userName(): Promise<string>
  /** Calls the server with the keys of the app. Rejects when there is no answer. */
  call(path: string, options?: { method?: string; body?: unknown }): Promise<Answer>
  /** Queues an event, and sends the queue soon; `at` is when it happened. */
  track(type: string, data?: Json, at?: number): Promise<void>
  /** Sends the queue now. Never rejects. */
  flush(): Promise<void>
  /** Lets work go on that nobody waits for, and says when it fails. */
  background(work: Promise<unknown>): void
  /** Resolves when the work that nobody waits for is done. */
  settled(): Promise<void>
  /** Runs work each time the queue is sent: what waits beside it. */
  onFlush(work: () => Promise<void>): void
  on<E extends keyof AppEvents>(event: E, handler: Handler<E>): () => void
  /** Tells the handlers of an event. `isKept`: without one, the first one to come is told. */
  tell<E extends keyof AppEvents>(event: E, what: AppEvents[E], isKept?: boolean): void
  warn(...what: unknown[]): void
  /** Ends timers, and clears the handlers. */
  stop(): void
}

/** Time (ms) that the server may take. */
const ANSWERS_MS = 20_000
/** Time (ms) that events wait for others to share their upload. */
const GATHER_MS = 1000
/** Most characters of events in an upload; the server takes some megabytes. */
const MOST_CHARACTERS = 500_000
/** Most events that wait; then the oldest go. */
const MOST = 1000

/** Says on the console what a developer has to know. The app goes on. */
const warn = (...what: unknown[]) => console.warn('appsvc:', ...what)

export function createDevice(options: StartOptions): Device {
  const store = openStore(options.storage, warn)
  const authorization = `Basic ${base64(`${options.apiKey}:${options.secretKey}`)}`
  const uuid = options.randomUUID ?? newUuid
  const installId = readInstallId(store, uuid)
  const bus = createBus()
  const queue = createQueue(store, send)
  const working = new Set<Promise<unknown>>()

  async function call(
    path: string,
    { method = 'GET', body }: { method?: string; body?: unknown } = {},
  ): Promise<Answer> {
    const limit = new AbortController()
    const timer = setTimeout(() => limit.abort(), ANSWERS_MS)
    try {
      const response = await fetch(options.url + path, {
        method,
        headers: { Authorization: authorization, 'Content-Type': 'application/json' },
        signal: limit.signal,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      const retryAfter = Number(response.headers.get('Retry-After')) || 0
      return { status: response.status, body: parsed(text, response.ok), retryAfter }
    } finally {
      clearTimeout(timer)
    }
  }

  /**
   * Sends one upload. Returns the time (s) that the server asks to wait when it is not for now. When several are refused, each goes alone: one
   * of them may be what is wrong.
   */
  async function send(events: DeviceEvent[]): Promise<{ isDone: boolean; retryAfter: number }> {
    const answer = await call(eventsPath(await installId), { method: 'POST', body: events }).catch(() => undefined)
    // The server's answers are JSON. A page is that of a proxy, which knows nothing of events but that they are too large.
    const isOfProxy = typeof answer?.body === 'string' && answer.status !== 413
    const fate = isOfProxy ? 'later' : fateOf(answer?.status)
    if (fate === 'refused' && events.length > 1) {
      for (const event of events) {
        const alone = await send([event])
        if (!alone.isDone) return alone
      }
      return { isDone: true, retryAfter: 0 }
    }
    if (fate === 'refused' || fate === 'locked') warn(`${options.url} refuses events`, answer?.status, answer?.body)
    return { isDone: fate === 'stored' || fate === 'refused', retryAfter: answer?.retryAfter ?? 0 }
  }

  const userName = async () => (await store.get('user'))?.name ?? (await installId)
  return {
    ...store,
    ...bus,
    options,
    installId,
    userName,
    call,
    warn,
    async track(type, data, at = Date.now()) {
      // Anything that is no JSON must not come into the queue: nothing behind it would ever be sent.
      const own = data && (JSON.parse(JSON.stringify(data)) as Json)
      const event = {
        type,
        uuid: uuid().toLowerCase(),
        timestamp: at,
        userId: await userName(),
        ...(own && { data: own }),
      }
      await queue.add(event)
    },
    flush: queue.flush,
    background(work) {
      const mine = work.catch(warn).finally(() => working.delete(mine))
      working.add(mine)
    },
    async settled() {
      while (working.size > 0) await Promise.all(working)
    },
    onFlush: queue.onFlush,
    stop() {
      queue.stop()
      bus.clear()
    },
  }
}

/** Reads the install id, or makes it at the first start. */
async function readInstallId(store: Store, uuid: () => string): Promise<string> {
  const made = uuid().toLowerCase()
  return (await store.change('installId', (known) => known ?? made)) ?? made
}

/** The events that wait: kept, sent together, and sent again until the server has them. */
function createQueue(store: Store, send: (events: DeviceEvent[]) => Promise<{ isDone: boolean; retryAfter: number }>) {
  const works: (() => Promise<void>)[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  let failures = 0
  let isStopped = false
  let running: Promise<void> = Promise.resolve()

  function wake(ms: number): void {
    if (timer !== undefined || isStopped) return
    timer = setTimeout(() => void flush(), ms)
  }

  async function drain(): Promise<void> {
    for (;;) {
      const events = batchOf((await store.get('queue')) ?? [], MOST_CHARACTERS)
      if (events.length === 0) break
      const { isDone, retryAfter } = await send(events)
      if (!isDone) return wake(waitAfter(failures++, retryAfter, Math.random()))
      failures = 0
      const sent = new Set(events.map(({ uuid }) => uuid))
      await store.change('queue', (waiting = []) => waiting.filter(({ uuid }) => !sent.has(uuid)))
    }
    for (const work of works) await work()
  }

  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    // One at a time. A second caller has events that the first may have missed.
    running = running.then(drain).catch(warn)
    return running
  }

  return {
    flush,
    onFlush: (work: () => Promise<void>) => void works.push(work),
    async add(event: Kept['queue'][number]): Promise<void> {
      await store.change('queue', (waiting = []) => [...waiting, event].slice(-MOST))
      wake(GATHER_MS)
    },
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}

/** Handlers of events, and events that nobody has heard of yet. */
function createBus() {
  const handlers = new Map<string, Set<(what: never) => void>>()
  const missed = new Map<string, unknown[]>()
  const heard = (handler: (what: never) => void, what: unknown) => {
    try {
      handler(what as never)
    } catch (error) {
      warn('a handler of the app failed', error)
    }
  }
  return {
    on(event: string, handler: (what: never) => void): () => void {
      const all = handlers.get(event) ?? new Set()
      handlers.set(event, all.add(handler))
      for (const what of missed.get(event) ?? []) heard(handler, what)
      missed.delete(event)
      return () => void all.delete(handler)
    },
    tell(event: string, what: unknown, isKept = false): void {
      const all = handlers.get(event)
      if (all?.size) for (const handler of all) heard(handler, what)
      else if (isKept) missed.set(event, [...(missed.get(event) ?? []), what])
    },
    clear: () => handlers.clear(),
  }
}

/** The value of a body. A page of something between the app and the server is no answer to a call; of a failure it is the words. */
function parsed(text: string, isSuccess: boolean): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text)
  } catch (error) {
    if (isSuccess) throw error
    return text
  }
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** Base64 of ASCII: not every engine of React Native has `btoa`. */
function base64(text: string): string {
  let out = ''
  for (let at = 0; at < text.length; at += 3) {
    const [a, b, c] = [0, 1, 2].map((i) => text.charCodeAt(at + i) || 0) as [number, number, number]
    const bits = (a << 16) | (b << 8) | c
    const left = text.length - at
    out += DIGITS[bits >> 18]! + DIGITS[(bits >> 12) & 63]!
    out += (left > 1 ? DIGITS[(bits >> 6) & 63]! : '=') + (left > 2 ? DIGITS[bits & 63]! : '=')
  }
  return out
}
