import { randomBytes } from 'node:crypto'
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { pagePolicy, renderNotFound } from '../../domain/links/visit/jump-page.ts'

/** Answers to browsers. They do without Koa, because redirects of short links are the most frequent requests. */

/** Headers of every answer. No referrer: the address of a link would tell the target where the visitor came from. */
const ALWAYS = { 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'no-referrer' }
/** Not cached: the answer depends on the visitor, and each visit is counted. */
const UNCACHED = { ...ALWAYS, 'Cache-Control': 'no-store' }

/** A random nonce for the Content-Security-Policy of one answer. */
export function newNonce(): string {
  return randomBytes(16).toString('base64')
}

/**
 * Redirects. `url` is a configured target and must already be encoded as a header value. The answer is written when the
 * links of all visits of this turn have been read (gathered.ts).
 */
export function redirect(response: ServerResponse, url: string): void {
  response.writeHead(302, { ...UNCACHED, Location: url, 'Content-Length': 0 })
  process.nextTick(end, response)
}

function end(response: ServerResponse): void {
  response.end()
}

/** Sends a page whose inline style and script carry `nonce`. */
export function sendPage(
  request: IncomingMessage,
  response: ServerResponse,
  page: { text: string; nonce: string },
): void {
  write(request, response, 200, page.text, {
    ...UNCACHED,
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': pagePolicy(page.nonce),
  })
}

/** Sends a text. `headers` must give its type and how long it may be cached. */
export function sendText(
  request: IncomingMessage,
  response: ServerResponse,
  { status = 200, text, headers }: { status?: number; text: string | Buffer; headers: OutgoingHttpHeaders },
): void {
  write(request, response, status, text, { ...ALWAYS, ...headers })
}

/** Answers 404: with a page for browsers, with JSON for programs and for the documents of operating systems. */
export function sendNotFound(
  request: IncomingMessage,
  response: ServerResponse,
  { error, json = prefersJson(request.headers.accept) }: { error: string; json?: boolean },
): void {
  if (json) return sendError(request, response, 404, error)
  const nonce = newNonce()
  write(request, response, 404, renderNotFound({ nonce, acceptLanguage: request.headers['accept-language'] }), {
    ...UNCACHED,
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': pagePolicy(nonce),
  })
}

/** `{"error": "…"}` */
export function sendError(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  error: string,
  headers: OutgoingHttpHeaders = {},
): void {
  const more = { ...UNCACHED, ...headers, 'Content-Type': 'application/json; charset=utf-8' }
  write(request, response, status, JSON.stringify({ error }), more)
}

function write(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  text: string | Buffer,
  headers: OutgoingHttpHeaders,
): void {
  const body = typeof text === 'string' ? Buffer.from(text) : text
  response.writeHead(status, { ...headers, 'Content-Length': body.length })
  response.end(request.method === 'HEAD' ? undefined : body)
}

/**
 * Whether `Accept` names JSON before HTML, or without it. Browsers name HTML, programs JSON, and some send no header.
 */
function prefersJson(accept: string | undefined): boolean {
  if (accept === undefined) return false
  const html = accept.indexOf('text/html')
  const json = accept.search(/application\/(?:[\w.-]+\+)?json/)
  return json >= 0 && (html < 0 || json < html)
}
