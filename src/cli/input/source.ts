import { constants, createReadStream } from 'node:fs'
import { access, stat as statOf } from 'node:fs/promises'
import { resolve } from 'node:path'
import { AppError } from '../../platform/errors.ts'
import type { Interruption } from '../process/interruption.ts'
import { type Io, pathOf, standardInput } from '../process/io.ts'
import { unreadable } from './files.ts'

/** The bytes of a file that is imported, and how much of it is read. */
export interface Source {
  pieces: AsyncIterable<Buffer>
  /** The part of the file that is read, from 0 to 1; undefined for standard input. */
  part(): number | undefined
  /** Bytes that are read. */
  read(): number
}

const PIECE = 256 * 1024

/** Opens a file, or standard input for `-`. Throws `not_found`, `bad_request` or `forbidden` at once. */
export async function openSource(io: Io, file: string, interruption: Interruption): Promise<Source> {
  if (file === '-') {
    const { counted, part, read } = createMeter(0)
    return { pieces: interruption.guard(counted(standardInput(io) as AsyncIterable<Buffer>)), part, read }
  }
  const { path, size } = await find(io, file)
  const { counted, part, read } = createMeter(size)
  // Opened again by the first reader: a command may find an error before it reads.
  const opened = lazily(() => createReadStream(path, { highWaterMark: PIECE }) as AsyncIterable<Buffer>)
  return { pieces: interruption.guard(counted(opened)), part, read }
}

async function* lazily<T>(open: () => AsyncIterable<T>): AsyncGenerator<T> {
  yield* open()
}

/** Says how much of some files was read. */
export interface Meter {
  counted<B extends Uint8Array>(pieces: AsyncIterable<B>): AsyncGenerator<B>
  /** The part that is read, from 0 to 1; undefined when the size is not known beforehand, as of a pipe. */
  part(): number | undefined
  read(): number
}

/** A meter for files that are read once through it. Throws as `openSource` does. */
export async function meterOf(io: Io, files: readonly string[]): Promise<Meter> {
  const sizes = await Promise.all(files.map(async (file) => (await find(io, file)).size))
  return createMeter(sizes.includes(0) ? 0 : sizes.reduce((sum, size) => sum + size, 0))
}

function createMeter(size: number): Meter {
  let read = 0
  return {
    async *counted(pieces) {
      for await (const piece of pieces) {
        read += piece.length
        yield piece
      }
    },
    part: () => (size > 0 ? Math.min(1, read / size) : undefined),
    read: () => read,
  }
}

/** The path of a file that can be read, and its size; 0 where there is none, as of a pipe. */
async function find(io: Io, file: string): Promise<{ path: string; size: number }> {
  try {
    const path = pathOf(io, file)
    const stat = await statOf(path)
    if (stat.isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' })
    await access(path, constants.R_OK)
    return { path, size: stat.isFile() ? stat.size : 0 }
  } catch (error) {
    throw unreadable(error, file)
  }
}

/** Throws `usage` when the file that `flag` names for writing is one of those that are read, whatever its name there. */
export async function refuseAsOutput(
  { caller }: Io,
  flag: string,
  output: string,
  inputs: readonly string[],
): Promise<void> {
  // The caller's machine compares its own files (remote/caller-files.ts).
  const written = caller ? undefined : await identityOf(output)
  for (const input of inputs) {
    const isSame =
      resolve(input) === resolve(output) || (written !== undefined && (await identityOf(input)) === written)
    if (isSame) throw new AppError('usage', `${flag} names the file that is read: name another one`)
  }
}

/** Recognizes a file by whatever name: by a link, too. Undefined when there is none, and for pipes and devices. */
export async function identityOf(file: string): Promise<string | undefined> {
  const stat = await statOf(file, { bigint: true }).catch(() => undefined)
  return stat?.isFile() ? `${stat.dev} ${stat.ino}` : undefined
}

/** `openSource` for a reader that hears of interruptions itself and reads a file more than once. */
export async function readPieces(io: Io, file: string): Promise<AsyncIterable<Uint8Array>> {
  if (file === '-') return standardInput(io) as AsyncIterable<Uint8Array>
  const { path } = await find(io, file)
  return lazily(() => createReadStream(path, { highWaterMark: PIECE }) as AsyncIterable<Uint8Array>)
}
