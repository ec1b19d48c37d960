import type { Context } from 'koa'
import packageJson from '../../../package.json' with { type: 'json' }
import { AppError } from '../../platform/errors.ts'
import { fileReply } from '../http/compressed.ts'
import { Reply } from '../routing/route.ts'
import { type SdkFiles, sdkFiles } from './files.ts'

const VERSION = packageJson.version

/** The address of the browser client: its files have their names below it. */
const SDK_PATH = '/sdk/v1/'

/** Headers with which a page of any origin may load the files, also under a policy of its own (COEP), and read the list of them. */
const FOR_ALL = {
  'Access-Control-Allow-Origin': '*',
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Referrer-Policy': 'no-referrer',
}
/** The caching of names without a version: a new server is everywhere within an hour, and no page waits for the question. */
const FOR_AN_HOUR = 'public, max-age=3600, stale-while-revalidate=86400'
/** The caching of names with a version: their content never changes. */
const FOR_EVER = 'public, max-age=31536000, immutable'

/** Tells whether the path is one of the browser client. */
export const isSdkPath = (path: string): boolean => path.startsWith(SDK_PATH)

/**
 * Answers `/sdk/v1/…`: a file by its name, with this server's version before its ending or without, and the list of them. Throws `not_found` for
 * any other, and `method_not_allowed`.
 */
export async function answerSdk(context: Context, path: string): Promise<Reply> {
  const { method } = context
  if (method !== 'GET' && method !== 'HEAD') {
    throw new AppError('method_not_allowed', `${method} is not supported here: use GET`, {
      headers: { Allow: 'GET, HEAD' },
    })
  }
  const files = await sdkFiles()
  const name = path.slice(SDK_PATH.length)
  if (name === '') return new Reply(200, listOf(files), { ...FOR_ALL, 'Cache-Control': 'no-cache' })
  const plain = name.replace(`-${VERSION}.js`, '.js')
  const file = files.byName.get(plain)
  if (!file) throw new AppError('not_found', `there is no ${path}: ${SDK_PATH} lists what this server, ${VERSION}, has`)
  return fileReply(context, file, { ...FOR_ALL, 'Cache-Control': plain === name ? FOR_AN_HOUR : FOR_EVER })
}

/** The files, as JSON for people and build scripts: `path` stays what it is, `versioned` never changes its content. */
function listOf({ byName, integrity }: SdkFiles) {
  const files = [...integrity].map(([name, value]) => ({
    name,
    path: SDK_PATH + name,
    versioned: SDK_PATH + versionedName(name),
    bytes: byName.get(name)!.bytes.length,
    integrity: value,
  }))
  return { version: VERSION, files }
}

const versionedName = (name: string): string => name.replace(/\.js$/, `-${VERSION}.js`)
