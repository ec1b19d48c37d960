import { setImmediate } from 'node:timers/promises'
import { chunks } from '../../../platform/concurrency/chunks.ts'
import { type Pace, unhurried } from '../../../platform/long-reads/pace.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { PLATFORM_TYPES, type Platform, platformOf } from '../../gateways/registry.ts'
import type { Counted } from '../confirmation.ts'
import { holds, without } from '../target.ts'
import type { Narrowing, Target } from '../types.ts'
import type { AudienceRepository, ListedInstall } from './audience.repository.ts'
import { excludedBy } from './excluded.ts'
import { type Conditions, conditionsOf } from './narrow.ts'
import { createUserWalk } from './user-walk.ts'
import type { Cursor, Step } from './walk.ts'
import { hasChanged, isWithin, type Within } from './within.ts'
import { changedStep, zoneStep, zonesInUse } from './zone-walk.ts'

/** Maximum length of a list of which the zones are looked up; a longer one is assumed to be in every zone. */
const MAX_LISTED_FOR_ZONES = 20_000
/** Batches of a list that one step examines. */
const MAX_BATCHES = 20
/** The factor by which a step with a filter examines more installs, because most of them may not match. */
const EXAMINED_FACTOR = 10
/** Maximum number of installs that one statement examines: on SQLite it blocks its thread. */
const MAX_EXAMINED = 10_000

/** Installs of each platform per step of a count by platform. */
const PREVIEW_STEP = 1000

/** An audience by platform; `isComplete` is false when counting ended early, and there may be more. */
export interface PlatformCounts {
  platforms: Partial<Record<Platform, number>>
  isComplete: boolean
}

/** A part of a target that an install can lack: it is excluded, not on the list, or no condition of a filter fits. */
export type MissingPart = 'excluded' | 'names' | 'channels' | 'geofences' | 'segments'

/** Allowance for the clocks of nodes, when an install is asked whether it has changed since a walk began. */
const MARGIN_MS = 60_000

/** Installs per step of a count, which may run in the thread that answers requests. */
const COUNT_STEP = 200

export interface AudienceParts {
  repo: AudienceRepository
  conditions: Conditions
  clock: Clock
}

export type Audience = ReturnType<typeof createAudience>

function examinedFor(limit: number): number {
  return Math.max(limit, Math.min(limit * EXAMINED_FACTOR, MAX_EXAMINED))
}

function everyPlatform(): Record<string, number | null> {
  return Object.fromEntries(Object.values(PLATFORM_TYPES).map((type) => [type, 0]))
}

/**
 * Walks an audience in the order of its keys, a page at a time. The cursor is the only state: after a crash it gives
 * the same page.
 */
