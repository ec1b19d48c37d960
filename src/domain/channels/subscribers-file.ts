import { createHash } from 'node:crypto'
import { newUuid } from '../../platform/crypto/ids.ts'
import { AppError, invalid } from '../../platform/errors.ts'
import { markLength } from '../../platform/text/csv.ts'
import { isUtf16 } from '../../platform/text/text-files.ts'
import type { FileKeeper, KeptFile } from './files/keeper.ts'
import { IS_UTF16, LineError, readColumn } from './one-column.ts'

/** Maximum size of a file in bytes. */
const MAX_FILE_BYTES = 50 * 1024 * 1024
/** Maximum number of identifiers in a file. */
const MAX_LINES = 1_000_000

/** The form field under which errors about the file are reported. */
const FILE_FIELD = 'file'

/** A file of subscribers that has been checked and stored. */
export interface SubscribersFile {
  /** The id of the file and of its import. */
  id: string
  size: number
  total: number
  /** SHA-256 of its bytes, in hex. */
  digest: string
}

/** The error of a refused file; `reason` names the line. */
function refused(reason: string): AppError {
  return invalid({ [FILE_FIELD]: [reason] })
}

/**
 * Receives a file piece by piece, checks each piece (one column, UTF-8, non-empty values of at most 255 code points, 50
 * MiB, a million lines) and gives it to `keeper`. Every function throws `invalid` with the key `file`, naming the line, if the
 * file is wrong, and the errors of `makeRoom`; then call `discard`.
 */
export function receiveSubscribersFile(keeper: FileKeeper, makeRoom: (bytes: number) => void) {
  const id = newUuid()
  const hash = createHash('sha256')
  let kept: KeptFile | undefined
  let size = 0
  let total = 0
  let line = 1
  let blank: number | undefined
  let rest: Buffer = Buffer.alloc(0)
  let isStart = true

  function check(chunk: Buffer, last: boolean): void {
    rest = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
    if (isStart && rest.length < 3 && !last) return
    if (isStart) {
      isStart = false
      if (isUtf16(rest)) throw new LineError(1, IS_UTF16)
      rest = rest.subarray(markLength(rest))
    }
    const column = readColumn(rest, { line, last, blank })
    total += column.values.length
    if (total > MAX_LINES) {
      const over = column.lines[column.values.length - (total - MAX_LINES)]!
      throw new LineError(over, `is one too many: a file may have at most ${MAX_LINES} identifiers; split it`)
    }
    line = column.line
    blank = column.blank
    // A copy, so that the much larger buffer can be freed.
    rest = Buffer.from(rest.subarray(column.consumed))
  }

  function checkLines(chunk: Buffer, last: boolean): void {
    try {
      check(chunk, last)
    } catch (error) {
      if (!(error instanceof LineError)) throw error
      throw refused(`line ${error.line} ${error.message}`)
    }
  }

  return {
    /** Creates the file. Name and media type are those of the caller. */
    async begin(name: string, type: string): Promise<void> {
      const reasons = [
        ...(/.\.csv$/i.test(name) ? [] : ['must have a name that ends with .csv']),
        ...(isCsvType(type) ? [] : ['must have the media type text/csv']),
      ]
      if (reasons.length > 0) throw invalid({ [FILE_FIELD]: reasons })
      makeRoom(0)
      kept = await keeper.begin(id)
    },

    async write(chunk: Buffer): Promise<void> {
      size += chunk.length
      if (size > MAX_FILE_BYTES) throw refused(`is larger than ${MAX_FILE_BYTES} bytes: split it`)
      checkLines(chunk, false)
      hash.update(chunk)
      makeRoom(chunk.length)
      await kept!.write(chunk)
    },

    /** Completes the file. It is stored when this resolves. */
    async end(): Promise<SubscribersFile> {
      checkLines(Buffer.alloc(0), true)
      if (total === 0) throw refused('is empty')
      await kept!.end()
      return { id, size, total, digest: hash.digest('hex') }
    },

    /** Deletes the file. May be called at any time. */
    async discard(): Promise<void> {
      await kept?.discard()
    },
  }
}

/**
 * Media types of CSV files: besides its own, Windows with Excel sends `application/vnd.ms-excel`, and curl sends
 * `application/octet-stream`, which a part without a type has too.
 */
const CSV_TYPES = new Set(['text/csv', 'application/csv', 'application/vnd.ms-excel', 'application/octet-stream'])

function isCsvType(type: string): boolean {
  return CSV_TYPES.has(type.split(';', 1)[0]!.trim().toLowerCase())
}
