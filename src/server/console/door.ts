import type { Context } from 'koa'
import { AppError } from '../../platform/errors.ts'
import { fileReply } from '../http/compressed.ts'
import { isKnown } from '../http/etag.ts'
import { rendererPart } from '../renderer/door.ts'
import { Bytes, Reply } from '../routing/route.ts'
import { type ConsoleFiles, consoleFiles } from './files.ts'

/**
 * Nothing may come from another origin. Pictures of messages show only in the renderer's page, which has a frame and a policy of
 * its own. `tiles` is the setting `console.tiles`: pictures of the map may come from its origin.
 */
const consolePolicy = (tiles: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    `img-src 'self' data:${tiles === '' ? '' : ` ${new URL(tiles).origin}`}`,
    "frame-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')

const FILES = '/console/files/'
/** The renderer of in-app messages, for the frames of the console: `/iar` is not answered where the console has its own listener. */
const RENDERER = '/console/iar'
/** For file names with a digest: their content never changes. */
const FOR_EVER = 'public, max-age=31536000, immutable'

/** Whether the path is one of the console's page and files. */
export const isConsolePage = (path: string): boolean => path === '/console' || path.startsWith('/console/')

/**
 * Answers `/console` and everything below it. An address that is no file gets the page, which knows its own addresses. Throws
 * `not_found` for a file that is not there (any more), and `method_not_allowed`.
 */
export async function answerConsole(context: Context, path: string, tiles: string): Promise<Reply> {
  const { method } = context
  if (method !== 'GET' && method !== 'HEAD') {
    throw new AppError('method_not_allowed', `${method} is not supported here: use GET`, {
      headers: { Allow: 'GET, HEAD' },
    })
  }
  if (path === '/console') return new Reply(308, undefined, { Location: `/console/${context.search}` })
  const files = await consoleFiles()
  if (path.startsWith(FILES)) return answerFile(context, files, path.slice(FILES.length))
  if (path.startsWith(`${RENDERER}/`)) return answerRenderer(context, path.slice(RENDERER.length))
  const { index } = files
  const headers = {
    'Cache-Control': 'no-cache',
    'Content-Security-Policy': consolePolicy(tiles),
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'X-Frame-Options': 'DENY',
  }
  return fileReply(context, index, headers)
}

function answerFile(context: Context, { byName }: ConsoleFiles, name: string): Reply {
  const file = byName.get(name)
  if (!file) throw new AppError('not_found', `there is no ${name} (any more): load the console again`)
  const headers = {
    'Cache-Control': FOR_EVER,
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
  }
  return fileReply(context, file, headers)
}

function answerRenderer(context: Context, path: string): Reply {
  const part = rendererPart(path)
  if (!part) throw new AppError('not_found', `there is no ${RENDERER}${path} (any more): load the console again`)
  const { 'Content-Type': type, ...shown } = part.headers
  const headers = onlyFramedHere(shown)
  if (isKnown(context.req, part.headers.ETag)) return new Reply(304, undefined, headers as Record<string, string>)
  return new Reply(200, new Bytes(Buffer.from(part.text), String(type)), headers as Record<string, string>)
}

/** The public page may be framed by every website; this one, beside the console, by the console alone. */
function onlyFramedHere(headers: Record<string, unknown>): Record<string, unknown> {
  const given = headers['Content-Security-Policy']
  const policy = typeof given === 'string' ? given : "default-src 'none'; frame-ancestors *"
  return {
    ...headers,
    'Content-Security-Policy': policy.replace(/frame-ancestors [^;]*/, "frame-ancestors 'self'"),
    'X-Frame-Options': 'SAMEORIGIN',
  }
}
