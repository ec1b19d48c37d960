import { isDeepStrictEqual } from 'node:util'
import type { Knex } from 'knex'
import { newUuid } from '../../platform/crypto/ids.ts'
import type { Sql } from '../../platform/db/connect.ts'
import { readWeighedPage } from '../../platform/db/pages.ts'
import { AppError, type FieldErrors, invalid } from '../../platform/errors.ts'
import { type Pace, unhurried } from '../../platform/long-reads/pace.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { Unreadable } from '../../platform/values/unreadable.ts'
import type { ChannelsService } from '../channels/service.ts'
import { subscribedCondition } from '../channels/subscriptions.repository.ts'
import { PLATFORM_TYPES, type Platform } from '../gateways/registry.ts'
import type { MetricsService } from '../metrics/service.ts'
import { estimate } from './estimate.ts'
import { readFilter } from './filter.ts'
import type { SegmentsRepository } from './repository.ts'
import { compileCondition } from './sql/compile.ts'
import type {
  Condition,
  Filter,
  Leaf,
  NewSegment,
  Segment,
  SegmentChange,
  SegmentEstimate,
  SegmentKey,
  SegmentPreview,
  SegmentSize,
  Use,
} from './types.ts'

/** The functions of geofences, an area above, that segments need. */
export interface Geofences {
  /** The unknown ids among `ids`. */
  unknownIds(appId: number, ids: readonly number[]): Promise<number[]>
  /** SQL over `installs`: inside any of these geofences at `now` (ms). `ids` is not empty. */
  insideCondition(appId: number, ids: readonly number[], now: number): Knex.Raw
}

/** SQL over `installs`; in an object, because awaiting a Knex.Raw would run it. */
export interface SegmentCondition {
  condition: Knex.Raw
}

export interface SegmentsParts {
  sql: Sql
  repo: SegmentsRepository
  channels: Pick<ChannelsService, 'findByUuids'>
  metrics: Pick<MetricsService, 'named' | 'comparison'>
  geofences: Geofences
  /** The first send to the segment that waits (`notification 12`), if any; the segment cannot be deleted then. */
  awaitedBy?(appId: number, segmentId: number): Promise<string | undefined>
  /** Sends to a segment or a channel that wait, at most `limit` of each kind. */
  usedBy(appId: number, at: { segmentId: number } | { channelId: number }, limit: number): Promise<Use[]>
  /** Called in the transaction that deletes a segment. */
  deleted(appId: number, uuid: string): Promise<void>
  /** Subscribed installs by platform, as they are kept. */
  reachable(appId: number): Promise<ReadonlyMap<Platform, number>>
  clock: Clock
}

/** Installs that one statement of a preview checks. On SQLite a statement blocks the thread that serves requests. */
const STRETCH_SIZE = 2000
/** Number of installs that a preview shows. */
const MAX_SHOWN = 5

/** The size of a segment that nobody has counted. */
const UNCOUNTED = { size: null, isSizeEstimated: null, sizedAt: null } as const

export type SegmentsService = ReturnType<typeof segmentsService>

