import {
  batchOf,
  type DeviceEvent,
  eventsPath,
  INSTALL_TRACKED,
  newUuid,
  PAGE_VIEWED,
  WEB_CONFIG,
  waitAfter,
} from '../../core/src/index.ts'
import type { AppEvents, Data, StartOptions } from './api.ts'
import { createDevice, type Device, warn } from './device.ts'
import { changes, openStore, type Store, type WebConfig } from './store.ts'

/** The part of a page that all its abilities share. */
export interface Page extends Store {
  options: StartOptions
  /** The device, when its store is open. */
  ready: Promise<Device>
  /** Reports an event; resolves when it is queued. `soon` sends it without waiting for others. */
  track(type: string, data?: Data, soon?: boolean): Promise<void>
  /** Does work of its own whenever the queue is sent, ahead of it. True: some of it is left, and has to be tried again. */
  onFlush(work: () => Promise<boolean>): void
  /** Sends what is queued, unless the server asked to wait. Never fails. */
  flush(): Promise<void>
  /** Calls handlers of the page. */
  tell<E extends keyof AppEvents>(event: E, what: AppEvents[E]): void
  on<E extends keyof AppEvents>(event: E, handler: (what: AppEvents[E]) => void): () => void
  /** Hears every event that this page tracks. */
  onTracked(hear: (type: string, data: Data) => void): void
  /** The configuration of the app: at most an hour old unless `isFresh`, or the last one when the server is away. */
  config(isFresh?: boolean): Promise<WebConfig | undefined>
}

/** The most characters of events in a request that outlives its page: browsers allow 64 KiB. */
const KEEPALIVE_CHARACTERS = 40_000
/** The time (ms) for which events wait for others. */
const GATHERS_MS = 200
const HOUR_MS = 3_600_000
/** The time (ms) for which one question for the configuration serves all who ask, also when it has no answer. */
const ASKED_MS = 60_000

export function createPage(options: StartOptions, version: string): Page {
  const handlers = new Set<[event: string, handler: (what: never) => void]>()
  const works: (() => Promise<boolean>)[] = []
  const hearers: ((type: string, data: Data) => void)[] = []
  /** Events of this page that may not have reached the server yet. */
  const unsent = new Set<DeviceEvent>()
  let gathering: ReturnType<typeof setTimeout> | undefined
  let failures = 0
  let notBefore = 0
  let asking: Promise<WebConfig | undefined> | undefined
  const ready = openStore(options.apiKey).then(async (store) =>
    createDevice(store, options, await store.change('installId', (before) => before ?? newUuid())),
  )

  const page: Page = {
    options,
    ready,
    get: async (name) => (await ready).store.get(name),
    change: async (name, how) => (await ready).store.change(name, how),
    async track(type, data, soon = false) {
      for (const hear of hearers) hear(type, data ?? {})
      await (await ready).track(type, data, (event) => unsent.add(event))
      if (soon) return page.flush()
      gathering ??= setTimeout(() => {
        gathering = undefined
        void page.flush()
      }, GATHERS_MS)
    },
    flush: () => flush().catch(() => {}),
    onFlush: (work) => void works.push(work),
    tell(event, what) {
      for (const [name, handler] of handlers) {
        // An error of a handler is the page's own.
        if (name === event) queueMicrotask(() => handler(what as never))
      }
    },
    on(event, handler) {
      const entry: [string, typeof handler] = [event, handler]
      handlers.add(entry)
      return () => void handlers.delete(entry)
    },
    onTracked: (hear) => void hearers.push(hear),
    async config(isFresh = false) {
      const kept = await page.get('config')
      if (kept && !isFresh && Math.abs(Date.now() - kept.at) < HOUR_MS) return kept.value
      if (isFresh || !asking) {
        asking = askForConfig()
        setTimeout(() => (asking = undefined), ASKED_MS)
      }
      return (await asking) ?? kept?.value
    },
  }

  async function askForConfig(): Promise<WebConfig | undefined> {
    const answer = await (await ready).call(WEB_CONFIG).catch(() => undefined)
    if (answer?.status !== 200) return undefined
    const value = answer.body as WebConfig
    await page.change('config', () => ({ at: Date.now(), value }))
    return value
  }

  async function flush(): Promise<void> {
    const { send } = await ready
    if (Date.now() < notBefore) return
    let isLeft = false
    for (const work of works) if (await work()) isLeft = true
    const stopped = await send()
    // Whoever sent them, this tab or another one.
    if (!stopped) unsent.clear()
    if (!stopped && !isLeft) failures = 0
    // Until the page is loaded again: it may have better keys then.
    else if (stopped?.fate === 'locked') notBefore = Infinity
    else {
      const wait = waitAfter(failures++, stopped?.retryAfter ?? 0, Math.random())
      notBefore = Date.now() + wait
      setTimeout(flushNow, wait)
    }
  }

  function flushNow(): void {
    notBefore = 0
    void page.flush()
  }

  addEventListener('online', flushNow)
  // The queue stays in the store, so what arrives twice is stored once.
  addEventListener('pagehide', () => {
    const events = batchOf([...unsent], KEEPALIVE_CHARACTERS)
    if (events.length === 0) return
    void ready
      .then(({ call, installId }) => call(eventsPath(installId), { method: 'POST', body: events, keepalive: true }))
      .catch(() => {})
  })
  void begin(page, version).catch(warn)
  return page
}

/** Reports at the start of a page: the details of the browser when they are new, and the view. */
async function begin(page: Page, version: string): Promise<void> {
  const details = detailsOf(version)
  const text = JSON.stringify(details)
  if (await changes(page, 'details', text)) void page.track(INSTALL_TRACKED, details)
  if (page.options.pageViews !== false) {
    let seen: string | undefined
    const view = () => {
      if (seen === location.pathname) return
      seen = location.pathname
      void page.track(PAGE_VIEWED, { title: document.title, path: seen })
    }
    view()
    // Views of a page that changes its address without loading.
    ;(globalThis as { navigation?: EventTarget }).navigation?.addEventListener('navigatesuccess', view)
  }
  void page.flush()
}

/** Details of this browser (docs/reference/device-protocol.md section 5): the server reads the rest from the user agent. */
function detailsOf(version: string) {
  return {
    app: { bundle: location.host, target: 2 },
    sdk: { id: 10, version },
    device: {
      name: navigator.userAgent,
      tz: Intl.DateTimeFormat().resolvedOptions().timeZone,
      locale: navigator.language,
    },
  }
}
