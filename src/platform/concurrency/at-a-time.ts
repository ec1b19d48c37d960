/** Runs `work` for every item, at most `most` at a time. The results have the order of the items. */
export async function atATime<T, R>(items: readonly T[], most: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  let next = 0
  const run = async () => {
    while (next < items.length) {
      const at = next++
      results[at] = await work(items[at]!)
    }
  }
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, run))
  return results
}
