/** A page of a list: what it holds, and where the next one begins. */
interface Part<T> {
  items: readonly T[]
  next: string | number | null
}

/** Pages that are read at most: a choice of more is none. */
const MOST = 20

/** Reads a list to its end, page by page. */
export async function readWhole<T>(read: (after: string | undefined) => Promise<Part<T>>): Promise<T[]> {
  const all: T[] = []
  let after: string | undefined
  for (let page = 0; page < MOST; page++) {
    const { items, next } = await read(after)
    all.push(...items)
    if (next === null) break
    after = String(next)
  }
  return all
}
