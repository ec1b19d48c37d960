import { setImmediate } from 'node:timers/promises'

/**
 * Combines look-ups of the same kind: keys requested while a fetch is running are fetched together by the next one.
 * Unlike with a cache, no answer is older than its request. `fetch` gets each key once and leaves out keys that do not
 * exist. If it throws, everyone waiting for it gets the error.
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
        // Keys requested in the same turn of the event loop are fetched together.
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
