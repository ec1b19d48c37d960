/** Settings of `appsvc()`. */
export interface Options {
  /** The server's address (`baseUrl`), such as `https://push.example.com`. */
  url: string
  /** API key of the app. */
  apiKey: string
  /** Server key, or a scoped server key. */
  serverKey: string
  /** REST key, for the records of data tables (`/data/…`). */
  restKey?: string
  /** Repeats of a call that failed for a while. Default 3; 0 for none. */
  retries?: number
  /** Milliseconds that one attempt may take, and that a stream may be silent. Default 60 000. */
  timeoutMs?: number
  /** Sends the requests. Default: the `fetch` of the platform. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>
  /** Waits before a repeat; rejects when the signal aborts. Default: a timer. */
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>
}

/** Settings as the calls use them. */
export interface Settings {
  url: string
  retries: number
  timeoutMs: number
  fetch: NonNullable<Options['fetch']>
  sleep: NonNullable<Options['sleep']>
  /** The Authorization header for an address of the server. */
  authorization(path: string): string
}

/** Checks the options, and fills in what they leave open. Throws a TypeError that names the wrong one. */
export function readOptions(options: Options): Settings {
  const { apiKey, serverKey, restKey, retries = 3, timeoutMs = 60_000 } = options
  const server = basic(key('apiKey', apiKey), key('serverKey', serverKey))
  const rest = restKey === undefined ? undefined : basic(key('restKey', restKey), '')
  return {
    url: address(options.url),
    retries: atLeast('retries', retries, 0),
    timeoutMs: atLeast('timeoutMs', timeoutMs, 1),
    fetch: options.fetch ?? ((url, init) => fetch(url, init)),
    sleep: options.sleep ?? sleep,
    authorization(path) {
      if (!path.startsWith('/data/')) return server
      if (rest === undefined) throw new TypeError('records of data tables need the option restKey')
      return rest
    },
  }
}

function address(url: unknown): string {
  const parsed = typeof url === 'string' && URL.canParse(url) ? new URL(url) : undefined
  if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.username || parsed.search || parsed.hash)
    throw new TypeError("url must be the server's address, such as https://push.example.com")
  return parsed.href.replace(/\/+$/, '')
}

/** A key as it can stand in a header; the colon ends the first of two. */
function key(name: string, value: unknown): string {
  if (typeof value !== 'string' || !/^[\x21-\x39\x3b-\x7e]+$/.test(value))
    throw new TypeError(`${name} must be a key as \`appsvc apps create\` prints it`)
  return value
}

function atLeast(name: string, value: unknown, least: number): number {
  if (typeof value !== 'number' || !(value >= least)) throw new TypeError(`${name} must be a number from ${least}`)
  return value
}

const basic = (user: string, password: string) => `Basic ${btoa(`${user}:${password}`)}`

/** Waits; rejects with the signal's reason when it aborts. */
function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const stop = () => {
      clearTimeout(timer)
      reject(signal.reason as Error)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal.addEventListener('abort', stop, { once: true })
  })
}
