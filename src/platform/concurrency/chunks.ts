/**
 * Splits a list into pieces of `size` items; the last may be shorter. For statements and requests with a maximum
 * length.
 */
export function* chunks<T>(all: readonly T[], size: number): Generator<T[]> {
  for (let from = 0; from < all.length; from += size) yield all.slice(from, from + size)
}

/**
 * Bytes of a file with which a batch of its rows ends, however few they are: a row may have megabytes, and a packed file of a gigabyte of
 * them a thousandth of that.
 */
export const BATCH_BYTES = 8 * 1024 * 1024

/** Collects items in lists of `size`, or of fewer: a list also ends when its items have so many bytes. */
export async function* batches<T>(
  items: AsyncIterable<T>,
  { size, bytes = BATCH_BYTES, bytesOf }: { size: number; bytes?: number; bytesOf(item: T): number },
): AsyncGenerator<T[]> {
  let batch: T[] = []
  let held = 0
  for await (const item of items) {
    batch.push(item)
    held += bytesOf(item)
    if (batch.length < size && held < bytes) continue
    yield batch
    batch = []
    held = 0
  }
  if (batch.length > 0) yield batch
}

/** The `bytesOf` of items whose bytes only a count of what is read tells. */
export function growthOf(read: () => number): () => number {
  let before = read()
  return () => {
    const grown = read() - before
    before += grown
    return grown
  }
}

/** Collects all items. Only for iterables that are known to be short. */
export async function collect<T>(items: AsyncIterable<T> | Iterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}
