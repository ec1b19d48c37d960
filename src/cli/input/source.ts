import { constants, createReadStream } from 'node:fs'
import { access, open, stat as statOf } from 'node:fs/promises'
import { AppError } from '../../platform/errors.ts'
import type { Io } from '../io.ts'
import type { Interruption } from '../kinds/interruption.ts'
import { unreadable } from './files.ts'

/** The bytes of a file that is imported, and how much of it is read. */
export interface Source {
  pieces: AsyncIterable<Buffer>
  /** The part of the file that is read, from 0 to 1; undefined for standard input. */
  part(): number | undefined
}

const PIECE = 256 * 1024

/** Opens a file, or standard input for `-`. Throws `not_found`, `bad_request` or `forbidden` at once. */
export async function openSource(io: Io, file: string, interruption: Interruption): Promise<Source> {
  if (file === '-') return { pieces: interruption.guard(io.stdin as AsyncIterable<Buffer>), part: () => undefined }
  const size = await sizeOf(file)
  let read = 0
  // Opened again by the first reader: a command may find an error before it reads.
  async function* counted(): AsyncGenerator<Buffer> {
    for await (const piece of createReadStream(file, { highWaterMark: PIECE }) as AsyncIterable<Buffer>) {
      read += piece.length
      yield piece
    }
  }
  return { pieces: interruption.guard(counted()), part: () => (size > 0 ? Math.min(1, read / size) : undefined) }
}

/** The size of a file that can be read; 0 for what has none, such as a pipe. */
async function sizeOf(file: string): Promise<number> {
  try {
    const stat = await statOf(file)
    if (stat.isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' })
    await access(file, constants.R_OK)
    return stat.isFile() ? stat.size : 0
  } catch (error) {
    throw unreadable(error, file)
  }
}

/** As `openSource`, for a reader that hears of interruptions itself and reads a file more than once. */
export async function readPieces(io: Io, file: string): Promise<AsyncIterable<Uint8Array>> {
  if (file === '-') return io.stdin as AsyncIterable<Uint8Array>
  try {
    const handle = await open(file)
    if ((await handle.stat()).isDirectory()) {
      await handle.close()
      throw new AppError('bad_request', `${file} is a directory`)
    }
    return createReadStream(file, { fd: handle, highWaterMark: PIECE }) as AsyncIterable<Uint8Array>
  } catch (error) {
    throw unreadable(error, file)
  }
}
