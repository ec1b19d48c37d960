import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { AppError } from '../../platform/errors.ts'
import { readJsonBytes } from '../../platform/json.ts'

/** Maximum number of reports read from one upload; the last ones are taken. KSCrash keeps five on the device. */
const MAX_REPORTS = 20

/**
 * Decodes a body by its `Content-Encoding`. ACRA can be configured to use gzip. Throws `too_large` above `limit` bytes,
 * also for a small body that expands to gigabytes, and `unsupported_media` for another encoding. A body that is not
 * encoded as its header says is returned unchanged.
 */
export async function unfold(bytes: Buffer, encoding: string, limit: number): Promise<Buffer> {
  const name = encoding.trim().toLowerCase()
  if (name === '' || name === 'identity') return bytes
  if (name !== 'gzip' && name !== 'x-gzip') {
    throw new AppError(
      'unsupported_media',
      `the encoding ${encoding} is not accepted: send the report unencoded or with gzip`,
    )
  }
  try {
    return await promisify(gunzip)(bytes, { maxOutputLength: limit })
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_BUFFER_TOO_LARGE') return bytes
    throw new AppError('too_large', `the report is larger than ${limit} bytes`)
  }
}

/**
 * Parses one report; `{ text }` when it is not JSON. Numbers that are not kept are texts. Never throws, because a crashed app may have written
 * anything.
 */
export function readReport(bytes: Buffer): unknown {
  try {
    return readJsonBytes(bytes, () => true).value
  } catch {
    return { text: bytes.toString('utf8').toWellFormed() }
  }
}

/**
 * The reports of a KSCrash upload: multipart with a file `reports` that contains an array of them, or the array itself.
 * Returns the last 20 at most.
 */
export function readReports(bytes: Buffer, contentType: string): unknown[] {
  const part = partOf(bytes, contentType, 'reports') ?? bytes
  if (part.length === 0) return []
  const read = readReport(part)
  return (Array.isArray(read) ? read : [read]).slice(-MAX_REPORTS)
}

/**
 * The content of the part `name` of a multipart body, or of its only part; undefined when it is not multipart. The
 * closing boundary may be missing.
 */
export function partOf(bytes: Buffer, contentType: string, name: string): Buffer | undefined {
  const match = /^multipart\/.*?;\s*boundary=(?:"([^"]{1,200})"|([^\s;]{1,200}))/i.exec(contentType)
  if (!match) return undefined
  const boundary = Buffer.from(`--${match[1] ?? match[2]}`)
  const parts: { head: string; content: Buffer }[] = []
  let start = bytes.indexOf(boundary)
  while (start >= 0 && parts.length < MAX_REPORTS) {
    const from = start + boundary.length
    const next = bytes.indexOf(boundary, from)
    const whole = bytes.subarray(from, next < 0 ? undefined : next)
    const headEnd = whole.indexOf('\r\n\r\n')
    if (headEnd >= 0) {
      const isLast = next < 0
      const end = !isLast && whole.subarray(-2).equals(Buffer.from('\r\n')) ? -2 : undefined
      parts.push({ head: whole.toString('latin1', 0, headEnd), content: whole.subarray(headEnd + 4, end) })
    }
    start = next
  }
  const isNamed = ({ head }: { head: string }) =>
    new RegExp(`^content-disposition:.*;\\s*name="?${name}"?\\s*(?:;|$)`, 'im').test(head)
  return (parts.find(isNamed) ?? (parts.length === 1 ? parts[0] : undefined))?.content
}
