import { type FieldErrors, invalid, isAppError } from '../../platform/errors.ts'
import type { ChannelsService } from '../channels/service.ts'
import type { GivenId } from '../channels/types.ts'
import type { CrmService } from '../crm/service.ts'
import type { GeofencesService } from '../geofences/service.ts'
import type { SegmentsService } from '../segments/service.ts'
import type { Narrowing, Target, TargetErrors } from './types.ts'

/** The targeting fields of every form. Which of them a form has, its schema says. */
export interface Targeting {
  broadcast?: boolean
  installIds?: GivenId[]
  userIds?: GivenId[]
  segmentUuid?: string
  segmentId?: number
  channelUuids?: string[]
  channelIds?: number[]
  geofenceIds?: number[]
  geofenceTags?: string[]
  geofenceBroadcast?: boolean
  excludeInstallIds?: GivenId[]
}

/** The contract's four groups. Those with the same `kin` may be combined with each other (docs/decisions/0006-where-the-contract-is-silent.md). */
const GROUPS = [
  { name: 'broadcast', kin: 1, fields: ['broadcast'] },
  { name: 'installs/users', kin: 2, fields: ['installIds', 'userIds'] },
  { name: 'segments/channels', kin: 3, fields: ['segmentUuid', 'segmentId', 'channelUuids', 'channelIds'] },
  { name: 'geofences', kin: 3, fields: ['geofenceIds', 'geofenceTags', 'geofenceBroadcast'] },
] as const

const FLAGS = new Set<keyof Targeting>(['broadcast', 'geofenceBroadcast'])
const SINGLE = new Set<keyof Targeting>(['segmentUuid', 'segmentId'])

/** False and an empty list say nothing: the same as absent. */
function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false && !(Array.isArray(value) && value.length === 0)
}

function saysNothing(field: keyof Targeting, value: unknown): boolean {
  if (value === undefined) return true
  if (FLAGS.has(field)) return value === false
  return !SINGLE.has(field) && Array.isArray(value) && value.length === 0
}

/** The targeting without what says nothing, in the order given: what the record shows as `filters`. */
export function withoutEmpty(targeting: Targeting): Targeting {
  return Object.fromEntries(Object.entries(targeting).filter(([, value]) => isGiven(value)))
}

/** What several groups in one request mean: an error, or everybody who is in any of them. */
export type Mixing = 'refused' | 'union'

/**
 * What is wrong with a combination of targeting fields; `fields` are those that the form has. Values of a wrong type are
 * somebody else's finding: they count as given, so that a typing error is not also called a missing target.
 */
export function judgeTargeting(given: Record<string, unknown>, fields: readonly string[], mixing: Mixing): string[] {
  const chosen = GROUPS.map((group) => ({ ...group, fields: group.fields.filter((field) => fields.includes(field)) }))
  const present = chosen
    .map((group) => ({ ...group, fields: group.fields.filter((field) => isGiven(given[field])) }))
    .filter((group) => group.fields.length > 0)
  if (present.length === 0) {
    const attempted = chosen.some((group) => group.fields.some((field) => !saysNothing(field, given[field])))
    return attempted ? [] : [`needs at least one of ${chosen.flatMap((group) => group.fields).join(', ')}`]
  }
  if (mixing === 'union' || new Set(present.map((group) => group.kin)).size === 1) return []
  const names = present.map((group) => `${group.name} (${group.fields.join(', ')})`)
  return [`mixes ${names.join(' and ')}, which cannot be combined: send one request for each`]
}

/** Who knows which installs and users there are. Ids that nobody has are absent from its maps. */
export type AddressBook = Pick<CrmService, 'lookupInstalls' | 'lookupUsers'>

/** Who knows segments, channels and geofences. */
export interface Catalogue {
  segments: Pick<SegmentsService, 'hold'>
  channels: Pick<ChannelsService, 'findByUuids' | 'findByIds'>
  geofences: Pick<GeofencesService, 'unknownIds'>
}

export interface LookedUp {
  target: Target
  errors: TargetErrors
  /** False when only installs and users were named and none of them is known and subscribed. Exclusions do not matter here. */
  reachable: boolean
}

/**
 * Replaces the ids of a targeting by rows, and tells which of them cannot be reached. Expects judged targeting; several groups mean
 * whoever is in any of them. Throws `invalid` for a segment, channel or geofence that the app does not have: a typing error must not
 * send to nobody in silence. `prefix` is where the caller wrote the fields (`target.` or nothing).
 */
export async function lookupTarget(
  book: AddressBook,
  catalogue: Catalogue,
  appId: number,
  targeting: Targeting,
  prefix: string,
): Promise<LookedUp> {
  const exclude = await lookupExcluded(book, appId, targeting)
  const unnamed = await lookupUnnamed(catalogue, appId, targeting, prefix, exclude)
  const { rows, errors } = await lookupNamed(book, appId, targeting)
  if (!unnamed) return { target: { kind: 'installs', rows, exclude }, errors, reachable: rows.length > 0 }
  const isMore = unnamed.kind === 'filter' && rows.length > 0
  return { target: isMore ? { ...unnamed, also: rows } : unnamed, errors, reachable: true }
}

