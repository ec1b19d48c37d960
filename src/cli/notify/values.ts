import { fstatSync } from 'node:fs'
import { open } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { AppError, type FieldErrors, invalid, isAppError, messageOf } from '../../platform/errors.ts'
import { type ReadJson, readJsonBytes, unkeptErrors } from '../../platform/json/json.ts'
import { byItem } from '../../platform/json/numbers.ts'
import { CR_ALONE, hasLoneCr } from '../../platform/text/text-files.ts'
import { unreadable } from '../input/files.ts'
import { Wanted } from '../process/caller.ts'
import { type Io, pathOf, standardInput } from '../process/io.ts'

/**
 * One value of the input, or the errors found in its place. `bytes` is its size, for progress and limits; `line` is the
 * line where it begins, counted from 1 with the blank ones, and `item` its place in a list.
 */
export type Parsed = ({ value: unknown } | { errors: FieldErrors }) & { bytes: number; line: number; item?: number }

export interface Values extends AsyncIterable<Parsed> {
  /** Size of the input if it is a file, without the lines that are skipped. */
  readonly size: number | undefined
  close(): Promise<void>
}

export interface ReadOptions {
  /** Maximum size of a value. */
  limit: number
  /** The first line that is read (default 1); those before it are skipped, whatever they are. */
  fromLine?: number
}

/**
 * Opens a file or standard input (`-`) as JSON values. Throws `not_found` or `bad_request` if the file cannot be read.
 */
export async function openValues(io: Io, file: string, options: ReadOptions): Promise<Values> {
  if (file === '-') {
    const { size, stream } = await openStandardInput(io)
    return valuesOf(stream, size, options, async () => {})
  }
  try {
    const handle = await open(pathOf(io, file))
    const stat = await handle.stat()
    if (stat.isDirectory()) {
      await handle.close()
      throw Object.assign(new Error(), { code: 'EISDIR' })
    }
    const stream = handle.createReadStream({ highWaterMark: 256 * 1024 })
    return valuesOf(stream, stat.isFile() ? stat.size : undefined, options, async () => {
      stream.destroy()
      // The stream has already closed it if it was read to its end.
      await handle.close().catch(() => {})
    })
  } catch (error) {
    const why = unreadable(error, file)
    throw why instanceof AppError || why instanceof Wanted
      ? why
      : new AppError('bad_request', `${file} cannot be read: ${messageOf(error)}`)
  }
}

function valuesOf(
  stream: Readable,
  size: number | undefined,
  options: ReadOptions,
  close: () => Promise<void>,
): Values {
  let skipped = 0
  const onSkip = (bytes: number) => {
    skipped += bytes
  }
  return {
    get size() {
      return size === undefined ? undefined : size - skipped
    },
    close,
    [Symbol.asyncIterator]: () => readValues(stream, { ...options, onSkip }),
  }
}

/** Standard input, with its size if the shell redirects it from a file. */
async function openStandardInput(io: Io): Promise<{ stream: Readable; size: number | undefined }> {
  const stream = standardInput(io)
  const { fd } = stream as { fd?: unknown }
  if (typeof fd !== 'number') return { stream, size: undefined }
  const stat = fstatSync(fd)
  return { stream, size: stat.isFile() ? stat.size : undefined }
}

/**
 * The values of a stream: JSON lines, or one value that may span lines. The first line decides: if it is not JSON by
 * itself, the whole input (up to `limit` bytes) is parsed as one value, and only if that fails as lines. The items of
 * an array are returned one by one. A line that is not JSON, or is longer than `limit`, yields an error with its line
 * number; reading continues with the next line.
 */
