import { isZone, zoneOffset } from '../../platform/time/zones.ts'
import { type ActiveHours, countActivity, hourOf, oldestPeriod, preferredHour } from './store/active-hours.ts'
import type { CrmParts } from './store/parts.ts'

/** The times (ms) when a user opened the app, or one of its messages, on an install. */
export interface Use {
  installRow: number
  identifier: string
  times: readonly number[]
  /** The hour counted last for the user, where the caller has read it already: a user may then need no look. */
  lastHour?: number | null | undefined
}

/**
 * Leaves out the users who were active only in the hour that was counted for them last. A user stays with all uses,
 * because each is counted after the one before.
 */
function uncounted(uses: readonly Use[]): readonly Use[] {
  const open = new Set<string>()
  for (const { identifier, times, lastHour } of uses) {
    if (times.some((at) => hourOf(at) !== lastHour)) open.add(identifier)
  }
  return uses.filter(({ identifier }) => open.has(identifier))
}

/** The hours at which users are active, for sends at the hour that each user prefers. */
export function activityService({
  activity,
  clock,
  defaultZone,
}: Pick<CrmParts, 'activity' | 'clock' | 'defaultZone'>) {
  return {
    /**
     * Counts sessions and opens by hour in the time zone of the install. Reads one row for each user, and writes it at
     * most once per hour of activity; neither for those whose `lastHour` says that it was counted. Each pair of user and
     * install is given once.
     */
    async noteActivity(appId: number, all: readonly Use[]): Promise<void> {
      const uses = uncounted(all)
      if (uses.length === 0) return
      const known = await activity.find(appId, uses)
      const keyOf = (installRow: number, identifier: string) => `${installRow} ${identifier}`
      const byKey = new Map(known.map((one) => [keyOf(one.installRow, one.identifier), one]))
      const counted = new Map<number, { hours: ActiveHours; before: number }>()
      for (const { installRow, identifier, times } of uses) {
        const user = byKey.get(keyOf(installRow, identifier))
        if (!user) continue
        const zone = user.timezone !== null && isZone(user.timezone) ? user.timezone : defaultZone
        for (const at of times) {
          const hours = countActivity(counted.get(user.userId)?.hours ?? user.hours, at, zoneOffset(zone, at))
          if (hours) counted.set(user.userId, { hours, before: user.preferredHour })
        }
      }
      // Sorted, so that transactions that count the same users cannot deadlock.
      const changed = [...counted]
        .sort(([a], [b]) => a - b)
        .map(([userId, { hours, before }]) => ({ userId, hours, before, preferredHour: preferredHour(hours) }))
      await activity.store(appId, changed)
      const moved = changed.filter((user) => user.preferredHour !== user.before)
      await activity.placeInstalls(appId, moved, clock.now())
    },

    /** The hour that most users of the app prefer; undefined when none has a history. */
    usualHour: (appId: number) => activity.usualHour(appId),

    /**
     * Deletes the activity of at most `limit` users of all apps who were inactive for about 90 days. Returns how many.
     */
    forgetActivity: (limit: number) => activity.forget(oldestPeriod(clock.now()), limit, clock.now()),
  }
}
