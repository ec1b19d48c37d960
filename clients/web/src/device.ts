import { batchOf, type DeviceEvent, eventsPath, fateOf, type Json, newUuid } from '../../core/src/index.ts'
import type { Kept, Store } from './store.ts'

/** An answer of the server. */
export interface Answer {
  status: number
  body: unknown
  /** Seconds that the server asks to wait. */
  retryAfter: number
}

interface CallOptions {
  method?: string
  body?: unknown
  /** The request goes on when the page goes. */
  keepalive?: boolean
}

/** The install as the server knows it: its calls and its queue of events. The page and the worker have one each, over the same store. */
export interface Device {
  store: Store
  installId: string
  /** Calls the server with the keys of the app. Rejects when there is no answer. */
  call(path: string, options?: CallOptions): Promise<Answer>
  /** Queues an event; `onMade` hears of it at once: the page may go before anything is stored. */
  track(type: string, data?: Json, onMade?: (event: DeviceEvent) => void): Promise<void>
  /**
   * Sends the queue, one tab or worker at a time. Returns why it stopped before its end: `locked` and `later` as `fateOf` says, and the seconds
   * that the server asks to wait.
   */
  send(): Promise<{ fate: 'locked' | 'later'; retryAfter: number } | undefined>
  /** Name of the user in events and paths. */
  userName(): Promise<string>
}

/** The time (ms) that the server may take. */
const ANSWERS_MS = 20_000
/** The most characters of events in an upload; the server takes some megabytes. */
const MOST_CHARACTERS = 500_000
/** The most events that wait; then the oldest go. */
const MOST = 1000

/**
 * Runs work while no other tab or worker of this origin does the same for this app. With `ifAvailable` it does not wait for its turn, and the work
 * is left out. Where the browser gives no locks (no https, blocked storage) the work runs at once: what is sent twice is stored once.
 */
export async function alone<T>(what: string, app: string, work: () => Promise<T>, ifAvailable = false): Promise<T> {
  let isAnswered = false
  try {
    return await navigator.locks.request(`appsvc.${what}.${app}`, { ifAvailable }, (lock) => {
      isAnswered = true
      return lock ? work() : (undefined as T)
    })
  } catch (error) {
    if (isAnswered) throw error
    return work()
  }
}

export function createDevice(store: Store, { url, apiKey, secretKey }: Kept['server'], installId: string): Device {
  /** The user as this page or worker knew them last. Another tab may know better. */
  let lastName = installId
  const device: Device = {
    store,
    installId,
    async call(path, { method = 'GET', body, keepalive = false } = {}) {
      const response = await fetch(url + path, {
        method,
        headers: { Authorization: `Basic ${btoa(`${apiKey}:${secretKey}`)}`, 'Content-Type': 'application/json' },
        credentials: 'omit',
        keepalive,
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(ANSWERS_MS),
      })
      const text = await response.text()
      return {
        status: response.status,
        // A proxy says in words of its own that a body is too large. Anything else that is no JSON is not from the server: it counts as no answer.
        body: response.status === 413 ? text : text && JSON.parse(text),
        retryAfter: Number(response.headers.get('Retry-After')),
      }
    },
    async track(type, data, onMade) {
      // What is no JSON must not come into the queue: nothing behind it would ever be sent.
      const own = data && (JSON.parse(JSON.stringify(data)) as Json)
      const event = { type, uuid: newUuid(), timestamp: Date.now(), userId: lastName, ...(own && { data: own }) }
      onMade?.(event)
      event.userId = await device.userName()
      await store.change('queue', (waiting = []) => [...waiting, event].slice(-MOST))
    },
    send: () =>
      alone('send', apiKey, async () => {
        let most = MOST_CHARACTERS
        for (;;) {
          const events = batchOf((await store.get('queue')) ?? [], most)
          if (events.length === 0) return undefined
          const answer = await device
            .call(eventsPath(installId), { method: 'POST', body: events })
            .catch(() => undefined)
          const fate = fateOf(answer?.status)
          if (fate === 'refused' && events.length > 1) {
            // One of them may be what is wrong: each goes alone.
            most = 0
            continue
          }
          if (fate === 'refused' || fate === 'locked') warn(`the server at ${url} refuses events`, answer?.body)
          if (fate === 'later' || fate === 'locked') return { fate, retryAfter: answer?.retryAfter || 0 }
          const sent = new Set(events.map(({ uuid }) => uuid))
          await store.change('queue', (waiting = []) => waiting.filter(({ uuid }) => !sent.has(uuid)))
        }
      }),
    userName: async () => (lastName = (await store.get('user'))?.name ?? installId),
  }
  return device
}

/** Says on the console what a developer has to know. The page goes on. */
export function warn(...what: unknown[]): void {
  console.warn('appsvc:', ...what)
}
