/** A text may be repeated after this time: while a database is down for an hour, the log must not fill the disk. */
const AGAIN_MS = 60_000
/** How many different texts are remembered. */
const MOST = 100

/** The function returns true when the text was not logged within the last minute. `now`: monotonic clock, ms. */
export function createSparing(): (text: string, now: number) => boolean {
  const told = new Map<string, number>()
  return (text, now) => {
    const at = told.get(text)
    if (at !== undefined && now - at < AGAIN_MS) return false
    if (told.size >= MOST) told.clear()
    told.set(text, now)
    return true
  }
}
