import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { AppError } from '../../platform/errors.ts'
import { tryJson } from '../../platform/json/json.ts'

/** Maximum number of reports read from one upload; the last ones are taken. KSCrash keeps five on the device. */
const MAX_REPORTS = 20

/**
 * How many times its own size a packed body may have, and what any may have. Reports shrink to a tenth, and the endless stack of a
 * recursion that is all of a small one to less; two kilobytes that become megabytes are meant to keep us busy.
 */
const MOST_TIMES = 20
const ALWAYS_ALLOWED = 65_536
/** Larger pieces than Node's own, because each is a turn of the event loop. */
const PIECE = 65_536

/**
 * Decodes a body by its `Content-Encoding`. ACRA can be configured to use gzip. Stops as soon as more than `limit` bytes, or
 * `MOST_TIMES` times the size of the body, have come out: `too_large`. Throws `unsupported_media` for another encoding. A body that is
 * not encoded as its header says is returned unchanged. `onUnpacked` hears how many bytes came out besides those that were sent.
 */
export async function unfold(
  bytes: Buffer,
  encoding: string,
  { limit, onUnpacked }: { limit: number; onUnpacked?: (more: number) => void },
): Promise<Buffer> {
  const name = encoding.trim().toLowerCase()
  if (name === '' || name === 'identity') return bytes
  if (name !== 'gzip' && name !== 'x-gzip') {
    throw new AppError(
      'unsupported_media',
      `the encoding ${encoding.slice(0, 100)} is not accepted: send the report unencoded or with gzip`,
    )
  }
  const times = Math.max(ALWAYS_ALLOWED, MOST_TIMES * bytes.length)
  const most = Math.min(limit, times)
  const hear = (unpacked: number) => onUnpacked?.(Math.max(0, unpacked - bytes.length))
  try {
    const unpacked = await promisify(gunzip)(bytes, { maxOutputLength: most, chunkSize: PIECE })
    hear(unpacked.length)
    return unpacked
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_BUFFER_TOO_LARGE') return bytes
    hear(most)
    throw new AppError(
      'too_large',
      most === limit
        ? `the report is larger than ${limit} bytes`
        : `the report is more than ${MOST_TIMES} times as large as its packed form: send it unpacked`,
    )
  }
}

/** Bytes above which a report is looked at before it is parsed. */
const LONG = 16_384
/** Characters that a value has on average, with its name and what separates it, in any report that a library writes. */
const BYTES_A_MARK = 7

/** Parses one report; `{ text }` when it is not JSON. Never throws, because a crashed app may have written anything. */
export function readReport(bytes: Buffer): unknown {
  const parsed = isDense(bytes) ? undefined : tryJson(bytes)
  return parsed === undefined ? { text: bytes.toString('utf8').toWellFormed() } : parsed.value
}

/**
 * Whether a long text consists of little but brackets, commas and colons. No library writes such reports, and each empty object takes
 * longer than a line of a stack: it is kept as it is, and not parsed.
 */
function isDense(bytes: Buffer): boolean {
  if (bytes.length <= LONG) return false
  let marks = 0
  for (const byte of bytes) if (byte === 0x2c || byte === 0x3a || byte === 0x5b || byte === 0x7b) marks++
  return marks * BYTES_A_MARK > bytes.length
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
