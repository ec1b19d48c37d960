import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '../../platform/clock.ts'
import { readWeighedPage } from '../../platform/db/pages.ts'
import { AppError } from '../../platform/errors.ts'
import type { OwnEvent } from '../events/service.ts'
import type { PresenceRepository, Whereabouts } from './presence.repository.ts'
import type { GeofencesRepository, Place, Unsettled } from './repository.ts'
import { boxOf, contains, shapeOf } from './shape.ts'
import { transitions } from './transitions.ts'
import type { CountedGeofence, Geofence, GeofenceChange, NewGeofence } from './types.ts'

export type GeofencesService = ReturnType<typeof geofencesService>

/** An install (`row`) that says where it is at `at` (ms), not later than now. */
export interface Report extends Whereabouts {
  userIdentifier: string
}

interface Parts {
  repo: GeofencesRepository
  presence: PresenceRepository
  /** Stores events (`EventsService.recordAll`). */
  record(appId: number, events: readonly OwnEvent[]): Promise<void>
  clock: Clock
  /** Positions this old (ms) or older do not count: `geofences.maxAge`. */
  maxAge: number
}

/** Positions looked at in one step when a fence is made round installs that are there already. */
const STEP = 2000
/** Steps at once with the change; what remains is done by `settle`, in transactions of its own. */
const STEPS_AT_ONCE = 5

/** Fences of an app and who is inside of them. Write functions need a transaction. */
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
    return (await counted(appId, [geofence]))[0]!
  }

  /** Places the next installs into a fence, from the south. How far it came; null when that was all. */
  async function settleStep({ geofence, at }: Unsettled): Promise<Place | null> {
    const { id, appId, boundsGeoJson } = geofence
    const shape = shapeOf(boundsGeoJson)
    const found = await presence.placed(appId, at, boxOf(shape).north, STEP)
    const inside = found.filter((position) => contains(shape, position)).map(({ row }) => row)
    await presence.settle(appId, id, inside)
    const last = found.at(-1)
    return found.length < STEP || last === undefined ? null : { lat: last.lat, row: last.row }
  }

  /** Places who is in an empty fence already, as far as that goes quickly. How far it came; null when that was all. */
  async function fill(geofence: Geofence): Promise<Place | null> {
    if (!geofence.isEnabled) return null
    let at: Place | null = { lat: boxOf(shapeOf(geofence.boundsGeoJson)).south, row: 0 }
    for (let i = 0; i < STEPS_AT_ONCE && at; i++) at = await settleStep({ geofence, at })
    return at
  }

  /** One report each of some installs. */
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

    /**
     * A new fence. Installs whose last position is inside are inside from now on: nobody has entered it, so nothing is counted and
     * no event is stored. Where very many installs are about, the last of them are placed by `settle`.
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
     * Changes what is given; absent stays. New bounds, and switching a fence on, put inside whoever is there by the last position;
     * switching it off leaves nobody inside. No event is stored and nothing is counted: nobody moved. Throws `not_found`.
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
      await repo.update(after)
      const isSame = isDeepStrictEqual(after.boundsGeoJson, before.boundsGeoJson)
      if (!isSame || after.isEnabled !== before.isEnabled) {
        await presence.empty(appId, id)
        await repo.setSettled(appId, id, await fill(after))
      }
      return (await counted(appId, [after]))[0]!
    },

    /** Deletes the fence; nobody leaves it, so no event is stored. Throws `not_found`. */
    async delete(appId: number, id: number): Promise<void> {
      await presence.lockFences(appId)
      // They would go with it, a million of them in one statement that lets nothing else happen.
      await presence.empty(appId, id)
      if (!(await repo.delete(appId, id))) throw unknownGeofence(id)
    },

    /** Fences in the order of their creation, after the one with the id `after` (0 = from the start); `next` is null at the end. */
    async list(
      appId: number,
      { after = 0, limit }: { after?: number | undefined; limit: number },
    ): Promise<{ geofences: CountedGeofence[]; next: number | null }> {
      const { rows, next } = await readWeighedPage(
        limit,
        (most) => repo.list(appId, after, most),
        (ids) => repo.byIds(appId, ids),
      )
      return { geofences: await counted(appId, rows), next }
    },

    /** Those of these ids that the app does not have, in the order given, each once. */
    async unknownIds(appId: number, ids: readonly number[]): Promise<number[]> {
      const distinct = [...new Set(ids)]
      const known = await repo.knownIds(appId, distinct)
      return distinct.filter((id) => !known.has(id))
    },

    /**
     * Installs say where they are, in the order in which it is heard: notes it, and stores an event for each fence that one entered
     * (`geofence.entered`) or left (`geofence.left`). A report is ignored when a later position is known or when it is too old to
     * count. After a position that has become too old the install is nowhere: it leaves nothing and enters what it is in.
     */
    async move(appId: number, reports: readonly Report[]): Promise<void> {
      const fresh = reports.filter(({ at }) => at > oldest())
      if (fresh.length === 0) return
      await presence.lockMoving(appId)
      for (const round of rounds(fresh)) await moveOnce(appId, round)
    },

    /**
     * Places the next installs into a fence that still waits for some, of one app or of any. False when no fence waits: a send to
     * fences that begins then misses nobody.
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

    /** Forgets at most `limit` positions, of all apps, that are too old to count; returns how many. */
    forget(limit: number): Promise<number> {
      return presence.forget(oldest(), limit)
    },
  }
}

/** In as few lists as have each install at most once; the reports of one install keep their order. */
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
