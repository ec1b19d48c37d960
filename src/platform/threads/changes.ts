/** What threads keep in caches and other threads change, and the log of events, each with its slot in the cell. */
const SLOTS = { linkSettings: 0, signing: 1, keys: 2, events: 3, links: 4 } as const
type Changing = keyof typeof SLOTS

/**
 * Counts changes of what threads keep in caches, for all threads of the process at once. A cache remembers the count at
 * which it was filled, and is empty when the count is another one.
 */
export interface Changes {
  /** Call it after the commit of a change. */
  tell(what: Changing): void
  /** How many changes there were. Costs a few nanoseconds. */
  count(what: Changing): number
  /**
   * Resolves when the count is no longer `seen`, or after `ms`. It hears only threads that share the cell. It does not
   * keep the process alive.
   */
  next(what: Changing, seen: number, ms: number): Promise<void>
}

/** `cell` (from `newChangesCell`) is shared by all threads of the process. */
export function createChanges(cell = newChangesCell()): Changes {
  const counts = new Int32Array(cell)
  return {
    tell(what) {
      Atomics.add(counts, SLOTS[what], 1)
      Atomics.notify(counts, SLOTS[what])
    },
    count: (what) => Atomics.load(counts, SLOTS[what]),
    async next(what, seen, ms) {
      await Atomics.waitAsync(counts, SLOTS[what], seen, ms).value
    },
  }
}

/** What `createChanges` shares between threads; pass it along in `workerData`. */
export function newChangesCell(): SharedArrayBuffer {
  return new SharedArrayBuffer(Object.keys(SLOTS).length * Int32Array.BYTES_PER_ELEMENT)
}
