import { invalid } from '../../platform/errors.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { isZone, zoneOffset } from '../../platform/time/zones.ts'
import { type Platform, platformOf, platforms } from '../gateways/registry.ts'
import { DAY_MS, HOUR_MS, type HourRow, type StatisticsRepository } from './repository.ts'
import {
  type CountedReport,
  INSTALL_CHANGES,
  type InstallChanges,
  type InstallCounts,
  type InstallPeriod,
  type LinkCounts,
  type LinkDays,
  type LinkVisit,
  type PlatformCounts,
  PUSH_COUNTS,
  type PushCounts,
  type PushCourse,
  type PushDays,
  type PushPeriod,
  type Reach,
} from './types.ts'

/** Maximum number of days in a report. */
export const MOST_DAYS = 90
const USUAL_DAYS = 14
/** Changes of installs are a row for each day: they are kept for two of the longest periods and longer, so that the first day stays. */
const CHANGES_DAYS = 366

interface Period {
  days?: number | undefined
  zone?: string | undefined
}

export type StatisticsService = ReturnType<typeof statisticsService>

/** Statistics of an app that are quick however large it is: sums of rows that are counted as things happen. */
export function statisticsService({ repo, clock }: { repo: StatisticsRepository; clock: Clock }) {
  async function pushDaysOf(appId: number, days: number, zone: string): Promise<PushDays['days']> {
    const names = dayNames(days, clock.now() + zoneOffset(zone, clock.now()))
    const byDay = new Map(names.map((day): [string, HourRow[]] => [day, []]))
    // A day more than asked for: zones are up to fourteen hours away from UTC.
    const from = Math.floor((clock.now() - days * DAY_MS) / HOUR_MS) - 24
    for (const row of await repo.hours(appId, { from })) {
      const at = row.hour * HOUR_MS
      byDay.get(dayName(at + zoneOffset(zone, at)))?.push(row)
    }
    return [...byDay].map(([day, rows]) => ({ day, ...sumOf(rows), platforms: byPlatform(rows) }))
  }

  return {
    /** Counts first reports of devices, in the transaction that stores them. */
    addReports: (appId: number, reports: readonly CountedReport[]) => repo.addReports(appId, reports),

    /** Counts visits of links, in the transaction that stores them. */
    addVisits: (appId: number, visits: readonly LinkVisit[]) => repo.addVisits(appId, visits),

    /**
     * Sends and opens of the last `days` days, today included, in `zone`. Throws `invalid` for a number of days that is
     * not from 1 to 90, and for an unknown zone.
     */
    async pushDays(appId: number, { days = USUAL_DAYS, zone = 'UTC' }: Period = {}): Promise<PushDays> {
      checkDays(days)
      checkZone(zone)
      const found = await pushDaysOf(appId, days, zone)
      return { zone, days: found, total: sumOf(found) }
    },

    /** The same with the period before it, which is known as long as both lie within 90 days. Throws as `pushDays`. */
    async pushPeriod(appId: number, { days = USUAL_DAYS, zone = 'UTC' }: Period = {}): Promise<PushPeriod> {
      checkDays(days)
      checkZone(zone)
      const isKept = 2 * days <= MOST_DAYS
      const found = await pushDaysOf(appId, isKept ? 2 * days : days, zone)
      const shown = found.slice(-days)
      return { zone, days: shown, total: sumOf(shown), before: isKept ? sumOf(found.slice(0, days)) : null }
    },

    /**
     * Installs that were added, gained, lost and opted out in the last `days` UTC days, today included, and in as many days before. Throws
     * `invalid` for a number of days that is not from 1 to 90.
     */
    async installPeriod(appId: number, days = USUAL_DAYS): Promise<InstallPeriod> {
      checkDays(days)
      const from = Math.floor(clock.now() / DAY_MS) - days + 1
      const rows = await repo.changes(appId, from - days)
      const first = await repo.firstChange(appId)
      return {
        changes: changesOf(rows.filter(({ day }) => day >= from)),
        before: first !== undefined && first <= from - days ? changesOf(rows.filter(({ day }) => day < from)) : null,
        countedSince: first === undefined ? null : dayName(first * DAY_MS),
      }
    },

    /** Accepted recipients of notifications whose hours are kept, by id. */
    acceptedOf: (appId: number, ids: readonly number[]): Promise<Map<number, number>> => repo.accepted(appId, ids),

    /** A notification hour by hour since something was first counted of it, and by platform. */
    async pushCourse(appId: number, notificationId: number): Promise<PushCourse> {
      const rows = await repo.hours(appId, { notificationId })
      const first = rows[0]?.hour ?? 0
      const hours = [...Map.groupBy(rows, ({ hour }) => hour)].map(([hour, some]) => {
        const { accepted, delivered, opened, dismissed } = sumOf(some)
        return { at: hour * HOUR_MS, hour: hour - first, accepted, delivered, opened, dismissed }
      })
      return { hours, platforms: byPlatform(rows) }
    },

    /**
     * Clicks and matches of the last `days` UTC days, today included: of a link, or without `linkId` of all links of the
     * app. Throws `invalid` for a number of days that is not from 1 to 90.
     */
    async linkDays(
      appId: number,
      { days = USUAL_DAYS, linkId }: { days?: number | undefined; linkId?: number | undefined } = {},
    ): Promise<LinkDays> {
      checkDays(days)
      const today = Math.floor(clock.now() / DAY_MS)
      const rows = await repo.days(appId, linkId, today - days + 1)
      const byDay = Map.groupBy(rows, ({ day }) => dayName(day * DAY_MS))
      return {
        days: dayNames(days, clock.now()).map((day) => ({ day, ...visitsOf(byDay.get(day) ?? []) })),
        platforms: mostFirst(rows, ({ platform }) => platform).map(([platform, sum]) => ({ platform, ...sum })),
        routes: mostFirst(rows, ({ route }) => route).map(([route, sum]) => ({ route, ...sum })),
        total: visitsOf(rows),
      }
    },

    /** The installs of an app by platform, and whether pushes can reach them. */
    async installs(appId: number): Promise<InstallCounts> {
      const rows = await repo.installs(appId)
      const reach = (some: typeof rows): Reach => {
        const of = (state: number) => some.reduce((sum, one) => sum + (one.state === state ? one.installs : 0), 0)
        const [reachable, off, withoutToken] = [of(1), of(2), of(3)]
        return { total: reachable + off + withoutToken, reachable, off, withoutToken }
      }
      const found = groupedByPlatform(rows).map(([platform, some]) => ({ platform, ...reach(some) }))
      return { ...reach(rows), platforms: found.filter(({ total }) => total > 0) }
    },

    /** Deletes at most `limit` rows that are older than statistics go back; returns how many. */
    forget(limit: number): Promise<number> {
      // A day more than is asked for at most.
      const today = Math.floor(clock.now() / DAY_MS)
      const day = today - MOST_DAYS - 1
      return repo.forget({ day, hour: day * 24, changesDay: today - CHANGES_DAYS }, limit)
    },
  }
}

