import { isDeepStrictEqual } from 'node:util'
import { readWeighedPage } from '../../platform/db/pages.ts'
import { AppError } from '../../platform/errors.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { Unreadable } from '../../platform/values/unreadable.ts'
import type { OwnEvent } from '../events/service.ts'
import type { PresenceRepository, Whereabouts } from './presence.repository.ts'
import { digestOf, type GeofencesRepository, type Place, type Unsettled } from './repository.ts'
import { boxOf, contains, NOWHERE, shapeOfStored } from './shape/shape.ts'
import { transitions } from './transitions.ts'
import type { CountedGeofence, Geofence, GeofenceChange, NewGeofence } from './types.ts'

export type GeofencesService = ReturnType<typeof geofencesService>

/** The position of an install (`row`) at the time `at` (ms), which is not in the future. */
export interface Report extends Whereabouts {
  userIdentifier: string
}

interface Parts {
  repo: GeofencesRepository
  presence: PresenceRepository
  /** Stores events (`EventsService.recordAll`). */
  record(appId: number, events: readonly OwnEvent[]): Promise<void>
  clock: Clock
  /** Age (ms) from which positions no longer count: `geofences.maxAge`. */
  maxAge: number
}

/** Positions checked in one step when the bounds of a geofence change. */
const STEP = 2000
/** Steps in the transaction of the change; `settle` does the remaining ones in transactions of their own. */
const STEPS_AT_ONCE = 5
/** The same, of a whole import. */
const STEPS_OF_IMPORT = 100

