import { setImmediate } from 'node:timers/promises'
import { chunks } from '../../platform/chunks.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Sql } from '../../platform/db/connect.ts'
import { rowsOf, whereIds } from '../../platform/db/dialect.ts'
import { PLATFORM_TYPES, type Platform, platformOf } from '../gateways/registry.ts'
import type { Counted } from './confirmation.ts'
import { meantAmong, nextStretch } from './filter-walk.ts'
import { type Conditions, conditionsOf, matching } from './narrow.ts'
import { changedStep, placedStep, zonesInUse } from './placed-walk.ts'
import { without } from './target.ts'
import type { Narrowing, Target } from './types.ts'
import type { Cursor, Step } from './walk.ts'
import { hasChanged, isWithin, type Placed, type Within } from './within.ts'

/** An install of an explicit list. */
interface Listed extends Placed {
  id: number
  platform: number | null
  subscribed: boolean | number
}

/** Longer lists are taken to be everywhere. */
const MOST_LISTED = 20_000
/** Slices of a list looked at in one step. */
const MOST_SLICES = 20
/** With a filter a step looks at so many times more installs, because most of them may not be meant. */
const LOOKED_AT = 10
/** But at no more in one statement, which on SQLite stops everything else of its thread. */
const MOST_LOOKED_AT = 10_000

/** Installs of one step of a count: whoever counts may be the thread that answers requests. */
const COUNTED_AT_ONCE = 200

export type Audience = ReturnType<typeof audienceOf>

function lookedAt(limit: number): number {
  return Math.max(limit, Math.min(limit * LOOKED_AT, MOST_LOOKED_AT))
}

function everyPlatform(): Record<string, number | null> {
  return Object.fromEntries(Object.values(PLATFORM_TYPES).map((type) => [type, 0]))
}

