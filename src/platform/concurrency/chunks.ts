/**
 * Splits a list into pieces of `size` items; the last may be shorter. For statements and requests with a maximum
 * length.
 */
export function* chunks<T>(all: readonly T[], size: number): Generator<T[]> {
  for (let from = 0; from < all.length; from += size) yield all.slice(from, from + size)
}

/** Collects all items. Only for iterables that are known to be short. */
export async function collect<T>(items: AsyncIterable<T> | Iterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}
