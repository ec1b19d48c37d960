/**
 * Splits a list into pieces of `size` items; the last may be shorter. For statements and requests with a maximum
 * length.
 */
export function* chunks<T>(all: readonly T[], size: number): Generator<T[]> {
  for (let from = 0; from < all.length; from += size) yield all.slice(from, from + size)
}

/**
 * Collects items in lists of `size`, or of fewer: a list also ends when `read`, which tells how many bytes are read, has grown by
 * `bytes` since it was begun.
 */
export async function* batches<T>(
  items: AsyncIterable<T>,
  { size, bytes, read }: { size: number; bytes: number; read(): number },
): AsyncGenerator<T[]> {
  let batch: T[] = []
  let before = read()
  for await (const item of items) {
    batch.push(item)
    if (batch.length < size && read() - before < bytes) continue
    yield batch
    batch = []
    before = read()
  }
  if (batch.length > 0) yield batch
}

/** Collects all items. Only for iterables that are known to be short. */
export async function collect<T>(items: AsyncIterable<T> | Iterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}
