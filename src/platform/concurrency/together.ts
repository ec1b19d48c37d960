import { setImmediate } from 'node:timers/promises'
import { isAppError } from '../errors.ts'

export interface TogetherOptions<K, Item, Result> {
  /**
   * Does the work for some items of one key, all or nothing, and returns the result of each. `board` takes what waits by
   * now into the run, as far as it fits: its results come after the others, and its items fail with them.
   */
  run(key: K, items: readonly Item[], board: () => Item[]): Promise<Result[]>
  /** How many of the waiting items, from the first, fit into a run beside those that it has. */
  count(waiting: readonly Item[], aboard: readonly Item[]): number
}

interface Waiting<Item, Result> {
  item: Item
  resolve(result: Result): void
  reject(error: unknown): void
}

/**
 * Makes items of one key share runs, which are transactions: what arrives while a run of the key is under way goes into
 * the next one, unless the run takes it aboard. A key has one run at a time. When a run fails, its items are tried again
 * in halves, so that only the faulty one gets its error; a run that fails as `unavailable` fails for all.
 */
export function together<K, Item, Result>({ run, count }: TogetherOptions<K, Item, Result>) {
  const queues = new Map<K, Waiting<Item, Result>[]>()
  const itemsOf = (some: readonly Waiting<Item, Result>[]) => some.map(({ item }) => item)

  async function drain(key: K, waiting: Waiting<Item, Result>[]): Promise<void> {
    // What arrived in the same turn of the event loop goes together.
    await setImmediate()
    while (waiting.length > 0) {
      const fitting = Math.max(1, count(itemsOf(waiting), []))
      const aboard = waiting.splice(0, fitting)
      await settle(key, aboard, () => {
        if (waiting.length === 0) return []
        const more = waiting.splice(0, count(itemsOf(waiting), itemsOf(aboard)))
        aboard.push(...more)
        return itemsOf(more)
      })
    }
    queues.delete(key)
  }

  /** Settles every item, also those that come aboard; never rejects. */
  async function settle(
    key: K,
    aboard: readonly Waiting<Item, Result>[],
    board: () => Item[] = () => [],
  ): Promise<void> {
    try {
      const results = await run(key, itemsOf(aboard), board)
      for (const [i, { resolve }] of aboard.entries()) resolve(results[i]!)
    } catch (error) {
      const isShared = isAppError(error) && error.code === 'unavailable'
      if (aboard.length === 1 || isShared) for (const { reject } of aboard) reject(error)
      else {
        // Halving finds the faulty one in few runs and lets the others succeed.
        const half = Math.ceil(aboard.length / 2)
        for (const part of [aboard.slice(0, half), aboard.slice(half)]) await settle(key, part)
      }
    }
  }

  return (key: K, item: Item): Promise<Result> =>
    new Promise((resolve, reject) => {
      const one = { item, resolve, reject }
      const waiting = queues.get(key)
      if (waiting) {
        waiting.push(one)
        return
      }
      const queue = [one]
      queues.set(key, queue)
      void drain(key, queue)
    })
}
