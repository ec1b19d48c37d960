/** The same is told again after so long: a database that is away for an hour must not fill the log, and the disk with it. */
const AGAIN_MS = 60_000
/** So many different texts are remembered. */
const MOST = 100

/** True when a text was not told within the last minute. `now`: milliseconds that never jump. */
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
