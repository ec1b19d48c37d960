/** A list of which the latest entries are read first. `key` is the place of an entry: it falls from entry to entry. */
export interface Source<T> {
  name: string
  /** Entries before `key`, the latest first, and the place that was reached; `reached` is null at the end of the list. */
  read(
    key: number | undefined,
  ): Promise<{ entries: readonly (T & { key: number; at: number })[]; reached: number | null }>
}

/** The place at which each list was left, by its name: a key, or null at its end. */
export type Places = Record<string, number | null>

/**
 * The next entries of several lists in one, the latest first: at most `limit`, and fewer when `goOn` says that it is
 * enough. The returned places are those at which to go on; undefined when nothing is left.
 */
export async function mergeLatest<T>(
  sources: readonly Source<T>[],
  from: Places,
  { limit, goOn }: { limit: number; goOn(): Promise<boolean> },
): Promise<{ entries: T[]; places: Places | undefined }> {
  const lists = sources.map((source) => ({
    source,
    waiting: [] as (T & { key: number; at: number })[],
    /** The place from which the waiting entries were read, and the place that was reached. */
    place: from[source.name],
    reached: from[source.name],
  }))
  const taken: T[] = []
  while (taken.length < limit) {
    const empty = lists.find(({ waiting, reached }) => waiting.length === 0 && reached !== null)
    if (empty) {
      if (!(await goOn())) break
      const { entries, reached } = await empty.source.read(empty.reached ?? undefined)
      empty.waiting.push(...entries)
      empty.place = empty.reached
      empty.reached = reached
      continue
    }
    const next = lists
      .filter(({ waiting }) => waiting.length > 0)
      .sort((a, b) => b.waiting[0]!.at - a.waiting[0]!.at)[0]
    if (!next) break
    const { key, ...entry } = next.waiting.shift()!
    taken.push(entry as T)
    next.place = key
  }
  // What was read and does not fit any more is read again; what was only looked at is not.
  const places = Object.fromEntries(
    lists.map(({ source, waiting, place, reached }) => [source.name, waiting.length > 0 ? place : reached] as const),
  )
  const isOver = lists.every(({ waiting, reached }) => waiting.length === 0 && reached === null)
  return {
    entries: taken,
    places: isOver
      ? undefined
      : (Object.fromEntries(Object.entries(places).filter(([, at]) => at !== undefined)) as Places),
  }
}
