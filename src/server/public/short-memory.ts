/** A small cache with a lifetime. */
export interface ShortMemory<K, V> {
  get(key: K, now: number): V | undefined
  set(key: K, value: V, now: number): void
  clear(): void
}

/**
 * A value expires `lifeMs` after it was set, so changes by other processes show after at most that time. `capacity`
 * is shared by two generations: when the young one is full it becomes the old one, and the previous old one is
 * dropped as a whole. Deleting entries singly from the front of a Map would step over all that were deleted before.
 * `now` is in ms, of a monotonic clock.
 */
export function shortMemory<K, V>({ lifeMs, capacity }: { lifeMs: number; capacity: number }): ShortMemory<K, V> {
  type Entries = Map<K, { value: V; until: number }>
  let young: Entries = new Map()
  let old: Entries = new Map()
  return {
    get(key, now) {
      const entry = young.get(key) ?? old.get(key)
      return entry !== undefined && entry.until > now ? entry.value : undefined
    },
    set(key, value, now) {
      if (young.size >= capacity / 2 && !young.has(key)) {
        old = young
        young = new Map()
      }
      young.set(key, { value, until: now + lifeMs })
    },
    clear() {
      young = new Map()
      old = new Map()
    },
  }
}