export function createAudience({ repo, conditions, clock }: AudienceParts) {
  /** The next installs in the order of their ids; with `narrowing`, those of them that match. */
  async function idStep(appId: number, cursor: Cursor, limit: number, narrowing?: Narrowing) {
    const platforms = { ...(cursor.platforms ?? everyPlatform()) }
    const all = narrowing && (await conditionsOf(conditions, appId, narrowing, clock.now()))
    const steps: Step[] = []
    // Each step takes a page of every platform, so that their lanes start at the same time.
    for (const [type, after] of Object.entries(platforms)) {
      if (after === null) continue
      const installs = repo.installs(appId, Number(type))
      const { ids, last } = all
        ? await repo.nextMatching(installs, after, examinedFor(limit), all)
        : await repo.next(installs, after, limit)
      platforms[type] = last
      if (ids.length > 0) steps.push({ platform: platformOf(Number(type)), rows: ids })
    }
    return { steps, cursor: { platforms }, done: Object.values(platforms).every((after) => after === null) }
  }

  /** The installs of a list that still exist, by platform; undefined for those that can no longer be reached. */
  function stepsOf(found: readonly ListedInstall[], isMoved?: (install: ListedInstall) => boolean): Step[] {
    const byPlatform = Map.groupBy(found, ({ subscribed, platform }) =>
      subscribed && platform !== null ? platformOf(platform) : undefined,
    )
    return [...byPlatform].map(([platform, list]): Step => {
      const step = { platform, rows: list.map(({ id }) => id) }
      return isMoved ? { ...step, moved: list.filter(isMoved).map(({ id }) => id) } : step
    })
  }

  async function listStep(appId: number, rows: readonly number[], cursor: Cursor, limit: number, within?: Within) {
    let from = cursor.listed ?? 0
    let found: ListedInstall[] = []
    // A walk that is limited to some zones skips batches in which no install is there.
    for (let batches = 0; batches < MAX_BATCHES && from < rows.length && found.length === 0; batches++) {
      found = await repo.listed(appId, rows.slice(from, from + limit))
      if (within) found = found.filter((install) => isWithin(install, within))
      from += limit
    }
    const steps = stepsOf(found, within && ((one) => hasChanged(one, within)))
    return { steps, cursor: { listed: Math.min(from, rows.length) }, done: from >= rows.length }
  }

  /**
   * The subscribed installs that the next users have now, but for those in `rows`, which are named themselves. An install that
   * passes from one user to another during the walk is found twice: it is in `moved` the second time.
   */
  async function ofUsersStep(appId: number, { users, rows }: Named, cursor: Cursor, limit: number, within?: Within) {
    const { users: before, usersSince: since = clock.now() } = cursor
    let from = before ?? 0
    let found: ListedInstall[] = []
    for (let batches = 0; batches < MAX_BATCHES && from < users.length && found.length === 0; batches++) {
      found = await repo.subscribedOf(appId, users.slice(from, from + limit))
      found = found.filter((install) => !holds(rows, install.id) && (!within || isWithin(install, within)))
      from += limit
    }
    const isMoved = (install: ListedInstall) =>
      (before !== undefined && install.updated_at >= since - MARGIN_MS) || (within && hasChanged(install, within))
    const steps = stepsOf(found, (install) => isMoved(install) === true)
    const listed = rows.length > 0 && { listed: rows.length }
    return {
      steps: steps.map((step) => ({ ...step, byUser: true as const })),
      cursor: { ...listed, users: Math.min(from, users.length), usersSince: since },
      done: from >= users.length,
    }
  }

  /** The named installs, then those of the named users. */
  async function namedStep(appId: number, named: Named, cursor: Cursor, limit: number, within?: Within) {
    const { rows, users } = named
    if (users.length === 0) return listStep(appId, rows, cursor, limit, within)
    if ((cursor.listed ?? 0) >= rows.length) return ofUsersStep(appId, named, cursor, limit, within)
    return { ...(await listStep(appId, rows, cursor, limit, within)), done: false }
  }

  /** Counts the subscribed installs of an app that are not excluded; stops above `max`. */
  async function countSubscribed(appId: number, exclude: number[], max: number): Promise<Counted> {
    let excluded = 0
    for (const some of chunks(exclude, 1000)) {
      for (const { subscribed, platform } of await repo.listed(appId, some))
        if (subscribed && platform !== null) excluded++
    }
    let recipients = -excluded
    for (const platform of Object.values(PLATFORM_TYPES)) {
      for (let after: number | null = 0; after !== null; ) {
        const { seen, last } = await repo.count(repo.installs(appId, platform), after, MAX_EXAMINED)
        recipients += seen
        after = seen < MAX_EXAMINED ? null : last
        if (recipients > max) return { recipients, isAll: false }
        await setImmediate()
      }
    }
    return { recipients, isAll: true }
  }

  async function everybodyStep(appId: number, cursor: Cursor, limit: number, within?: Within) {
    if (!within) return idStep(appId, cursor, limit)
    return (within.changedOnly ? changedStep : zoneStep)(repo, appId, within, cursor, limit)
  }

  /** The installs of a step through time zones that also match the filter. */
  async function matchingIn(appId: number, narrowing: Narrowing, steps: readonly Step[]): Promise<Step[]> {
    const all = await conditionsOf(conditions, appId, narrowing, clock.now())
    const left: Step[] = []
    for (const step of steps) {
      const meant = await repo.installsMatching(step.rows, all)
      if (meant.size > 0) left.push({ ...step, rows: step.rows.filter((row) => meant.has(row)) })
    }
    return left
  }

  async function narrowedStep(appId: number, narrowing: Narrowing, cursor: Cursor, limit: number, within?: Within) {
    if (!within) return idStep(appId, cursor, limit, narrowing)
    const result = await everybodyStep(appId, cursor, examinedFor(limit), within)
    return { ...result, steps: await matchingIn(appId, narrowing, result.steps) }
  }

  /**
   * The named installs first, then those of the named users, then everybody else who matches. A named install never comes a
   * second time, whatever changes.
   */
  async function unionStep(
    appId: number,
    narrowing: Narrowing,
    named: Named,
    cursor: Cursor,
    limit: number,
    within?: Within,
  ) {
    const { rows, users } = named
    if ((cursor.listed ?? 0) < rows.length || (cursor.users ?? 0) < users.length) {
      return { ...(await namedStep(appId, named, cursor, limit, within)), done: false }
    }
    const result = await narrowedStep(appId, narrowing, cursor, limit, within)
    const { listed, users: read, usersSince } = cursor
    const steps = result.steps.map((step) => ({ ...step, rows: without(step.rows, rows) }))
    return {
      ...result,
      steps: users.length === 0 ? steps : await withoutOwned(appId, steps, users, usersSince ?? clock.now()),
      cursor: {
        ...(listed !== undefined && { listed }),
        ...(read !== undefined && { users: read }),
        ...(usersSince !== undefined && { usersSince }),
        ...result.cursor,
      },
    }
  }

  /** Steps without the installs of these users, who were met already. One that has passed to another user may have been, too. */
  async function withoutOwned(
    appId: number,
    steps: readonly Step[],
    users: readonly number[],
    since: number,
  ): Promise<Step[]> {
    const left: Step[] = []
    for (const step of steps) {
      const others = (await repo.listed(appId, step.rows)).filter(({ user_id: user }) => !holds(users, user))
      const isOther = new Set(others.map(({ id }) => id))
      const changed = others.filter(({ updated_at: at }) => at >= since - MARGIN_MS).map(({ id }) => id)
      left.push({
        ...step,
        rows: step.rows.filter((row) => isOther.has(row)),
        moved: [...new Set([...(step.moved ?? []), ...changed])],
      })
    }
    return left
  }

  async function nextStep(appId: number, target: Target, cursor: Cursor, limit: number, within?: Within) {
    if (target.kind === 'broadcast') return everybodyStep(appId, cursor, limit, within)
    const named = namedBy(target)
    if (target.kind === 'installs') return namedStep(appId, named, cursor, limit, within)
    return unionStep(appId, target.narrowing, named, cursor, limit, within)
  }

  async function zonesOf(appId: number, { rows, users }: Named): Promise<Set<string | null>> {
    const zones = new Set<string | null>()
    for (const some of chunks(rows, 1000)) {
      for (const { timezone } of await repo.listed(appId, some)) zones.add(timezone)
    }
    for (const some of chunks(users, 1000)) {
      for (const { timezone } of await repo.subscribedOf(appId, some)) zones.add(timezone)
    }
    return zones
  }

  /** Counts the named installs, and the subscribed ones that the named users have now; stops above `max`. */
  const readZonesInUse = (appId: number): Promise<ReadonlySet<string | null>> => zonesInUse(repo, appId)

  async function countNamed(appId: number, target: Target, max: number): Promise<Counted> {
    const { rows, users } = namedBy(target)
    const excluded = new Set(target.exclude)
    let recipients = rows.filter((row) => !excluded.has(row)).length
    for (const some of chunks(users, 1000)) {
      if (recipients > max) return { recipients, isAll: false }
      const theirs = await repo.subscribedOf(appId, some)
      recipients += theirs.filter(({ id }) => !excluded.has(id) && !holds(rows, id)).length
      await setImmediate()
    }
    return { recipients, isAll: true }
  }

  return {
    /** The first part of a target that this install does not meet now; undefined when it is meant. */
    async missing(appId: number, target: Target, row: number): Promise<MissingPart | undefined> {
      if ((await excludedBy(repo, appId, target)).includes(row)) return 'excluded'
      if (target.kind === 'broadcast') return undefined
      const { rows, users } = namedBy(target)
      if (holds(rows, row)) return undefined
      if (users.length > 0) {
        const [install] = await repo.listed(appId, [row])
        if (install && holds(users, install.user_id)) return undefined
      }
      if (target.kind === 'installs') return 'names'
      const nothing: Narrowing = { segments: [], channels: [], geofences: null }
      for (const part of ['channels', 'geofences', 'segments'] as const) {
        const only = { ...nothing, [part]: target.narrowing[part] }
        const all = await conditionsOf(conditions, appId, only, clock.now())
        if (all.length > 0 && !(await repo.installsMatching([row], all)).has(row)) return part
      }
      return undefined
    },

    /** The same audience as users: for in-app messages. */
    users: createUserWalk({ repo, conditions, clock }),

    /**
     * The next recipients, the cursor after them, and whether these were the last. At most `limit` of each platform,
     * with a filter at most `EXAMINED_FACTOR` times as many. With `within` only installs that are there now; every step
     * of a walk must get the same `within`.
     */
    async step(
      appId: number,
      target: Target,
      cursor: Cursor,
      limit: number,
      within?: Within,
    ): Promise<{ steps: Step[]; cursor: Cursor; done: boolean }> {
      const result = await nextStep(appId, target, cursor, limit, within)
      // Looked up afterwards: one of them may have registered meanwhile.
      const excluded = await excludedBy(repo, appId, target)
      const steps = result.steps.map((step) => ({ ...step, rows: without(step.rows, excluded) }))
      return { ...result, steps: steps.filter(({ rows }) => rows.length > 0) }
    },

    /**
     * The time zones of the subscribed installs that the target may mean; null stands for installs that have not told
     * theirs. A list of moderate length gives exactly its zones, anything else those of the whole app.
     */
    async zones(appId: number, target: Target, inUse = readZonesInUse): Promise<(string | null)[]> {
      const named = namedBy(target)
      const isFew = named.rows.length + named.users.length <= MAX_LISTED_FOR_ZONES
      const zones = isFew ? await zonesOf(appId, named) : undefined
      if (target.kind === 'installs' && zones) return [...zones]
      // A named install may be in a zone where nobody is subscribed any more.
      return [...(zones ?? new Set<string | null>()).union(await inUse(appId))]
    },

    zonesInUse: readZonesInUse,

    /** Reads the members of these installs that people see, in the same order. Installs that are gone are left out. */
    async sample(appId: number, of: readonly { platform: Platform; row: number }[]) {
      if (of.length === 0) return []
      const rows = of.map(({ row }) => row)
      const found = new Map((await repo.shown(appId, rows)).map(({ id, ...shown }) => [id, shown]))
      return of.flatMap(({ platform, row }) => (found.has(row) ? [{ ...found.get(row)!, platform }] : []))
    },

    /**
     * Counts the installs that the target means now; stops above `max`. Other work can run in between. When the app has
     * no more than `max` installs in all, the filter is not evaluated and `recipients` is the number of all.
     */
    async countUpTo(appId: number, target: Target, max: number): Promise<Counted> {
      if (target.kind === 'installs') return countNamed(appId, target, max)
      const all = await countSubscribed(appId, target.exclude, max)
      if (target.kind === 'broadcast' || all.recipients <= max) return all
      let recipients = 0
      let cursor: Cursor = {}
      for (;;) {
        const step = await this.step(appId, target, cursor, COUNT_STEP)
        recipients += step.steps.reduce((sum, { rows }) => sum + rows.length, 0)
        if (step.done) return { recipients, isAll: true }
        if (recipients > max) return { recipients, isAll: false }
        cursor = step.cursor
        await setImmediate()
      }
    },

    /**
     * Counts the installs that the target means now, by platform; for previews. Keeps none of them in memory, but hands each to
     * `take`. Stops when the time of `pace` is over, and says so.
     */
    async count(
      appId: number,
      target: Target,
      pace: Pace = unhurried,
      take?: (platform: Platform, rows: readonly number[]) => void,
    ): Promise<PlatformCounts> {
      const platforms: PlatformCounts['platforms'] = {}
      let cursor: Cursor = {}
      for (;;) {
        if (!(await pace.turn())) return { platforms, isComplete: false }
        const step = await this.step(appId, target, cursor, PREVIEW_STEP)
        for (const { platform, rows } of step.steps) {
          if (!platform) continue
          platforms[platform] = (platforms[platform] ?? 0) + rows.length
          take?.(platform, rows)
        }
        if (step.done) return { platforms, isComplete: true }
        cursor = step.cursor
      }
    },
  }
}

/** Install rows and users that a target lists, ascending. */
interface Named {
  rows: readonly number[]
  users: readonly number[]
}

function namedBy(target: Target): Named {
  if (target.kind === 'broadcast') return { rows: [], users: [] }
  const { users = [] } = target
  return { rows: (target.kind === 'installs' ? target.rows : target.also) ?? [], users }
}
