import { isZone, zoneOffset } from '../../platform/zones.ts'
import { type ActiveHours, countActivity, oldestPeriod, preferredHour } from './active-hours.ts'
import type { CrmParts } from './parts.ts'

/** A user opened the app on an install, or a message of it, at these times (ms). */
export interface Use {
  installRow: number
  identifier: string
  times: readonly number[]
}

/** At which hours users are active, for sending at the hour that each prefers. */
export function activityService({
  activity,
  clock,
  defaultZone,
}: Pick<CrmParts, 'activity' | 'clock' | 'defaultZone'>) {
  return {
    /**
     * Counts sessions and opens of users, in the zones of the installs. Reads a row of each; writes once an hour of activity at
     * most. A user on an install at most once.
     */
    async noteActivity(appId: number, uses: readonly Use[]): Promise<void> {
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
      // Sorted: those who count the same users must not wait for each other in a circle.
      const changed = [...counted]
        .sort(([a], [b]) => a - b)
        .map(([userId, { hours, before }]) => ({ userId, hours, before, preferredHour: preferredHour(hours) }))
      await activity.store(appId, changed)
      const moved = changed.filter((user) => user.preferredHour !== user.before)
      await activity.placeInstalls(appId, moved, clock.now())
    },

    /** The hour that most users of the app prefer; undefined when none has a history. */
    usualHour: (appId: number) => activity.usualHour(appId),

    /** Forgets users, of all apps, who were not active for some 90 days; returns how many, at most `limit`. */
    forgetActivity: (limit: number) => activity.forget(oldestPeriod(clock.now()), limit, clock.now()),
  }
}