/** The geofences of an app, and the installs inside. Functions that write need a transaction. */
export function geofencesService({ repo, presence, record, clock, maxAge }: Parts) {
  const oldest = () => clock.now() - maxAge

  async function counted(appId: number, found: readonly Geofence[]): Promise<CountedGeofence[]> {
    if (found.length === 0) return []
    const ids = found.map(({ id }) => id)
    const counts = await presence.counts(appId, ids, oldest())
    return found.map((geofence) => ({ ...geofence, ...counts.get(geofence.id)! }))
  }

  /** Throws `not_found`. */
  async function get(appId: number, id: number): Promise<CountedGeofence> {
    const geofence = await repo.find(appId, id)
    if (!geofence) throw unknownGeofence(id)
    if (!isReadable(geofence)) throw new Unreadable(`geofence ${id}`)
    return (await counted(appId, [geofence]))[0]!
  }

  /** Places the next installs into a geofence, from south to north. Returns the place up to which they are placed, or null at the end. */
  async function settleStep({ geofence, at }: Unsettled): Promise<Place | null> {
    const { id, appId, boundsGeoJson } = geofence
    const shape = shapeOfStored(boundsGeoJson)
    if (shape === NOWHERE) return null
    const found = await presence.placed(appId, at, boxOf(shape).north, STEP)
    const inside = found.filter((position) => contains(shape, position)).map(({ row }) => row)
    await presence.settle(appId, id, inside)
    const last = found.at(-1)
    return found.length < STEP || last === undefined ? null : { lat: last.lat, row: last.row }
  }

  /** Places the first installs into an empty geofence. Returns the place up to which they are placed, or null at the end. */
  async function fill(geofence: Geofence): Promise<Place | null> {
    if (!geofence.isEnabled) return null
    const shape = shapeOfStored(geofence.boundsGeoJson)
    let at: Place | null = { lat: boxOf(shape).south, row: 0 }
    for (let i = 0; i < STEPS_AT_ONCE && at; i++) at = await settleStep({ geofence, at })
    return at
  }

  /** Processes at most one report per install. */
  async function moveOnce(appId: number, reports: readonly Report[]): Promise<void> {
    const placed = new Map((await presence.place(appId, reports)).map(({ row, previousAt }) => [row, previousAt]))
    const moved = reports.filter(({ row }) => placed.has(row))
    if (moved.length === 0) return
    const around = await presence.surroundings(appId, moved)
    const changes = moved.flatMap((report) => {
      const { candidates, inside } = around.get(report.row)!
      const previousAt = placed.get(report.row)!
      const isFresh = previousAt !== null && previousAt > oldest()
      const now = transitions(isFresh ? inside : new Set(), candidates, report.position)
      const gone = [...inside].filter((id) => !now.inside.includes(id))
      return now.entered.length === 0 && gone.length === 0 ? [] : [{ report, ...now, gone }]
    })
    if (changes.length === 0) return
    const crossings = (which: 'entered' | 'gone') =>
      changes.flatMap(({ report: { row, at }, [which]: ids }) => ids.map((geofenceId) => ({ row, geofenceId, at })))
    await presence.enter(appId, crossings('entered'))
    await presence.leave(crossings('gone'))

    const labels = await repo.labels(appId, [...new Set(changes.flatMap(({ entered, left }) => [...entered, ...left]))])
    const events = changes.flatMap(({ report: { row, userIdentifier, position, at }, entered, left }) => {
      const tell = (type: string, id: number): OwnEvent => {
        const data = { geofenceId: id, ...labels.get(id), ...position }
        return { type, data, at, installRow: row, userIdentifier }
      }
      return [...left.map((id) => tell('geofence.left', id)), ...entered.map((id) => tell('geofence.entered', id))]
    })
    await record(appId, events)
  }

  return {
    get,

    /** Locks the geofences of an app until the commit, as a change of one of them does first. */
    lock: (appId: number) => presence.lockFences(appId),

    /**
     * Creates a geofence. Installs whose last position is inside are inside at once. They have not entered it, so
     * nothing is counted and no event is stored. If there are very many, `settle` places the rest.
     */
    async create(appId: number, geofence: NewGeofence): Promise<CountedGeofence> {
      const now = clock.now()
      await presence.lockFences(appId)
      const created = await repo.insert({
        appId,
        name: geofence.name,
        isEnabled: geofence.isEnabled ?? true,
        boundsGeoJson: geofence.boundsGeoJson,
        tags: [...new Set(geofence.tags)],
        createdAt: now,
        updatedAt: now,
      })
      const waitsAt = await fill(created)
      if (waitsAt) await repo.setSettled(appId, created.id, waitsAt)
      return { ...created, activationCount: 0, activeUsers: 0 }
    },

    /**
     * Creates many geofences, as `create` does. `settle` places the installs into those that the steps here do not reach.
     * Returns their ids, in the same order.
     */
    async createAll(appId: number, all: readonly NewGeofence[]): Promise<number[]> {
      if (all.length === 0) return []
      const now = clock.now()
      await presence.lockFences(appId)
      const rows = all.map(({ name, isEnabled = true, boundsGeoJson, tags }) => {
        return { name, isEnabled, boundsGeoJson, tags: [...new Set(tags)], createdAt: now, updatedAt: now }
      })
      const ids = await repo.insertAll(appId, rows)
      let steps = 0
      for (const [i, id] of ids.entries()) {
        const geofence = { ...rows[i]!, appId, id }
        if (!geofence.isEnabled) continue
        if (steps >= STEPS_OF_IMPORT) break
        let at: Place | null = { lat: boxOf(shapeOfStored(geofence.boundsGeoJson)).south, row: 0 }
        while (at && steps++ < STEPS_OF_IMPORT) at = await settleStep({ geofence, at })
        await repo.setSettled(appId, id, at)
      }
      return ids
    },

    /** Tells of each of these geofences whether the app, or an earlier one of the list, has the same name and bounds. */
    async known(appId: number, all: readonly NewGeofence[]): Promise<boolean[]> {
      const keyOf = (name: string, digest: string) => `${digest} ${name}`
      const known = new Set((await repo.names(appId)).map(({ name, digest }) => keyOf(name, digest)))
      return all.map(({ name, boundsGeoJson }) => {
        const key = keyOf(name, digestOf(JSON.stringify(boundsGeoJson)))
        const isKnown = known.has(key)
        known.add(key)
        return isKnown
      })
    },

    /**
     * Changes a geofence; absent fields are left unchanged. New bounds, and enabling it, place the installs whose last
     * position is inside; disabling it removes all. Nothing is counted and no event is stored, because no install
     * moved. Throws `not_found`.
     */
    async update(appId: number, id: number, change: GeofenceChange): Promise<CountedGeofence> {
      await presence.lockFences(appId)
      const before = await repo.find(appId, id)
      if (!before) throw unknownGeofence(id)
      const after: Geofence = {
        ...before,
        name: change.name ?? before.name,
        isEnabled: change.isEnabled ?? before.isEnabled,
        boundsGeoJson: change.boundsGeoJson ?? before.boundsGeoJson,
        tags: change.tags ? [...new Set(change.tags)] : before.tags,
        updatedAt: clock.now(),
      }
      if (!isReadable(after)) throw new Unreadable(`geofence ${id}`)
      await repo.update(after)
      const isSame = isDeepStrictEqual(after.boundsGeoJson, before.boundsGeoJson)
      if (!isSame || after.isEnabled !== before.isEnabled) {
        await presence.empty(appId, id)
        await repo.setSettled(appId, id, await fill(after))
      }
      return (await counted(appId, [after]))[0]!
    },

    /** Deletes a geofence. No install leaves it, so no event is stored. Throws `not_found`. */
    async delete(appId: number, id: number): Promise<void> {
      await presence.lockFences(appId)
      // Cascading would delete up to a million rows in one statement that blocks everything else.
      await presence.empty(appId, id)
      if (!(await repo.delete(appId, id))) throw unknownGeofence(id)
    },

    /** Geofences by id, after the id `after` (0 = from the start); `next` is null on the last page. */
    async list(
      appId: number,
      { after = 0, limit }: { after?: number | undefined; limit: number },
    ): Promise<{ geofences: CountedGeofence[]; next: number | null }> {
      const { rows, next } = await readWeighedPage(
        limit,
        (most) => repo.list(appId, after, most),
        (ids) => repo.byIds(appId, ids),
      )
      // One that cannot be read cannot be shown either; `appsvc doctor` names it.
      return { geofences: await counted(appId, rows.filter(isReadable)), next }
    },

    /** The unknown ids among `ids`, in the order given, without duplicates. */
    async unknownIds(appId: number, ids: readonly number[]): Promise<number[]> {
      const distinct = [...new Set(ids)]
      const known = await repo.knownIds(appId, distinct)
      return distinct.filter((id) => !known.has(id))
    },

    /**
     * Stores reported positions, in the order of arrival, and an event for each geofence that an install entered
     * (`geofence.entered`) or left (`geofence.left`). A report is ignored if a later position is known or if it is too
     * old to count. If the previous position has become too old, the install leaves no geofence and enters those that
     * contain it.
     */
    async move(appId: number, reports: readonly Report[]): Promise<void> {
      const fresh = reports.filter(({ at }) => at > oldest())
      if (fresh.length === 0) return
      await presence.lockMoving(appId, [...new Set(fresh.map(({ row }) => row))])
      for (const round of rounds(fresh)) await moveOnce(appId, round)
    },

    /**
     * Places the next installs into a geofence that is not complete yet, of one app or of any. False if all are
     * complete: a send to geofences may begin then.
     */
    async settle(appId?: number): Promise<boolean> {
      const key = appId === undefined ? 'any' : { appId }
      const waiting = await repo.unsettled(key)
      if (!waiting) return false
      await presence.lockFences(waiting.geofence.appId)
      const locked = await repo.unsettled({ id: waiting.geofence.id })
      if (locked) await repo.setSettled(locked.geofence.appId, locked.geofence.id, await settleStep(locked))
      return true
    },

    /** Deletes at most `limit` positions, of all apps, that are too old to count. Returns how many. */
    forget(limit: number): Promise<number> {
      return presence.forget(oldest(), limit)
    },
  }
}

const isReadable = ({ boundsGeoJson }: Geofence): boolean => shapeOfStored(boundsGeoJson) !== NOWHERE

/** Splits reports into lists with at most one report per install; the reports of an install keep their order. */
function rounds(reports: readonly Report[]): Report[][] {
  const lists: Report[][] = []
  const heard = new Map<number, number>()
  for (const report of reports) {
    const round = heard.get(report.row) ?? 0
    heard.set(report.row, round + 1)
    ;(lists[round] ??= []).push(report)
  }
  return lists
}

function unknownGeofence(id: number): AppError {
  return new AppError('not_found', `there is no geofence ${id}`)
}
