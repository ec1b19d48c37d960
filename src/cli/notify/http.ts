import { randomUUID } from 'node:crypto'
import { AppError, messageOf } from '../../platform/errors.ts'
import { isPlainObject } from '../../platform/json/json.ts'
import { isLoopback } from '../../platform/net/http.ts'
import { type Deliver, IN_APP, type Kind, type Result, resultOf } from './result.ts'

export interface HttpTarget {
  /** Base URL of the server or of its messages area. */
  url: string
  apiKey: string
  serverKey: string
  warn(text: string): void
}

const TRIES = 5
const TIMEOUT_MS = 60_000
/** The largest answer is a 422 that names every wrong id of a body of `limits.notificationBody`. */
const LARGEST_ANSWER = 32 * 1024 * 1024

/**
 * Sends over HTTP. A request whose response is lost is repeated with the same Idempotency-Key, so that nothing is sent
 * twice. Throws `usage` for an invalid URL, `unauthorized` for wrong keys, `unavailable` if the server cannot be
 * reached.
 */
export function overHttp(kind: Kind, { url, apiKey, serverKey, warn }: HttpTarget): Deliver {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new AppError('usage', `--url must be a URL such as https://push.example.com, not ${JSON.stringify(url)}`)
  }
  const base = new URL(url)
  if (base.protocol === 'http:' && !isLoopback(base.hostname)) {
    warn(`warning: ${base.origin} does not use https: others can read the server key`)
  }
  const endpoint = `${base.origin}${base.pathname.replace(/\/+$/, '')}${kind.path}`
  const authorization = `Basic ${Buffer.from(`${apiKey}:${serverKey}`).toString('base64')}`

  return async (value) => {
    const headers = { authorization, 'content-type': 'application/json', 'idempotency-key': randomUUID() }
    for (let tries = 1; ; tries++) {
      const answer = await post(endpoint, headers, JSON.stringify(value))
      const later = 'failed' in answer || answer.status === 429 || answer.status === 503
      if (later && tries < TRIES) {
        await new Promise((resolve) =>
          setTimeout(resolve, ('failed' in answer ? undefined : answer.waitMs) ?? 100 * 2 ** tries),
        )
        continue
      }
      if ('failed' in answer) throw new AppError('unavailable', `${base.origin} does not answer: ${answer.failed}`)
      return asResult(kind, answer, base.origin)
    }
  }
}

type Answer = { status: number; body: unknown; waitMs: number | undefined } | { failed: string }

async function post(endpoint: string, headers: Record<string, string>, body: string): Promise<Answer> {
  try {
    // A redirect would send the server key to another host.
    const response = await fetch(endpoint, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const text = await textOf(response)
    const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN)
    return {
      status: response.status,
      body: parsed(text),
      waitMs: retryAfter >= 0 ? Math.min(retryAfter, 60) * 1000 : undefined,
    }
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
    return { failed: messageOf(cause) || String((cause as { code?: string }).code) }
  }
}

/** The body; empty when it is longer than any answer of ours, and then not read to its end. */
async function textOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.length
    // Leaving the loop cancels the rest.
    if (size > LARGEST_ANSWER) return ''
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function asResult(kind: Kind, { status, body }: Exclude<Answer, { failed: string }>, origin: string): Result {
  if (status === 403) throw new AppError('forbidden', `${origin} refuses the request: ${sentenceOf(body)}`)
  if (status === 401)
    throw new AppError('unauthorized', `${origin} refuses the keys: check --api-key and --server-key-file`)
  if (status >= 500) throw new AppError('unavailable', `${origin} answers ${status}: ${sentenceOf(body)}`)
  if (
    !isPlainObject(body) ||
    status < 200 ||
    (status >= 300 && status < 400) ||
    (status === 404 && !isAboutTemplate(kind, body))
  ) {
    throw new AppError('unavailable', `${origin} is not an appsvc server (it answers ${status}): check --url`)
  }
  const errors = body.errors ?? (status >= 300 ? { '': [sentenceOf(body)] } : null)
  return resultOf(kind, status, body[kind.key] ?? null, errors, body.series)
}

/** Tells whether a 404 is about an unknown template; any other 404 means that the path does not exist. */
function isAboutTemplate(kind: Kind, body: unknown): boolean {
  return kind === IN_APP && sentenceOf(body).startsWith('there is no template ')
}

function sentenceOf(body: unknown): string {
  return isPlainObject(body) && typeof body.error === 'string' ? body.error : 'no reason given'
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
