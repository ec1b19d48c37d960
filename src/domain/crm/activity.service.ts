import { isZone, zoneOffset } from '../../platform/zones.ts'
import { countActivity, oldestPeriod, preferredHour } from './active-hours.ts'
import type { CrmParts } from './parts.ts'
import type { InstallRef } from './types.ts'

/** At which hours users are active, for sending at the hour that each prefers. */
export function activityService({
  activity,
  clock,
  defaultZone,
}: Pick<CrmParts, 'activity' | 'clock' | 'defaultZone'>) {
  return {
    /**
     * Counts sessions and opens of the user at these times (ms), in the zone of the install. Reads one row; writes once an hour
     * of activity at most.
     */
    async noteActivity(
      appId: number,
      install: InstallRef,
      identifier: string,
      times: readonly number[],
    ): Promise<void> {
      const known = await activity.find(appId, install.row, identifier)
      if (!known) return
      const zone = known.timezone !== null && isZone(known.timezone) ? known.timezone : defaultZone
      const hours = times.reduce(
        (counted, at) => countActivity(counted, at, zoneOffset(zone, at)) ?? counted,
        known.hours,
      )
      if (!hours || hours === known.hours) return
      const preferred = preferredHour(hours)
      await activity.store(appId, known.userId, hours, preferred)
      if (preferred !== known.preferredHour) await activity.placeInstalls(appId, known.userId, preferred, clock.now())
    },

    /** The hour that most users of the app prefer; undefined when none has a history. */
    usualHour: (appId: number) => activity.usualHour(appId),

    /** Forgets users, of all apps, who were not active for some 90 days; returns how many, at most `limit`. */
    forgetActivity: (limit: number) => activity.forget(oldestPeriod(clock.now()), limit, clock.now()),
  }
}
