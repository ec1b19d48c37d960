/** Items chosen among those that were offered one after another. */
export interface Sample<T> {
  offer(item: T): void
  /** The chosen items, in no order that means anything. */
  items(): readonly T[]
}

/**
 * Chooses `size` of any number of items, each with the same chance (reservoir sampling, Algorithm R). Holds no more than `size` of
 * them. The chance is that of a generator with a fixed seed, so the same items give the same sample.
 */
export function createSample<T>(size: number): Sample<T> {
  const items: T[] = []
  const random = mulberry32()
  let seen = 0
  return {
    offer(item) {
      seen++
      if (items.length < size) items.push(item)
      else {
        const place = Math.floor(random() * seen)
        if (place < size) items[place] = item
      }
    },
    items: () => items,
  }
}

/** Numbers from 0 up to, and without, 1. */
function mulberry32(): () => number {
  let state = 1
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