/** Walks an audience by key, a page at a time, holding nothing: the same cursor gives the same next page after a crash. */
export function audienceOf(sql: Sql, conditions: Conditions, clock: Clock) {
  async function subscribedAfter(appId: number, type: number, after: number, limit: number): Promise<number[]> {
    // The hottest read there is: plain SQL, answered from the partial index alone.
    const result = await sql.raw(
      'SELECT id FROM installs WHERE app_id = ? AND platform = ? AND id > ? AND subscribed ORDER BY id LIMIT ?',
      [appId, type, after, limit],
    )
    return rowsOf<{ id: number }>(result).map((row) => row.id)
  }

  async function broadcastStep(appId: number, cursor: Cursor, limit: number) {
    const platforms = { ...(cursor.platforms ?? everyPlatform()) }
    const steps: Step[] = []
    // One page of each platform a step, so that lanes start side by side.
    for (const [type, after] of Object.entries(platforms)) {
      if (after === null) continue
      const rows = await subscribedAfter(appId, Number(type), after, limit)
      platforms[type] = rows.length < limit ? null : rows.at(-1)!
      if (rows.length > 0) steps.push({ platform: platformOf(Number(type)), rows })
    }
    return { steps, cursor: { platforms }, done: Object.values(platforms).every((after) => after === null) }
  }

  async function filterStep(appId: number, narrowing: Narrowing, cursor: Cursor, limit: number) {
    const platforms = { ...(cursor.platforms ?? everyPlatform()) }
    const all = await conditionsOf(conditions, appId, narrowing, clock.now())
    const size = lookedAt(limit)
    const steps: Step[] = []
    for (const [type, after] of Object.entries(platforms)) {
      if (after === null) continue
      const { rows, last } = await meantAmong(sql, { appId, platform: Number(type), after }, size, all)
      platforms[type] = last
      if (rows.length > 0) steps.push({ platform: platformOf(Number(type)), rows })
    }
    return { steps, cursor: { platforms }, done: Object.values(platforms).every((after) => after === null) }
  }

  async function listStep(appId: number, rows: number[], cursor: Cursor, limit: number, within?: Within) {
    let from = cursor.listed ?? 0
    let found: Listed[] = []
    // A walk through places passes over whole slices of which nobody is meant.
    for (let looks = 0; looks < MOST_SLICES && from < rows.length && found.length === 0; looks++) {
      found = await readListed(appId, rows.slice(from, from + limit))
      if (within) found = found.filter((install) => isWithin(install, within))
      from += limit
    }
    const byPlatform = new Map<Platform | undefined, Listed[]>()
    for (const row of found) {
      const platform = row.subscribed && row.platform !== null ? platformOf(row.platform) : undefined
      const list = byPlatform.get(platform)
      if (list) list.push(row)
      else byPlatform.set(platform, [row])
    }
    const steps = [...byPlatform].map(([platform, list]): Step => {
      const step = { platform, rows: list.map(({ id }) => id) }
      return within ? { ...step, moved: list.filter((one) => hasChanged(one, within)).map(({ id }) => id) } : step
    })
    return { steps, cursor: { listed: Math.min(from, rows.length) }, done: from >= rows.length }
  }

  async function readListed(appId: number, slice: number[]): Promise<Listed[]> {
    return whereIds(sql('installs'), sql, appId, slice)
      .orderBy('id')
      .select('id', 'platform', 'subscribed', 'timezone', 'preferred_hour', 'zone_changed_at', 'created_at')
  }

  /** How many subscribed installs the app has, without some, counted until they are more than `most`. */
  async function countSubscribed(appId: number, exclude: number[], most: number): Promise<Counted> {
    let excluded = 0
    for (const some of chunks(exclude, 1000)) {
      for (const { subscribed, platform } of await readListed(appId, some))
        if (subscribed && platform !== null) excluded++
    }
    let recipients = -excluded
    for (const platform of Object.values(PLATFORM_TYPES)) {
      for (let after: number | null = 0; after !== null; ) {
        const { seen, last } = await nextStretch(sql, { appId, platform, after }, MOST_LOOKED_AT)
        recipients += seen
        after = seen < MOST_LOOKED_AT ? null : last
        if (recipients > most) return { recipients, isAll: false }
        await setImmediate()
      }
    }
    return { recipients, isAll: true }
  }

  async function everybodyStep(appId: number, cursor: Cursor, limit: number, within?: Within) {
    if (!within) return broadcastStep(appId, cursor, limit)
    return (within.changedOnly ? changedStep : placedStep)(sql, appId, within, cursor, limit)
  }

  /** A step of a walk that is narrowed by places in its own order: its installs are looked at once more. */
  async function narrowed(appId: number, narrowing: Narrowing, steps: readonly Step[]): Promise<Step[]> {
    const all = await conditionsOf(conditions, appId, narrowing, clock.now())
    const left: Step[] = []
    for (const step of steps) {
      const meant = await matching(sql, all, step.rows)
      if (meant.size > 0) left.push({ ...step, rows: step.rows.filter((row) => meant.has(row)) })
    }
    return left
  }

  async function narrowedStep(appId: number, narrowing: Narrowing, cursor: Cursor, limit: number, within?: Within) {
    if (!within) return filterStep(appId, narrowing, cursor, limit)
    const result = await everybodyStep(appId, cursor, lookedAt(limit), within)
    return { ...result, steps: await narrowed(appId, narrowing, result.steps) }
  }

  /** The named installs first, then everybody else of whom it holds: who is named is never met a second time, whatever changes. */
  async function unionStep(
    appId: number,
    { narrowing, also = [] }: Extract<Target, { kind: 'filter' }>,
    cursor: Cursor,
    limit: number,
    within?: Within,
  ) {
    if ((cursor.listed ?? 0) < also.length) {
      return { ...(await listStep(appId, also, cursor, limit, within)), done: false }
    }
    const result = await narrowedStep(appId, narrowing, cursor, limit, within)
    const steps = result.steps.map((step) => ({ ...step, rows: without(step.rows, also) }))
    return { ...result, steps, cursor: also.length > 0 ? { listed: also.length, ...result.cursor } : result.cursor }
  }

  async function nextStep(appId: number, target: Target, cursor: Cursor, limit: number, within?: Within) {
    if (target.kind === 'installs') return listStep(appId, target.rows, cursor, limit, within)
    if (target.kind === 'broadcast') return everybodyStep(appId, cursor, limit, within)
    return unionStep(appId, target, cursor, limit, within)
  }

  async function zonesOf(appId: number, rows: number[]): Promise<Set<string | null>> {
    const zones = new Set<string | null>()
    for (const some of chunks(rows, 1000)) {
      for (const { timezone } of await readListed(appId, some)) zones.add(timezone)
    }
    return zones
  }

  return {
    /**
     * The next recipients, the cursor behind them, and whether that was all: of each platform at most `limit`, with a filter
     * at most `LOOKED_AT` times as many. With `within` only installs that are there now; the same `within` must be given for
     * every step of a walk.
     */
    async step(
      appId: number,
      target: Target,
      cursor: Cursor,
      limit: number,
      within?: Within,
    ): Promise<{ steps: Step[]; cursor: Cursor; done: boolean }> {
      const result = await nextStep(appId, target, cursor, limit, within)
      const steps = result.steps.map((step) => ({ ...step, rows: without(step.rows, target.exclude) }))
      return { ...result, steps: steps.filter(({ rows }) => rows.length > 0) }
    },

    /**
     * The zones in which subscribed installs are that the target may mean; null among them for those that did not say. For a
     * list of moderate length exactly its zones, else those of the whole app.
     */
    async zones(appId: number, target: Target): Promise<(string | null)[]> {
      const listed = target.kind === 'installs' ? target.rows : target.kind === 'filter' ? (target.also ?? []) : []
      const zones = listed.length <= MOST_LISTED ? await zonesOf(appId, listed) : undefined
      if (target.kind === 'installs' && zones) return [...zones]
      // Of those who are named one may be in a zone where nobody is subscribed any more.
      return [...(zones ?? new Set()).union(new Set(await zonesInUse(sql, appId)))]
    },

    /**
     * How many installs the target means now, counted until they are more than `most`. Lets others run in between; when all
     * installs of the app are no more than that, they are not asked whether they are meant, and `recipients` is theirs.
     */
    async countUpTo(appId: number, target: Target, most: number): Promise<Counted> {
      if (target.kind === 'installs') {
        const excluded = new Set(target.exclude)
        return { recipients: target.rows.filter((row) => !excluded.has(row)).length, isAll: true }
      }
      const all = await countSubscribed(appId, target.exclude, most)
      if (target.kind === 'broadcast' || all.recipients <= most) return all
      let recipients = 0
      let cursor: Cursor = {}
      for (;;) {
        const step = await this.step(appId, target, cursor, COUNTED_AT_ONCE)
        recipients += step.steps.reduce((sum, { rows }) => sum + rows.length, 0)
        if (step.done) return { recipients, isAll: true }
        if (recipients > most) return { recipients, isAll: false }
        cursor = step.cursor
        await setImmediate()
      }
    },

    /** How many installs the target means now, by platform; for previews. Counts without holding them. */
    async count(appId: number, target: Target, limit = 1000): Promise<Partial<Record<Platform, number>>> {
      const counts: Partial<Record<Platform, number>> = {}
      let cursor: Cursor = {}
      for (let done = false; !done; ) {
        const step = await this.step(appId, target, cursor, limit)
        for (const { platform, rows } of step.steps)
          if (platform) counts[platform] = (counts[platform] ?? 0) + rows.length
        cursor = step.cursor
        done = step.done
      }
      return counts
    },
  }
}
