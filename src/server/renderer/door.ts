import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { sendError, sendText } from '../http/respond.ts'
import { digestOf, type PageFile, rendererFiles } from './files.ts'

/** Path of the page, besides its own host (`hosts.renderer`). */
export const RENDERER_PATH = '/iar'

/**
 * Only our scripts and styles may load; pictures and videos may come from anywhere. Any website may frame the page:
 * it holds no data and shows only what the embedding page passes to it.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  'img-src https: http: data:',
  'media-src https: http:',
  "base-uri 'none'",
  "form-action 'none'",
  'frame-ancestors *',
].join('; ')

const FOR_MINUTES = 'public, max-age=300'
/** For file names with a digest: their content never changes. */
const FOR_EVER = 'public, max-age=31536000, immutable'

interface Whole {
  text: string
  headers: OutgoingHttpHeaders & { ETag: string }
}

const whole = (text: string, type: string, headers: OutgoingHttpHeaders): Whole => ({
  text,
  headers: { ...headers, 'Content-Type': type, ETag: `"${digestOf(text)}"` },
})

/**
 * Serves `/iar`, or the host in `hosts.renderer`. Addresses in the page are relative, so a proxy may add a path
 * prefix. Returns the name of the request in metrics.
 */
export function sendRenderer(request: IncomingMessage, response: ServerResponse): string {
  const method = request.method!
  if (method !== 'GET' && method !== 'HEAD') {
    sendError(request, response, 405, `${method} is not supported here: use GET`, { Allow: 'GET, HEAD' })
    return 'renderer'
  }
  const [path] = request.url!.split('?', 1) as [string]
  const found = find(path)
  if (!found) sendError(request, response, 404, `there is no ${path}: the page for in-app messages is ${RENDERER_PATH}`)
  else if (matches(request.headers['if-none-match'], found.headers.ETag)) {
    const { 'Content-Type': _, ...headers } = found.headers
    response.writeHead(304, headers).end()
  } else sendText(request, response, found)
  return 'renderer'
}

/** The page or a file of it, for another door: `/` is the page, `/script.<digest>.js` a file. Undefined for anything else. */
export function rendererPart(path: string): Whole | undefined {
  return path === RENDERER_PATH ? undefined : find(path)
}

/** Built on first request: the page by its path, and its files by name. */
const kept = new Map<string, Whole>()

function find(path: string): Whole | undefined {
  // From `/iar` the relative address of a file begins with `iar/`; from `/iar/` it is the bare name.
  if (path === RENDERER_PATH) return keep(path, () => page(`${RENDERER_PATH.slice(1)}/`))
  if (path === '/' || path === `${RENDERER_PATH}/`) return keep('/', () => page(''))
  const name = path.slice(path.lastIndexOf('/') + 1)
  if (path !== `/${name}` && path !== `${RENDERER_PATH}/${name}`) return undefined
  const { script, style } = rendererFiles()
  const file: PageFile | undefined = [script, style].find((known) => known.name === name)
  return file && keep(name, () => whole(file.text, file.type, { 'Cache-Control': FOR_EVER }))
}

function page(folder: string): Whole {
  const { index, script, style } = rendererFiles()
  const text = index.replace('{{style}}', folder + style.name).replace('{{script}}', folder + script.name)
  return whole(text, 'text/html; charset=utf-8', { 'Cache-Control': FOR_MINUTES, 'Content-Security-Policy': POLICY })
}

function keep(key: string, make: () => Whole): Whole {
  let found = kept.get(key)
  if (!found) kept.set(key, (found = make()))
  return found
}

function matches(header: string | undefined, etag: string): boolean {
  return header !== undefined && header.split(',').some((tag) => ['*', etag, `W/${etag}`].includes(tag.trim()))
}