function checkDays(days: number): void {
  if (!Number.isInteger(days) || days < 1 || days > MOST_DAYS) {
    throw invalid({ days: [`must be a whole number from 1 to ${MOST_DAYS}`] })
  }
}

function checkZone(zone: string): void {
  if (!isZone(zone)) {
    throw invalid({ zone: [`must be the name of a time zone, such as Europe/Berlin, not ${JSON.stringify(zone)}`] })
  }
}

const dayName = (ms: number) => new Date(ms).toISOString().slice(0, 10)
/** The names of the last days, oldest first; `now` (ms) is of the wall clock. */
const dayNames = (days: number, now: number) =>
  Array.from({ length: days }, (_, i) => dayName(now - (days - 1 - i) * DAY_MS))

function sumOf(rows: readonly PushCounts[]): PushCounts {
  const sum = Object.fromEntries(PUSH_COUNTS.map((name) => [name, 0])) as PushCounts
  for (const row of rows) for (const name of PUSH_COUNTS) sum[name] += row[name]
  return sum
}

const changesOf = (rows: readonly InstallChanges[]): InstallChanges => {
  const sum = (name: keyof InstallChanges) => rows.reduce((all, one) => all + one[name], 0)
  return Object.fromEntries(INSTALL_CHANGES.map((name) => [name, sum(name)])) as InstallChanges
}

/** Groups rows by platform in display order, recipients without a platform last. */
function groupedByPlatform<T extends { platform: HourRow['platform'] }>(
  rows: readonly T[],
): [platform: Platform | null, rows: T[]][] {
  const found = Map.groupBy(rows, ({ platform }) => (platform === 0 ? null : (platformOf(platform) ?? null)))
  return [...platforms, null].flatMap((platform): [Platform | null, T[]][] => {
    const some = found.get(platform)
    return some ? [[platform, some]] : []
  })
}

function byPlatform(rows: readonly HourRow[]): PlatformCounts[] {
  return groupedByPlatform(rows).map(([platform, some]) => ({ platform, ...sumOf(some) }))
}

function visitsOf(rows: readonly LinkCounts[]): LinkCounts {
  const sum = (name: keyof LinkCounts) => rows.reduce((all, one) => all + one[name], 0)
  return { clicks: sum('clicks'), matches: sum('matches') }
}

function mostFirst<T extends LinkCounts>(rows: readonly T[], nameOf: (row: T) => string): [string, LinkCounts][] {
  const found = [...Map.groupBy(rows, nameOf)].map(([name, some]): [string, LinkCounts] => [name, visitsOf(some)])
  return found.sort(([, a], [, b]) => b.clicks + b.matches - a.clicks - a.matches)
}
