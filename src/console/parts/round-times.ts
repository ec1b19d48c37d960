const MINUTE_MS = 60_000
/** Steps in minutes between times that people count in. */
const STEPS = [1, 5, 10, 15, 30, 60, 120, 180, 240, 360, 720, 1440, 2880, 10_080]

/** Tells of instants in equal steps which are round times of the viewer, with at least `every` of them from one to the next. */
export function roundTimes(instants: readonly number[], every: number): (i: number) => boolean {
  const least = ((instants[1] ?? 0) - (instants[0] ?? 0)) * every
  const step = MINUTE_MS * (STEPS.find((minutes) => minutes * MINUTE_MS >= least) ?? STEPS.at(-1)!)
  const turnOf = (at: number) => Math.floor((at - new Date(at).getTimezoneOffset() * MINUTE_MS) / step)
  return (i) => {
    const at = instants[i]!
    return turnOf(at) !== turnOf(instants[i - 1] ?? at - 1)
  }
}
