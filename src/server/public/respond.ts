import { randomBytes } from 'node:crypto'
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { pagePolicy, renderNotFound } from '../../domain/links/visit/jump-page.ts'

/** Answers to browsers, written without Koa: the redirect of a short link is the hottest answer there is. */

/** What every answer says. A link's address says where somebody came from: nobody further on needs it. */
const ALWAYS = { 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'no-referrer' }
/** Which answer is right depends on the visitor, and each visit counts. */
const NOT_KEPT = { ...ALWAYS, 'Cache-Control': 'no-store' }

/** Text for one answer that no page can know in advance. */
export function newNonce(): string {
  return randomBytes(16).toString('base64')
}

/** Sends away. `url` is a configured target, already in the form that a header takes. */
export function redirect(response: ServerResponse, url: string): void {
  response.writeHead(302, { ...NOT_KEPT, Location: url, 'Content-Length': 0 }).end()
}

/** A page with this answer's own style and script. */
export function sendPage(
  request: IncomingMessage,
  response: ServerResponse,
  page: { text: string; nonce: string },
): void {
  write(request, response, 200, page.text, {
    ...NOT_KEPT,
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': pagePolicy(page.nonce),
  })
}

/** Any whole text. `headers` say its type and how long it may be kept. */
export function sendText(
  request: IncomingMessage,
  response: ServerResponse,
  { status = 200, text, headers }: { status?: number; text: string; headers: OutgoingHttpHeaders },
): void {
  write(request, response, status, text, { ...ALWAYS, ...headers })
}

/** Says that there is nothing: as a page to browsers, as JSON to programs and for the documents of operating systems. */
export function sendNotFound(
  request: IncomingMessage,
  response: ServerResponse,
  { error, json = prefersJson(request.headers.accept) }: { error: string; json?: boolean },
): void {
  if (json) return sendError(request, response, 404, error)
  const nonce = newNonce()
  write(request, response, 404, renderNotFound({ nonce, acceptLanguage: request.headers['accept-language'] }), {
    ...NOT_KEPT,
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
  const more = { ...NOT_KEPT, ...headers, 'Content-Type': 'application/json; charset=utf-8' }
  write(request, response, status, JSON.stringify({ error }), more)
}

function write(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  text: string,
  headers: OutgoingHttpHeaders,
): void {
  const body = Buffer.from(text)
  response.writeHead(status, { ...headers, 'Content-Length': body.length })
  response.end(request.method === 'HEAD' ? undefined : body)
}

/** Whether JSON comes before HTML in what somebody accepts. Browsers name HTML, programs name JSON, and some name nothing. */
function prefersJson(accept: string | undefined): boolean {
  if (accept === undefined) return false
  const html = accept.indexOf('text/html')
  const json = accept.search(/application\/(?:[\w.-]+\+)?json/)
  return json >= 0 && (html < 0 || json < html)
}
