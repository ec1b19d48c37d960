import type { Settings } from './options.ts'
import { waitAfter } from './retry.ts'

/** POSTs that ignore an idempotency key, because a stored answer would hold a secret (docs/webhooks.md). */
const NEVER_REPEATED = [/^\/messages\/v1\/webhooks$/, /^\/messages\/v1\/webhooks\/[^/]+\/rotate$/]

const NDJSON = 'application/x-ndjson'
/** Statuses whose responses have no body (Fetch standard, "null body status"). */
const BODILESS = new Set([101, 103, 204, 205, 304])

/**
 * Makes the `fetch` of a client: with keys, an idempotency key on each POST that has none, repeats of what is safe, and a time limit.
 * An answer that was cut off counts as lost, so it is read whole; lines (NDJSON) are handed on as they come.
 */
export function caller(settings: Settings): (request: Request) => Promise<Response> {
  return async (request) => {
    const path = request.url.slice(settings.url.length).replace(/[?#].*/, '')
    const headers = new Headers(request.headers)
    headers.set('authorization', settings.authorization(path))
    const isPost = request.method === 'POST'
    if (isPost && !headers.has('idempotency-key')) headers.set('idempotency-key', crypto.randomUUID())
    const body = request.body === null ? undefined : await request.arrayBuffer()
    // Keys go to the address that was configured, wherever an answer points.
    const init: RequestInit = { method: request.method, headers, redirect: 'manual', ...(body && { body }) }
    const isSafe = !isPost || !NEVER_REPEATED.some((one) => one.test(path))
    return repeat(settings, request.signal, isSafe, () => attempt(settings, request.url, init, request.signal))
  }
}

/** Runs attempts until one is final, and returns its response or throws its error. */
async function repeat(
  { retries, sleep }: Settings,
  signal: AbortSignal,
  isSafe: boolean,
  run: () => Promise<Response>,
): Promise<Response> {
  let mayRun = false
  for (let number = 1; ; number++) {
    const response = await run().catch((error: Error) => error)
    signal.throwIfAborted()
    const isLost = response instanceof Error
    const answer = isLost ? undefined : response
    const retryAfter = answer?.headers.get('retry-after') ?? null
    const wait = waitAfter({ number, status: answer?.status, retryAfter, isSafe, mayRun }, retries)
    if (wait === undefined) {
      if (isLost) throw response
      return response
    }
    await answer?.body?.cancel()
    mayRun ||= isLost || response.status >= 502
    await sleep(wait, signal)
  }
}

/** One request, until its answer is whole; until its headers are there when it consists of lines. */
async function attempt(settings: Settings, url: string, init: RequestInit, signal: AbortSignal): Promise<Response> {
  const limit = new AbortController()
  const late = () => limit.abort(new DOMException(`no answer within ${settings.timeoutMs} ms`, 'TimeoutError'))
  const timer = setTimeout(late, settings.timeoutMs)
  try {
    const response = await settings.fetch(url, { ...init, signal: AbortSignal.any([signal, limit.signal]) })
    if (response.headers.get('content-type')?.startsWith(NDJSON) || BODILESS.has(response.status)) return response
    const { status, statusText, headers } = response
    const body = await response.arrayBuffer()
    // A page of a proxy, or of whatever else is at the address, says nothing about the call.
    if (response.ok && headers.get('content-type')?.startsWith('text/html'))
      throw new TypeError(
        `${url} answers with a page: it is not the address of appsvc, or something stands in front of it`,
      )
    return new Response(body, { status, statusText, headers })
  } finally {
    clearTimeout(timer)
  }
}
