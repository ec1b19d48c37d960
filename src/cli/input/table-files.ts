import { once } from 'node:events'
import { createWriteStream, type WriteStream } from 'node:fs'
import { extname } from 'node:path'
import { AppError } from '../../platform/errors.ts'
import { unwritable } from '../output/file.ts'
import type { Caller } from '../process/caller.ts'
import type { Io } from '../process/io.ts'

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
export async function writeFile({ caller }: Io, file: string): Promise<FileWriter> {
  if (caller) return writerThere(caller, file)
  const stream = createWriteStream(file, { mode: MODE })
  try {
    await once(stream, 'open')
  } catch (error) {
    throw unwritable(error, file)
  }
  return writerTo(stream, file)
}

const MODE = 0o600

function writerThere(caller: Caller, file: string): FileWriter {
  const opened = openThere(caller, file)
  let position = 0
  return {
    async write(text) {
      const bytes = Buffer.from(text)
      await opened.put(position, bytes)
      position += bytes.length
    },
    end: () => opened.close(),
  }
}

function openThere(caller: Caller, file: string) {
  try {
    return caller.openOutput(file, MODE, 0)
  } catch (error) {
    throw unwritable(error, file)
  }
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
