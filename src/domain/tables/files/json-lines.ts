import { AppError, type FieldErrors, isAppError } from '../../../platform/errors.ts'
import { isPlainObject, parseJsonBytes } from '../../../platform/json/json.ts'
import { markLength } from '../../../platform/text/csv.ts'
import { CR_ALONE, hasLoneCr, isUtf16, refusedUtf16 } from '../../../platform/text/text-files.ts'

/** A line of a file of records: its fields, or why they cannot be read. */
export type FileLine =
  | { line: number; fields: Record<string, unknown>; fault?: undefined }
  | { line: number; fault: FieldErrors }

/** Maximum length of a line in bytes. Records sent over HTTP are smaller. */
const MAX_LINE_LENGTH = 16 * 1024 * 1024

const LF = 0x0a

/**
 * JSON lines -> records, one object per line; empty lines are skipped. Throws `too_large` for a line that is too long.
 */
export async function* readJsonLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<FileLine> {
  let line = 1
  for await (const bytes of linesOf(chunks)) {
    if (line === 1 && isUtf16(bytes)) throw refusedUtf16()
    const text = line === 1 ? bytes.subarray(markLength(bytes)) : bytes
    if (text.some((byte) => byte > 0x20)) yield readLine(text, line)
    line++
  }
}

function readLine(bytes: Buffer, line: number): FileLine {
  try {
    const fields = parseJsonBytes(bytes)
    return isPlainObject(fields) ? { line, fields } : { line, fault: { '': ['must be an object: one per line'] } }
  } catch (error) {
    if (!isAppError(error)) throw error
    if (hasLoneCr(bytes)) return { line, fault: { '': [CR_ALONE] } }
    return { line, fault: error.details.fields ?? { '': [error.message] } }
  }
}

async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let parts: Buffer[] = []
  let size = 0
  for await (const chunk of chunks) {
    let rest = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    for (let end = rest.indexOf(LF); end >= 0; end = rest.indexOf(LF)) {
      yield Buffer.concat([...parts, rest.subarray(0, end)])
      parts = []
      size = 0
      rest = rest.subarray(end + 1)
    }
    size += rest.length
    if (size > MAX_LINE_LENGTH) throw new AppError('too_large', `a line has more than ${MAX_LINE_LENGTH} bytes`)
    if (rest.length > 0) parts.push(rest)
  }
  if (size > 0) yield Buffer.concat(parts)
}
