import type { Knex } from 'knex'
import type { Clock } from '../../../platform/time/clock.ts'
import type { UserTarget } from '../types.ts'
import type { AudienceRepository } from './audience.repository.ts'
import { excludedBy } from './excluded.ts'
import { type Conditions, conditionsOf } from './narrow.ts'
import type { UserCursor } from './walk.ts'
import { type HourRange, NO_HOUR, type ZoneHour } from './within.ts'

/** The next users of a walk, who of them is excluded, and the cursor after them. Other fields of the caller's cursor stay as they were. */
export interface UserBatch<C extends UserCursor = UserCursor> {
  users: number[]
  /** Users whom the target means, but each of whose installs it excludes. */
  excluded: number[]
  next: C
  done: boolean
}

/** A batch before exclusion. */
type MeantBatch<C extends UserCursor> = Omit<UserBatch<C>, 'excluded'>

export interface UserWalkParts {
  repo: AudienceRepository
  conditions: Conditions
  clock: Clock
}

/** With a filter a step examines this many users, because most of them may not match. */
const EXAMINED = 10_000

/**
 * Walks the users whom a target means, in batches; the cursor is the only state. It reads with the same statements as
 * the walk over installs and decides differently: one matching install is enough for a user, who is excluded only
 * when all of their installs are, and users belong to no platform.
 */
export function createUserWalk({ repo, conditions, clock }: UserWalkParts) {
  /** Who of these users is left when the excluded installs do not count; `all` is what an install must match. */
  async function sorted(
    appId: number,
    users: readonly number[],
    target: UserTarget,
    all: readonly Knex.Raw[],
  ): Promise<Pick<UserBatch, 'users' | 'excluded'>> {
    const exclude = users.length === 0 ? [] : await excludedBy(repo, appId, target)
    if (exclude.length === 0 || users.length === 0) return { users: [...users], excluded: [] }
    const rows = new Set(exclude)
    const installs = (await repo.installsOf(users)).filter(({ row }) => rows.has(row))
    const touched = new Set(installs.map(({ userId }) => userId))
    const kept = new Set(await repo.enabledAmong(appId, [...touched], all, exclude))
    const isExcluded = (user: number) => touched.has(user) && !kept.has(user)
    return { users: users.filter((user) => !isExcluded(user)), excluded: users.filter(isExcluded) }
  }

  /** First the named users, then the current users of the named installs, who may be the same. */
  async function named<C extends UserCursor>(
    appId: number,
    target: UserTarget & { kind: 'named' },
    cursor: C,
    size: number,
  ): Promise<MeantBatch<C>> {
    const { users, installs } = target
    const out = new Set(await excludedBy(repo, appId, target))
    const from = cursor.listed ?? 0
    const until = from + size
    const theirs = await repo.usersOf(
      appId,
      installs
        .slice(Math.max(0, from - users.length), Math.max(0, until - users.length))
        .filter((row) => !out.has(row)),
    )
    const own = new Set(users)
    const meant = [...users.slice(from, until), ...theirs.filter((user) => !own.has(user))]
    const all = users.length + installs.length
    const found = await repo.enabledAmong(appId, [...new Set(meant)])
    return { users: found, next: { ...cursor, listed: Math.min(until, all) }, done: until >= all }
  }

  /** The walk over one target. The conditions of its filter are made here, once for all batches. */
  async function walk(appId: number, target: UserTarget) {
    const all = target.kind === 'filter' ? await conditionsOf(conditions, appId, target.narrowing, clock.now()) : []

    async function byId<C extends UserCursor>(cursor: C, size: number, examined: number): Promise<MeantBatch<C>> {
      if (target.kind === 'named') return named(appId, target, cursor, size)
      const after = cursor.user ?? 0
      const { ids, last } =
        target.kind === 'filter'
          ? await repo.nextMatching(repo.users(appId), after, examined, all)
          : await repo.next(repo.users(appId), after, size)
      if (ids.length <= size) return { users: ids, next: { ...cursor, user: last ?? after }, done: last === null }
      return { users: ids.slice(0, size), next: { ...cursor, user: ids[size - 1]! }, done: false }
    }

    return {
      /**
       * The next users wherever they are, at most `size`. A filter examines at most `examined`; fewer let others run
       * sooner.
       */
      async next<C extends UserCursor>(cursor: C, size: number, examined = EXAMINED): Promise<UserBatch<C>> {
        const batch = await byId(cursor, size, examined)
        return { ...batch, ...(await sorted(appId, batch.users, target, all)) }
      },

      /**
       * The next users who have an install in one of these hour ranges; a user of several may come again. `ranges` are
       * ordered by zone (null first), then by hour. The cursor names its zone and hour, not an index into `ranges`: it
       * stays valid when zones appear or disappear between two steps. The ranges of a walk over installs are fixed when
       * its run begins.
       */
      async nextAtHours<C extends UserCursor>(
        ranges: readonly HourRange[],
        cursor: C,
        size: number,
      ): Promise<UserBatch<C>> {
        const { place, user = 0 } = cursor
        const [range, ...others] = place ? ranges.filter((one) => !isBehind(one, place)) : ranges
        if (!range) return { users: [], excluded: [], next: cursor, done: true }
        const { zone, from, to } = range
        const isInside = place?.zone === zone && place.hour >= from
        const after = isInside ? { hour: place.hour, id: user } : { hour: from, id: 0 }
        const found = await repo.nextAtHours(repo.installsByUser(appId), range, after, size)
        const users = await repo.enabledAmong(appId, [...new Set(found.map(({ id }) => id))], all)
        const last = found.length === size ? found.at(-1) : undefined
        const position = last
          ? { place: { zone, hour: last.hour }, user: last.id }
          : { place: { zone, hour: to + 1 }, user: 0 }
        return {
          ...(await sorted(appId, users, target, all)),
          next: { ...cursor, ...position },
          done: last === undefined && others.length === 0,
        }
      },
    }
  }

  return {
    walk,

    /** The rows of the installs that a message leaves out now. */
    excluded: (appId: number, target: UserTarget): Promise<number[]> => excludedBy(repo, appId, target),

    /** The time zones of all installs of the app; `withHours`, with the preferred hours in each, else with -1. */
    async zoneHours(appId: number, { withHours }: { withHours: boolean }): Promise<ZoneHour[]> {
      const installs = repo.installsByUser(appId)
      const found: ZoneHour[] = []
      for (const zone of await repo.zones(installs)) {
        const hours = withHours ? await repo.hours(installs, zone) : [NO_HOUR]
        for (const hour of hours) found.push({ zone, hour })
      }
      return found
    },
  }
}

export type UserWalk = ReturnType<typeof createUserWalk>

/** Whether a walk that came to `place` has finished a range. */
function isBehind({ zone, to }: HourRange, place: NonNullable<UserCursor['place']>): boolean {
  if (zone === place.zone) return to < place.hour
  return zone === null || (place.zone !== null && zone < place.zone)
}
