import { setImmediate } from 'node:timers/promises'
import { isAppError } from '../errors.ts'

export interface TogetherOptions<K, Item, Result> {
  /**
   * Does the work for some items of one key, all or nothing, and returns the result of each. `board` adds the items that wait by
   * now to the run, as far as they fit: their results come after the others, and they fail with them.
   */
  run(key: K, items: readonly Item[], board: () => Item[]): Promise<Result[]>
  /** The number of waiting items, from the first, that fit into a run beside `aboard`. */
  count(waiting: readonly Item[], aboard: readonly Item[]): number
  /**
   * The time (ms) for which a run waits for as many items as came lately, when that was more than one; by default it waits for none. For
   * runs that cost as much for many items as for one: callers that call again when they are answered would otherwise go in two halves.
   */
  gatherMs?: number
}

interface Waiting<Item, Result> {
  item: Item
  resolve(result: Result): void
  reject(error: unknown): void
}

interface Queue<Item, Result> {
  waiting: Waiting<Item, Result>[]
  /** Called when this many items wait. */
  enough?: { wanted: number; resolve(): void }
}

/**
 * Makes items of one key share runs, which are transactions: what arrives while a run of the key is under way goes into
 * the next one, unless the run takes it aboard. A key has one run at a time. When a run fails, its items are tried again
 * in halves, so that only the faulty one gets its error; a run that fails as `unavailable` fails for all.
 */
export function together<K, Item, Result>({ run, count, gatherMs = 0 }: TogetherOptions<K, Item, Result>) {
  const queues = new Map<K, Queue<Item, Result>>()
  const itemsOf = (some: readonly Waiting<Item, Result>[]) => some.map(({ item }) => item)

  /** Resolves when this many items wait, or after `gatherMs`. */
  async function gather(queue: Queue<Item, Result>, wanted: number): Promise<void> {
    if (wanted < 2 || queue.waiting.length >= wanted) return
    const { promise, resolve } = Promise.withResolvers<void>()
    queue.enough = { wanted, resolve }
    const timer = setTimeout(resolve, gatherMs).unref()
    await promise
    clearTimeout(timer)
    delete queue.enough
  }

  async function drain(key: K, queue: Queue<Item, Result>): Promise<void> {
    const { waiting } = queue
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
      if (gatherMs > 0) await gather(queue, count(itemsOf([...waiting, ...aboard]), []))
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
      const present = queues.get(key)
      if (present) {
        present.waiting.push(one)
        if (present.enough && present.waiting.length >= present.enough.wanted) present.enough.resolve()
        return
      }
      const queue = { waiting: [one] }
      queues.set(key, queue)
      void drain(key, queue)
    })
}
