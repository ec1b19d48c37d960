import { once } from 'node:events'
import { createWriteStream, type WriteStream } from 'node:fs'
import { extname } from 'node:path'
import { AppError } from '../../platform/errors.ts'
import { unwritable } from '../output/file.ts'

/** Files of records: their format, and writing them piece by piece. */

export const FORMATS = ['csv', 'jsonl'] as const
export type Format = (typeof FORMATS)[number]

/** The format that a flag or the end of a file's name says. Throws `usage` when neither does. */
export function formatOf(file: string, flag: string | undefined, fallback?: Format): Format {
  const found = FORMATS.find((format) => format === flag)
  if (found) return found
  const end = extname(file).toLowerCase()
  if (end === '.csv') return 'csv'
  if (end === '.jsonl' || end === '.ndjson' || end === '.json') return 'jsonl'
  if (fallback) return fallback
  throw new AppError('usage', `what is in ${file}? Say --format csv or --format jsonl`)
}

/** A file that is written piece by piece, readable for its owner only: what is in it belongs to users. */
export interface FileWriter {
  write(text: string): Promise<void>
  end(): Promise<void>
}

/** Throws as `unwritable` says when the file cannot be made. */
export async function writeFile(file: string): Promise<FileWriter> {
  const stream = createWriteStream(file, { mode: 0o600 })
  try {
    await once(stream, 'open')
  } catch (error) {
    throw unwritable(error, file)
  }
  return writerTo(stream, file)
}

function writerTo(stream: WriteStream, file: string): FileWriter {
  let failure: unknown
  stream.on('error', (error) => (failure = error))
  const check = () => {
    if (failure !== undefined) throw unwritable(failure, file)
  }
  return {
    async write(text) {
      check()
      await new Promise<void>((resolve) => {
        stream.write(text, (error) => {
          failure ??= error ?? undefined
          resolve()
        })
      })
      check()
    },
    async end() {
      stream.end()
      if (!stream.closed) await once(stream, 'close').catch(() => {})
      check()
    },
  }
}
