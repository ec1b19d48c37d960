/** Values that were just looked up, for a short while and not too many of them. */
export interface ShortMemory<K, V> {
  get(key: K, now: number): V | undefined
  set(key: K, value: V, now: number): void
  clear(): void
}

/**
 * Each value lives `lifeMs` from when it was set, so what others change shows after so long. `most` is halved between the young and
 * the old: when the young are too many they become the old, and the old are forgotten all at once. Forgetting them one by one
 * from the front of a Map would walk over all that were deleted before. `now` is of a clock that never jumps.
 */
export function shortMemory<K, V>({ lifeMs, most }: { lifeMs: number; most: number }): ShortMemory<K, V> {
  type Entries = Map<K, { value: V; until: number }>
  let young: Entries = new Map()
  let old: Entries = new Map()
  return {
    get(key, now) {
      const entry = young.get(key) ?? old.get(key)
      return entry !== undefined && entry.until > now ? entry.value : undefined
    },
    set(key, value, now) {
      if (young.size >= most / 2 && !young.has(key)) {
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