/** The subscribed installs that a targeting names, by themselves or by their users, and whom it names in vain. */
async function lookupNamed(
  book: AddressBook,
  appId: number,
  targeting: Targeting,
): Promise<{ rows: number[]; errors: TargetErrors }> {
  const installIds = distinct(targeting.installIds)
  const userIds = distinct(targeting.userIds)
  const installs = await book.lookupInstalls(appId, installIds.map(String))
  const users = await book.lookupUsers(appId, userIds.map(String))
  const errors = withoutEmptyLists({
    unknownInstallIds: installIds.filter((id) => !installs.has(String(id))),
    unsubscribedInstallIds: installIds.filter((id) => installs.get(String(id))?.subscribed === false),
    unknownUserIds: userIds.filter((id) => !users.has(String(id))),
    unsubscribedUserIds: userIds.filter((id) => users.get(String(id))?.rows.length === 0),
  })
  const rows = ascending([
    ...[...installs.values()].filter(({ subscribed }) => subscribed).map(({ row }) => row),
    ...[...users.values()].flatMap((user) => user.rows),
  ])
  return { rows, errors }
}

/** The install rows that a targeting leaves out. */
async function lookupExcluded(
  book: Pick<AddressBook, 'lookupInstalls'>,
  appId: number,
  { excludeInstallIds }: Targeting,
): Promise<number[]> {
  const excluded = await book.lookupInstalls(appId, distinct(excludeInstallIds).map(String))
  return ascending([...excluded.values()].map(({ row }) => row))
}

const NARROWING = GROUPS.flatMap((group) => (group.kin === 3 ? group.fields : []))

/**
 * What a targeting means beside the installs and users that it names; undefined when it is nothing. Everybody is everybody, whatever
 * stands beside it. `exclude` are install rows. Throws `invalid` as `lookupTarget` does.
 */
export async function lookupUnnamed(
  catalogue: Catalogue,
  appId: number,
  targeting: Targeting,
  prefix: string,
  exclude: number[],
): Promise<Exclude<Target, { kind: 'installs' }> | undefined> {
  const isNarrowed = NARROWING.some((field) => isGiven(targeting[field]))
  const narrowing = isNarrowed ? await lookupNarrowing(catalogue, appId, targeting, prefix) : undefined
  if (targeting.broadcast) return { kind: 'broadcast', exclude }
  return narrowing && { kind: 'filter', narrowing, exclude }
}

/** The segments, channels and geofences of a targeting. Throws `invalid` that names those that the app does not have. */
async function lookupNarrowing(
  { segments, channels, geofences }: Catalogue,
  appId: number,
  targeting: Targeting,
  prefix: string,
): Promise<Narrowing> {
  const errors: FieldErrors = {}
  const say = (field: keyof Targeting, what: string, unknown: readonly (string | number)[]) => {
    const given = targeting[field]
    for (const id of unknown) {
      const at = Array.isArray(given) ? `[${(given as unknown[]).indexOf(id)}]` : ''
      errors[`${prefix}${field}${at}`] = [`there is no ${what} ${JSON.stringify(id)}`]
    }
  }
  const found: Narrowing = { segments: [], channels: [], geofences: null }
  for (const field of ['segmentUuid', 'segmentId'] as const) {
    const given = targeting[field]
    if (given === undefined) continue
    try {
      found.segments.push((await segments.hold(appId, typeof given === 'number' ? { id: given } : { uuid: given })).id)
    } catch (error) {
      if (!isAppError(error) || error.code !== 'not_found') throw error
      say(field, 'segment', [given])
    }
  }
  const byUuid = await channels.findByUuids(appId, targeting.channelUuids ?? [])
  const byId = await channels.findByIds(appId, targeting.channelIds ?? [])
  say('channelUuids', 'channel', byUuid.unknown)
  say('channelIds', 'channel', byId.unknown)
  found.channels = ascending([...byUuid.channels, ...byId.channels].map(({ id }) => id))
  const { geofenceIds: ids = [], geofenceTags: tags = [], geofenceBroadcast: any = false } = targeting
  say('geofenceIds', 'geofence', await geofences.unknownIds(appId, ids))
  if (any || ids.length > 0 || tags.length > 0) found.geofences = { any, ids: ascending(ids), tags: [...new Set(tags)] }
  if (Object.keys(errors).length > 0) throw invalid(errors)
  return { ...found, segments: ascending(found.segments) }
}

/** Each id once, where it was given first. */
export function distinct(ids: readonly GivenId[] = []): GivenId[] {
  const first = new Map<string, GivenId>()
  for (const id of ids) if (!first.has(String(id))) first.set(String(id), id)
  return [...first.values()]
}

/** Each row once, in order. */
export function ascending(rows: Iterable<number>): number[] {
  return [...new Set(rows)].sort((a, b) => a - b)
}

/** Ascending rows without those in `others`, which is ascending too and may be much longer. */
export function without(rows: readonly number[], others: readonly number[]): number[] {
  return others.length === 0 ? [...rows] : rows.filter((row) => !holds(others, row))
}

function holds(sorted: readonly number[], row: number): boolean {
  let from = 0
  let to = sorted.length
  while (from < to) {
    const middle = (from + to) >>> 1
    if (sorted[middle]! < row) from = middle + 1
    else to = middle
  }
  return sorted[from] === row
}

/** The contract's `errors` object: lists that name nobody are left out. */
export function withoutEmptyLists(errors: Required<TargetErrors>): TargetErrors {
  return Object.fromEntries(Object.entries(errors).filter(([, ids]) => ids.length > 0))
}
