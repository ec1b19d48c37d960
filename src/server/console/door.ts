import type { Context } from 'koa'
import { AppError } from '../../platform/errors.ts'
import { isKnown } from '../etag.ts'
import { Bytes, Reply } from '../route.ts'
import { type ConsoleFiles, consoleFiles, ENCODINGS, type ServedFile } from './files.ts'

/**
 * Nothing may come from another origin. Pictures of messages show only in the renderer's page, which has a frame and a policy of
 * its own.
 */
const CONSOLE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

const FILES = '/console/files/'
/** For file names with a digest: their content never changes. */
const FOR_EVER = 'public, max-age=31536000, immutable'

/** Whether the path is one of the console's page and files. */
export const isConsolePage = (path: string): boolean => path === '/console' || path.startsWith('/console/')

/**
 * Answers `/console` and everything below it. An address that is no file gets the page, which knows its own addresses. Throws
 * `not_found` for a file that is not there (any more), and `method_not_allowed`.
 */
export async function answerConsole(context: Context, path: string): Promise<Reply> {
  const { method } = context
  if (method !== 'GET' && method !== 'HEAD') {
    throw new AppError('method_not_allowed', `${method} is not supported here: use GET`, {
      headers: { Allow: 'GET, HEAD' },
    })
  }
  if (path === '/console') return new Reply(308, undefined, { Location: `/console/${context.search}` })
  const files = await consoleFiles()
  if (path.startsWith(FILES)) return answerFile(context, files, path.slice(FILES.length))
  const { index } = files
  const headers = {
    'Cache-Control': 'no-cache',
    'Content-Security-Policy': CONSOLE_POLICY,
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'X-Frame-Options': 'DENY',
    ETag: index.etag,
  }
  if (isKnown(context.req, index.etag)) return new Reply(304, undefined, headers)
  return encoded(context, index, headers)
}

function answerFile(context: Context, { byName }: ConsoleFiles, name: string): Reply {
  const file = byName.get(name)
  if (!file) throw new AppError('not_found', `there is no ${name} (any more): load the console again`)
  const headers = {
    'Cache-Control': FOR_EVER,
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    ETag: file.etag,
  }
  if (isKnown(context.req, file.etag)) return new Reply(304, undefined, headers)
  return encoded(context, file, headers)
}

/** The file in the best form that the caller accepts. */
function encoded(context: Context, file: ServedFile, headers: Record<string, string>): Reply {
  const known = ENCODINGS.map(({ name }) => name).filter((name) => file.compressed[name])
  const taken = known.find((name) => context.acceptsEncodings(name) === name)
  const bytes = taken ? file.compressed[taken]! : file.bytes
  const how = { ...headers, Vary: 'Accept-Encoding', ...(taken && { 'Content-Encoding': taken }) }
  return new Reply(200, new Bytes(bytes, file.type), how)
}
