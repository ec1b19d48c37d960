import { integer, oneOf, shape, text } from '../../platform/values/parse.ts'
import { CRASH_PLATFORMS, type CrashFilter } from './types.ts'

const filters = {
  platform: oneOf(CRASH_PLATFORMS),
  /** The fingerprint of a group. */
  fault: text({ max: 16 }),
  days: integer({ min: 1, max: 3650 }),
}

/** Query of the list of crash reports. `days`: received in the last ones. */
export const crashQuery = shape({
  ...filters,
  after: integer({ min: 1 }),
  limit: integer({ min: 1, max: 200 }).default(50),
})

/** Query of the list of faults. */
export const crashGroupQuery = shape({ ...filters, limit: integer({ min: 1, max: 200 }).default(100) })

const DAY_MS = 86_400_000

/** Which reports a query asks for; `now` in ms. */
export function crashFilterOf(
  {
    platform,
    fault,
    days,
  }: { platform?: CrashFilter['platform']; fault?: string | undefined; days?: number | undefined },
  now: number,
): CrashFilter {
  return { platform, fingerprint: fault, since: days === undefined ? undefined : now - days * DAY_MS }
}