/** Segments of an app: named filters over its installs, evaluated when they are used. */
export function segmentsService(parts: SegmentsParts) {
  const { sql, repo, channels, metrics, geofences, awaitedBy, usedBy, deleted, reachable, clock } = parts

  /** Throws `not_found`. */
  async function get(appId: number, key: SegmentKey): Promise<Segment> {
    return known(await repo.find(appId, key), key)
  }

  /** The channels of a filter by uuid, its metrics by name, and its unknown geofences. `keep`: as of `metrics.named`. */
  async function lookUp(appId: number, condition: Condition, { keep = false } = {}) {
    const leaves = [...leavesOf(condition)]
    const uuids = leaves.flatMap((leaf) => (leaf.kind === 'channels' ? leaf.uuids : []))
    const ids = leaves.flatMap((leaf) => (leaf.kind === 'geofences' ? leaf.ids : []))
    const found = uuids.length > 0 ? (await channels.findByUuids(appId, uuids)).channels : []
    const unknownIds = new Set(ids.length > 0 ? await geofences.unknownIds(appId, ids) : [])
    const names = leaves.flatMap((leaf) => (leaf.kind === 'metric' ? leaf.name : []))
    const counted = names.length > 0 ? await metrics.named(appId, names, { keep }) : new Map<string, never>()
    return { leaves, channelIds: new Map(found.map(({ uuid, id }) => [uuid, id])), unknownIds, counted }
  }

  /** Throws `invalid` with every unknown channel, geofence and metric. `keep`: the metrics are not deleted until the commit. */
  async function checkReferences(appId: number, filter: Filter, { keep }: { keep: boolean }): Promise<void> {
    const { leaves, channelIds, unknownIds, counted } = await lookUp(appId, conditionOf(filter), { keep })
    const errors: FieldErrors = {}
    for (const leaf of leaves) {
      const wrong =
        leaf.kind === 'channels'
          ? leaf.uuids
              .filter((uuid) => !channelIds.has(uuid))
              .map((uuid) => `there is no channel ${JSON.stringify(uuid)}`)
          : leaf.kind === 'geofences'
            ? leaf.ids.filter((id) => unknownIds.has(id)).map((id) => `there is no geofence ${id}`)
            : leaf.kind === 'metric' && !counted.has(leaf.name)
              ? [`there is no metric ${JSON.stringify(leaf.name)}`]
              : []
      if ('at' in leaf && wrong.length > 0) errors[`filter.${leaf.at}`] = wrong
    }
    if (Object.keys(errors).length > 0) throw invalid(errors)
  }

  /** A filter as SQL for a statement over `installs`. Deleted channels and geofences match nobody. */
  async function filterCondition(
    appId: number,
    filter: Filter,
    now: number,
    segmentId?: number,
  ): Promise<SegmentCondition> {
    const filtering = conditionOf(filter, segmentId)
    const { channelIds, unknownIds, counted } = await lookUp(appId, filtering)
    const condition = compileCondition(filtering, {
      sql,
      now,
      subscribed(uuids) {
        const ids = uuids.flatMap((uuid) => channelIds.get(uuid) ?? [])
        return ids.length > 0 ? subscribedCondition(sql, appId, ids) : undefined
      },
      inside(wanted) {
        const ids = wanted.filter((id) => !unknownIds.has(id))
        return ids.length > 0 ? geofences.insideCondition(appId, ids, now) : undefined
      },
      counted(asked) {
        const metric = counted.get(asked.name)
        return metric && metrics.comparison(metric, asked, now)
      },
    })
    return { condition }
  }

  async function previewFilter(
    appId: number,
    filter: Filter,
    pace: Pace = unhurried,
    segmentId?: number,
  ): Promise<SegmentPreview> {
    const { condition } = await filterCondition(appId, filter, clock.now(), segmentId)
    const preview: SegmentPreview = { total: 0, platforms: {}, first: [] }
    for (const [platform, type] of Object.entries(PLATFORM_TYPES) as [Platform, number][]) {
      for (let after: number | null = 0; after !== null; ) {
        if (!(await pace.turn())) throw tookTooLong(pace.seconds)
        const stretch = { appId, platform: type, after }
        const { last, seen, matching } = await repo.count(stretch, STRETCH_SIZE, condition)
        const wanted = MAX_SHOWN - preview.first.length
        if (matching > 0) {
          preview.total += matching
          preview.platforms[platform] = (preview.platforms[platform] ?? 0) + matching
          const first = wanted > 0 ? await repo.firstOf(stretch, STRETCH_SIZE, condition, wanted) : []
          preview.first.push(...first.map((match) => ({ ...match, platform })))
        }
        after = seen < STRETCH_SIZE ? null : last
      }
    }
    return preview
  }

  async function estimateFilter(
    appId: number,
    filter: Filter,
    pace: Pace | undefined,
    segmentId?: number,
  ): Promise<SegmentEstimate> {
    const { condition } = await filterCondition(appId, filter, clock.now(), segmentId)
    const found = await estimate(repo, { appId, condition, reachable: await reachable(appId) }, pace)
    if (!found) throw new AppError('unavailable', 'no install could be checked in time: try again')
    return found
  }

  return {
    get,

    /** Creates a segment. Throws `invalid` for unknown channels, geofences and metrics. */
    async create(appId: number, { name, filter }: NewSegment): Promise<Segment> {
      await checkReferences(appId, filter, { keep: true })
      const now = clock.now()
      return repo.insert({ appId, uuid: newUuid(), name, filter, ...UNCOUNTED, createdAt: now, updatedAt: now })
    },

    /**
     * Changes a segment; absent fields are left unchanged. Waiting notifications will use the new filter. Throws
     * `not_found`, and `invalid` as `create` does.
     */
    async update(appId: number, key: SegmentKey, change: SegmentChange): Promise<Segment> {
      const before = known(await repo.lock(appId, key, 'change'), key)
      if (change.filter !== undefined) await checkReferences(appId, change.filter, { keep: true })
      const after: Segment = {
        ...before,
        name: change.name ?? before.name,
        filter: change.filter ?? before.filter,
        ...(isDeepStrictEqual(change.filter ?? before.filter, before.filter) ? {} : UNCOUNTED),
        updatedAt: clock.now(),
      }
      await repo.update(after)
      return after
    },

    /** Stores a count of a segment, unless it has changed since it was read; returns it with the count. */
    async noteSize(segment: Segment, { total, isEstimate }: SegmentSize): Promise<Segment> {
      const counted = { ...segment, size: total, isSizeEstimated: isEstimate, sizedAt: clock.now() }
      await repo.setSize(counted)
      return counted
    },

    /** Deletes a segment. Throws `not_found`, and `conflict` while something waits to be sent to it. */
    async delete(appId: number, key: SegmentKey): Promise<void> {
      const { id, name, uuid } = known(await repo.lock(appId, key, 'change'), key)
      const waiting = await awaitedBy?.(appId, id)
      if (waiting !== undefined) {
        throw new AppError(
          'conflict',
          `segment ${JSON.stringify(name)} is the target of ${waiting}, which is not sent yet: cancel that first`,
        )
      }
      await repo.delete(appId, id)
      await deleted(appId, uuid)
    },

    /** Segments by id, after the id `after` (0 = from the start); `next` is null on the last page. */
    async list(
      appId: number,
      { after = 0, limit }: { after?: number | undefined; limit: number },
    ): Promise<{ segments: Segment[]; next: number | null }> {
      const { rows: segments, next } = await readWeighedPage(
        limit,
        (most) => repo.list(appId, after, most),
        (ids) => repo.byIds(appId, ids),
      )
      return { segments, next }
    },

    /**
     * The number of subscribed installs that match now, by platform, and the first few of them. Throws `not_found`, and
     * `unavailable` when the time of `pace` is over.
     */
    async preview(appId: number, key: SegmentKey, pace?: Pace): Promise<SegmentPreview> {
      const { id, filter } = await get(appId, key)
      return previewFilter(appId, filter, pace, id)
    },

    /** The same as `preview`, for a filter that is not stored. Throws `invalid` as `create` does. */
    async previewOf(appId: number, filter: Filter, pace?: Pace): Promise<SegmentPreview> {
      await checkReferences(appId, filter, { keep: false })
      return previewFilter(appId, filter, pace)
    },

    /**
     * The same as `previewOf`, but quick: see `estimate`. Throws `invalid` as `create` does, and `unavailable` when
     * there was no time at all.
     */
    async estimateOf(appId: number, filter: Filter, pace?: Pace): Promise<SegmentEstimate> {
      await checkReferences(appId, filter, { keep: false })
      return estimateFilter(appId, filter, pace)
    },

    /**
     * The number of subscribed installs that match a segment as it was read; `isWhole`: all are checked, otherwise as by `estimateOf`.
     * What its filter names and is deleted by now matches nobody. Throws `unavailable` as `preview` and `estimateOf` do.
     */
    async measure(
      appId: number,
      { id, filter }: Pick<Segment, 'id' | 'filter'>,
      isWhole: boolean,
      pace?: Pace,
    ): Promise<SegmentSize> {
      if (isWhole) return { total: (await previewFilter(appId, filter, pace, id)).total, isEstimate: false }
      const { total, isEstimate } = await estimateFilter(appId, filter, pace, id)
      return { total, isEstimate }
    },

    /** Sends to the segment that wait: at most `limit` notifications, and as many in-app messages. Throws `not_found`. */
    async uses(appId: number, key: SegmentKey, limit: number): Promise<Use[]> {
      return usedBy(appId, { segmentId: (await get(appId, key)).id }, limit)
    },

    /** A segment that names a metric (`segment "Gold"`), if any. */
    async namingMetric(appId: number, name: string): Promise<string | undefined> {
      for (let after = 0; ; ) {
        const found = await repo.containing(appId, JSON.stringify(`metrics.${name}`), after)
        if (!found) return undefined
        const leaves = leavesOfStored(found.filter)
        if (leaves.some((leaf) => leaf.kind === 'metric' && leaf.name === name)) {
          return `segment ${JSON.stringify(found.name)}`
        }
        after = found.id
      }
    },

    /** Uses of a channel: at most `limit` segments whose filter names it, and as many sends of each kind that wait for it. */
    async usesOfChannel(
      appId: number,
      { id, uuid }: { id: number; uuid: string },
      limit: number,
    ): Promise<{ segments: Segment[]; sends: Use[] }> {
      const found: Segment[] = []
      for (let after = 0; found.length < limit; ) {
        const next = await repo.containing(appId, JSON.stringify(uuid), after)
        if (!next) break
        const leaves = leavesOfStored(next.filter)
        if (leaves.some((leaf) => leaf.kind === 'channels' && leaf.uuids.includes(uuid))) found.push(next)
        after = next.id
      }
      return { segments: found, sends: await usedBy(appId, { channelId: id }, limit) }
    },

    /** Locks a segment until the commit, as a change of it does first. */
    lock: (appId: number, key: SegmentKey) => repo.lock(appId, key, 'change'),

    /** The segment, locked against deletion until the commit, to accept something for it. Throws `not_found`. */
    async hold(appId: number, key: SegmentKey): Promise<Segment> {
      return known(await repo.lock(appId, key, 'keep'), key)
    },

    /**
     * The installs of the segment at `now` (ms), as SQL for a statement in which `installs` is a table or an alias with
     * all its columns: true or false, never NULL. No index helps with it, so the statement must limit the installs that
     * it reads. Throws `not_found`.
     */
    async condition(appId: number, segmentId: number, now: number): Promise<SegmentCondition> {
      return filterCondition(appId, (await get(appId, { id: segmentId })).filter, now, segmentId)
    },
  }
}

/** Reads a stored filter, which was checked when it was stored. Throws `Unreadable`. */
function conditionOf(filter: Filter, segmentId?: number): Condition {
  const { condition } = readFilter(filter)
  if (!condition) throw new Unreadable(segmentId === undefined ? 'a filter' : `the filter of segment ${segmentId}`)
  return condition
}

/** The conditions of a stored filter; none of one that cannot be read. */
function leavesOfStored(filter: Filter): Leaf[] {
  const { condition } = readFilter(filter)
  return condition ? [...leavesOf(condition)] : []
}

function tookTooLong(seconds: number): AppError {
  const message = `the installs of the app could not be checked in ${seconds} s: use the command appsvc segments preview`
  return new AppError('unavailable', message, { headers: { 'Retry-After': '60' } })
}

function* leavesOf(condition: Condition): Generator<Leaf> {
  if ('parts' in condition) for (const part of condition.parts) yield* leavesOf(part)
  else if ('part' in condition) yield* leavesOf(condition.part)
  else yield condition
}

function known(segment: Segment | undefined, key: SegmentKey): Segment {
  if (segment) return segment
  const named = 'id' in key ? key.id : JSON.stringify(key.uuid)
  throw new AppError('not_found', `there is no segment ${named}`)
}
