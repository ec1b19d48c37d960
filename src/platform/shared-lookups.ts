import { setImmediate } from 'node:timers/promises'

/**
 * Makes many lookups of the same kind into few: those that are asked for while others are being fetched are fetched together,
 * with the next statement. No answer is older than its question, as no cache could say. `fetch` gets each key once and leaves
 * out what there is not; what it throws, everyone who waits for it gets.
 */
export function shareLookups<K, V>(
  fetch: (keys: readonly K[]) => Promise<ReadonlyMap<K, V>>,
): (key: K) => Promise<V | undefined> {
  let next: { keys: Set<K>; answers: Promise<ReadonlyMap<K, V>> } | undefined
  let running: Promise<unknown> = Promise.resolve()

  return async (key) => {
    if (!next) {
      const keys = new Set<K>()
      const begun = running.then(async () => {
        // What was asked at the same time goes together.
        await setImmediate()
        next = undefined
        return fetch([...keys])
      })
      next = { keys, answers: begun }
      running = begun.catch(() => {})
    }
    next.keys.add(key)
    return (await next.answers).get(key)
  }
}
