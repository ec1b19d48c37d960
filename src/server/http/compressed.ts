import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, gzip, constants as zlib } from 'node:zlib'
import type { Context } from 'koa'
import { Bytes, Reply } from '../routing/route.ts'
import { isKnown } from './etag.ts'

/** Compressed forms, the best first, and what they add to the name of a file in `dist/console`. */
export const ENCODINGS = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
] as const
type Encoding = (typeof ENCODINGS)[number]['name']

/** A file that is the same for everybody, ready to be sent. */
export interface ServedFile {
  type: string
  bytes: Buffer
  /** The same, compressed, as far as that makes it smaller. */
  compressed: Partial<Record<Encoding, Buffer>>
  etag: string
}

export function servedFile(type: string, bytes: Buffer, compressed: ServedFile['compressed']): ServedFile {
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 16)}"`
  return { type, bytes, compressed, etag }
}

/** Good enough for what is made while the server runs; the best takes ten times as long. */
const BROTLI_QUALITY = 7

/** A text compressed once, for as long as the process runs. Not in this thread. */
export async function compressedText(type: string, text: string): Promise<ServedFile> {
  const bytes = Buffer.from(text)
  const [br, packed] = await Promise.all([
    promisify(brotliCompress)(bytes, { params: { [zlib.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
    promisify(gzip)(bytes),
  ])
  return servedFile(type, bytes, { br, gzip: packed })
}

/** The file in the best form that the caller accepts, or 304 when the caller has it. */
export function fileReply(context: Context, file: ServedFile, given: Record<string, string>): Reply {
  const headers = { ...given, ETag: file.etag, Vary: 'Accept-Encoding' }
  if (isKnown(context.req, file.etag)) return new Reply(304, undefined, headers)
  const known = ENCODINGS.map(({ name }) => name).filter((name) => file.compressed[name])
  const taken = known.find((name) => context.acceptsEncodings(name) === name)
  const bytes = taken ? file.compressed[taken]! : file.bytes
  return new Reply(200, new Bytes(bytes, file.type), { ...headers, ...(taken && { 'Content-Encoding': taken }) })
}