export async function* readValues(
  input: Readable | AsyncIterable<Buffer | string>,
  { limit, fromLine = 1, onSkip = () => {} }: ReadOptions & { onSkip?: (bytes: number) => void },
): AsyncGenerator<Parsed> {
  const lines = readLines(input, limit)
  /** The lines read so far while they may still be one value; undefined once the input is known to be JSON lines. */
  let held: Line[] | undefined = []
  let heldBytes = 0
  for await (const line of lines) {
    if (line.number < fromLine) {
      onSkip(line.size + NEWLINE.length)
      continue
    }
    if (line.bytes !== undefined && isBlank(line.bytes)) {
      if (held && held.length > 0) held.push(line)
      continue
    }
    if (held === undefined) {
      yield* judge(line, limit)
      continue
    }
    held.push(line)
    heldBytes += line.size
    const first = held.length === 1
    const settled = line.bytes === undefined || heldBytes > limit || (first && !isOpenEnded(line.bytes))
    if (!settled) continue
    for (const one of held) yield* judge(one, limit)
    held = undefined
  }
  if (!held || held.length === 0) return
  const whole = tryParse(Buffer.concat(held.flatMap(({ bytes }) => [bytes!, NEWLINE])))
  if (whole) yield* spread(whole, heldBytes, held[0]!.number)
  else for (const one of held) if (!isBlank(one.bytes!)) yield* judge(one, limit)
}

interface Line {
  number: number
  /** Bytes of the line; undefined if it is longer than the limit. */
  bytes: Buffer | undefined
  size: number
  /** True for a line that is longer and has a CR inside. */
  hasCr: boolean
}

const NEWLINE = Buffer.from('\n')

/** True if a line is not a JSON value but may be the beginning of one. */
function isOpenEnded(bytes: Buffer): boolean {
  const first = bytes.toString('utf8').trimStart()[0]
  return (first === '{' || first === '[') && tryParse(bytes) === undefined
}

function tryParse(bytes: Buffer): ReadJson | undefined {
  try {
    return readJsonBytes(withoutMark(bytes))
  } catch {
    return undefined
  }
}

function* judge({ number, bytes, size, hasCr }: Line, limit: number): Generator<Parsed> {
  if (bytes === undefined) {
    const problem = hasCr ? CR_ALONE : `is longer than ${limit} bytes (limits.notificationBody)`
    yield {
      errors: { '': [`line ${number} ${problem}`] },
      bytes: size,
      line: number,
    }
    return
  }
  if (isBlank(bytes)) return
  try {
    yield* spread(readJsonBytes(withoutMark(bytes)), size, number)
  } catch (error) {
    const why = isAppError(error) ? (error.details.fields ?? invalid({}).details.fields)?.[''] : undefined
    const problem = hasLoneCr(bytes) ? CR_ALONE : (why?.[0] ?? 'is not JSON')
    yield { errors: { '': [`line ${number} ${problem}`] }, bytes: size, line: number }
  }
}

function* spread({ value, unkept }: ReadJson, bytes: number, line: number): Generator<Parsed> {
  const judged = (one: unknown, numbers: ReadJson['unkept'] = []) =>
    numbers.length > 0 ? { errors: unkeptErrors(numbers) } : { value: one }
  if (!Array.isArray(value)) return yield { ...judged(value, unkept), bytes, line }
  const numbers = byItem(unkept)
  for (const [i, item] of value.entries()) {
    yield { ...judged(item, numbers.get(i)), bytes: i === 0 ? bytes : 0, line, item: i + 1 }
  }
}

/** Lines without their line breaks. The bytes of a line longer than `limit` are dropped. */
async function* readLines(input: AsyncIterable<Buffer | string>, limit: number): AsyncGenerator<Line> {
  let parts: Buffer[] = []
  let size = 0
  let number = 0
  let hasCr = false
  const finish = (): Line => {
    number++
    const line = { number, bytes: size > limit ? undefined : Buffer.concat(parts), size, hasCr }
    hasCr = false
    parts = []
    size = 0
    return line
  }
  const add = (part: Buffer) => {
    size += part.length
    hasCr ||= hasLoneCr(part)
    if (size <= limit) parts.push(part)
    else parts = []
  }
  for await (const chunk of input) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
    let from = 0
    for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, from)) {
      add(bytes.subarray(from, at))
      yield finish()
      from = at + 1
    }
    if (from < bytes.length) add(bytes.subarray(from))
  }
  if (size > 0) yield finish()
}

function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d)
}

/** Removes the byte order mark that Windows editors write. */
function withoutMark(bytes: Buffer): Buffer {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes
}
