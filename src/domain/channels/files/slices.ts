import type { FileKeeper } from './keeper.ts'
import type { SlicesRepository } from './slices.repository.ts'

/** Size of all slices of a file but the last. With a million short lines a file has some thirty. */
export const SLICE_BYTES = 512 * 1024

export interface SlicesParts {
  appId: number
  inTransaction<T>(work: (slices: SlicesRepository) => Promise<T>): Promise<T>
  /** The present time (ms). */
  now(): number
}

/** Keeps received files in the database, slice by slice, each in a transaction of its own: no connection is held while bytes arrive. */
export function inDatabase({ appId, inTransaction, now }: SlicesParts): FileKeeper {
  return {
    async begin(file) {
      let slice = 0
      let size = 0
      let chunks: Buffer[] = []

      async function store(bytes: Buffer): Promise<void> {
        await inTransaction((slices) => slices.insert(appId, { file, slice, bytes }, now()))
        slice++
      }

      return {
        async write(chunk) {
          chunks.push(chunk)
          size += chunk.length
          if (size < SLICE_BYTES) return
          let bytes = Buffer.concat(chunks)
          for (; bytes.length >= SLICE_BYTES; bytes = bytes.subarray(SLICE_BYTES)) {
            await store(bytes.subarray(0, SLICE_BYTES))
          }
          // A copy, so that the larger buffer can be freed.
          chunks = [Buffer.from(bytes)]
          size = bytes.length
        },
        async end() {
          if (size > 0) await store(Buffer.concat(chunks))
          chunks = []
          size = 0
        },
        async discard() {
          chunks = []
          size = 0
          if (slice > 0) await inTransaction((slices) => slices.remove(appId, file))
        },
      }
    },
  }
}

/** Bytes of a file that were read and not yet used. */
interface Window {
  from: number
  bytes: Buffer
}

/** Longer than any record, and short enough that a slice is seldom copied. */
const ENOUGH_BYTES = 16 * 1024

/** Reads a file of the database from front to back. Each slice is read once, as long as nobody jumps. */
export function sliceReader(slices: Pick<SlicesRepository, 'read'>, appId: number, file: string) {
  let window: Window = { from: 0, bytes: Buffer.alloc(0) }

  /** Reads the slice that `place` is in. The window then begins there. */
  async function load(place: number): Promise<Buffer | undefined> {
    const found = await slices.read(appId, file, Math.floor(place / SLICE_BYTES))
    return found?.subarray(place % SLICE_BYTES)
  }

  return {
    /** The bytes from this place on, at least one record of them if the file goes on; undefined if there is no such file. */
    async read(from: number): Promise<Buffer | undefined> {
      const isInside = from >= window.from && from < window.from + window.bytes.length
      let bytes = isInside ? window.bytes.subarray(from - window.from) : await load(from)
      if (!bytes) return undefined
      // The last slice is seldom a whole one: nothing is behind it then.
      if (bytes.length < ENOUGH_BYTES && (from + bytes.length) % SLICE_BYTES === 0) {
        const next = await load(from + bytes.length)
        if (next) bytes = Buffer.concat([bytes, next])
      }
      window = { from, bytes }
      return bytes
    },
  }
}
