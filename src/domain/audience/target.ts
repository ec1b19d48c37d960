import { type FieldErrors, invalid, isAppError } from '../../platform/errors.ts'
import type { ChannelsService } from '../channels/service.ts'
import type { GivenId } from '../channels/types.ts'
import type { CrmService } from '../crm/service.ts'
import type { SubscribedInstall } from '../crm/tokens.service.ts'
import type { GeofencesService } from '../geofences/service.ts'
import type { SegmentsService } from '../segments/service.ts'
import { type Reached, reachedSteps } from './reached.ts'
import type { Exclusion, Narrowing, Target, TargetErrors } from './types.ts'

/** The targeting fields of all request forms. The schema of a form says which of them it has. */
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

/**
 * The contract's four groups. Groups with the same `kin` may be combined with each other
 * (docs/decisions/0006-where-the-contract-is-silent.md).
 */
const GROUPS = [
  { name: 'broadcast', kin: 1, fields: ['broadcast'] },
  { name: 'installs/users', kin: 2, fields: ['installIds', 'userIds'] },
  { name: 'segments/channels', kin: 3, fields: ['segmentUuid', 'segmentId', 'channelUuids', 'channelIds'] },
  { name: 'geofences', kin: 3, fields: ['geofenceIds', 'geofenceTags', 'geofenceBroadcast'] },
] as const

const FLAGS = new Set<keyof Targeting>(['broadcast', 'geofenceBroadcast'])
const SINGLE = new Set<keyof Targeting>(['segmentUuid', 'segmentId'])

/** False and an empty list count as absent. */
function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false && !(Array.isArray(value) && value.length === 0)
}

function isEmpty(field: keyof Targeting, value: unknown): boolean {
  if (value === undefined) return true
  if (FLAGS.has(field)) return value === false
  return !SINGLE.has(field) && Array.isArray(value) && value.length === 0
}

/** The targeting without fields that count as absent, in the order given: the `filters` of a record. */
export function withoutEmpty(targeting: Targeting): Targeting {
  return Object.fromEntries(Object.entries(targeting).filter(([, value]) => isGiven(value)))
}

/** Number of installs and users that a targeting names; undefined when it has anything else, whose audience is looked up. */
export function namedOnly(targeting: Targeting): number | undefined {
  const { installIds = [], userIds = [], ...others } = withoutEmpty(targeting)
  return Object.keys(others).length === 0 ? installIds.length + userIds.length : undefined
}

/** The meaning of several groups in one request: an error, or everybody who is in any of the groups. */
export type Mixing = 'refused' | 'union'

/**
 * Errors in a combination of targeting fields; `fields` are those that the form has. A value of the wrong type counts
 * as given: its own check reports it, and it is not reported as a missing target as well.
 */
export function judgeTargeting(given: Record<string, unknown>, fields: readonly string[], mixing: Mixing): string[] {
  const chosen = GROUPS.map((group) => ({ ...group, fields: group.fields.filter((field) => fields.includes(field)) }))
  const present = chosen
    .map((group) => ({ ...group, fields: group.fields.filter((field) => isGiven(given[field])) }))
    .filter((group) => group.fields.length > 0)
  if (present.length === 0) {
    const attempted = chosen.some((group) => group.fields.some((field) => !isEmpty(field, given[field])))
    return attempted ? [] : [`needs at least one of ${chosen.flatMap((group) => group.fields).join(', ')}`]
  }
  if (mixing === 'union' || new Set(present.map((group) => group.kin)).size === 1) return []
  const names = present.map((group) => `${group.name} (${group.fields.join(', ')})`)
  return [`mixes ${names.join(' and ')}, which cannot be combined: send one request for each`]
}

/** An install or a user that a caller named, and the recipients of a send to it: nobody when it is unsubscribed. */
interface Named {
  reached: readonly number[]
}

/** Finds the installs and users that a caller names. Unknown ids are absent from the maps. */
export interface AddressBook<N extends Named = Named> {
  /** `row` is the install's. */
  lookupInstalls(appId: number, ids: string[]): Promise<ReadonlyMap<string, N & { row: number }>>
  lookupUsers(appId: number, identifiers: string[]): Promise<ReadonlyMap<string, N>>
}

/** Finds segments, channels and geofences. */
export interface Catalogue {
  segments: Pick<SegmentsService, 'hold'>
  channels: Pick<ChannelsService, 'findByUuids' | 'findByIds'>
  geofences: Pick<GeofencesService, 'unknownIds'>
}

/** A target with every id looked up, of push (`Target`) or of in-app messages (`UserTarget`). */
export interface LookedUp<T> {
  target: T
  errors: TargetErrors
  /** False when only installs and users were named and a send reaches none of them. Exclusions do not count here. */
  reachable: boolean
}

/** The target of a push, looked up. */
export interface LookedUpPush extends LookedUp<Target> {
  /** The recipients, as a walk would find them now; absent when others than named installs and users are meant. */
  reached?: Reached[]
}

/** A targeting whose ids are replaced by rows. */
export interface FoundTarget<N extends Named = Named> {
  /** The meaning of the targeting besides the installs and users that it names; undefined when it only names some. */
  unnamed: Exclude<Target, { kind: 'installs' }> | undefined
  /** Installs that the named installs and users reach. */
  installs: number[]
  users: number[]
  /** The entries of both in the address book. */
  named: { installs: N[]; users: N[] }
  exclusion: Exclusion
  errors: TargetErrors
}

/**
 * Replaces the ids of a targeting by rows and reports those that cannot be reached. Expects a targeting that `judgeTargeting`
 * has passed. Throws `invalid` for a segment, channel or geofence that the app does not have: a typing error must not
 * silently send to nobody. `prefix` is the path at which the caller wrote the fields (`target.` or nothing).
 */
export async function findTarget<N extends Named>(
  book: AddressBook<N>,
  catalogue: Catalogue,
  appId: number,
  targeting: Targeting,
  prefix: string,
): Promise<FoundTarget<N>> {
  const excludedIds = distinct(targeting.excludeInstallIds).map(String)
  const excluded = await book.lookupInstalls(appId, excludedIds)
  const exclude = ascending([...excluded.values()].map(({ row }) => row))
  const exclusion: Exclusion = { exclude, ...(excluded.size < excludedIds.length && { awaits: true as const }) }
  const unnamed = await findUnnamed(catalogue, appId, targeting, prefix, exclusion)
  const installIds = distinct(targeting.installIds)
  const userIds = distinct(targeting.userIds)
  const installs = await book.lookupInstalls(appId, installIds.map(String))
  const users = await book.lookupUsers(appId, userIds.map(String))
  const isUnreached = (named: Named | undefined) => named?.reached.length === 0
  const errors = withoutEmptyLists({
    unknownInstallIds: installIds.filter((id) => !installs.has(String(id))),
    unsubscribedInstallIds: installIds.filter((id) => isUnreached(installs.get(String(id)))),
    unknownUserIds: userIds.filter((id) => !users.has(String(id))),
    unsubscribedUserIds: userIds.filter((id) => isUnreached(users.get(String(id)))),
  })
  const named = { installs: [...installs.values()], users: [...users.values()] }
  const reached = (found: readonly Named[]) => ascending(found.flatMap((one) => one.reached))
  return { unnamed, installs: reached(named.installs), users: reached(named.users), named, exclusion, errors }
}

/**
 * The target of a push: the installs and users that are named, and all other groups. Several groups mean everybody who
 * is in any of them. The installs of a user are looked up when the push is sent. Throws as `findTarget` does.
 */
export async function lookupTarget(
  crm: PushBook,
  catalogue: Catalogue,
  appId: number,
  targeting: Targeting,
  prefix: string,
): Promise<LookedUpPush> {
  const found = await findTarget(addressBookOf(crm), catalogue, appId, targeting, prefix)
  const { unnamed, installs: rows, users, exclusion, errors } = found
  const named = users.length > 0 ? { users } : {}
  if (!unnamed) {
    const reachable = rows.length + users.length > 0
    // Of installs that are known already, none can turn out to be excluded.
    const excluded = users.length > 0 ? exclusion : { exclude: exclusion.exclude }
    const reached = reachedSteps(found.named, exclusion.exclude)
    return { target: { kind: 'installs', rows, ...named, ...excluded }, errors, reachable, reached }
  }
  if (unnamed.kind === 'broadcast') return { target: unnamed, errors, reachable: true }
  return { target: { ...unnamed, ...(rows.length > 0 && { also: rows }), ...named }, errors, reachable: true }
}

/** The look-ups of installs and users for a push. */
export type PushBook = Pick<CrmService, 'lookupInstalls' | 'lookupUsers'>

/** An install or a user that is named for a push, and the subscribed installs that it stands for. */
interface NamedForPush extends Named {
  subscribed: readonly SubscribedInstall[]
}

/** A push reaches an install when it is subscribed, and a user who has a subscribed install. */
function addressBookOf(crm: PushBook): AddressBook<NamedForPush> {
  return {
    async lookupInstalls(appId, ids) {
      const found = await crm.lookupInstalls(appId, ids)
      return new Map(
        [...found].map(([id, { row, subscribed: isSubscribed, platform }]) => {
          const subscribed = isSubscribed ? [{ row, platform }] : []
          return [id, { row, subscribed, reached: subscribed.map((install) => install.row) }]
        }),
      )
    },
    async lookupUsers(appId, identifiers) {
      const found = await crm.lookupUsers(appId, identifiers)
      return new Map(
        [...found].map(([id, { userId, installs }]) => {
          return [id, { subscribed: installs, reached: installs.length > 0 ? [userId] : [] }]
        }),
      )
    },
  }
}

const NARROWING = GROUPS.flatMap((group) => (group.kin === 3 ? group.fields : []))

/** `FoundTarget.unnamed`. A broadcast goes to everybody, whatever else is named. */
async function findUnnamed(
  catalogue: Catalogue,
  appId: number,
  targeting: Targeting,
  prefix: string,
  exclusion: Exclusion,
): Promise<FoundTarget['unnamed']> {
  const isNarrowed = NARROWING.some((field) => isGiven(targeting[field]))
  const narrowing = isNarrowed ? await lookupNarrowing(catalogue, appId, targeting, prefix) : undefined
  if (targeting.broadcast) return { kind: 'broadcast', ...exclusion }
  return narrowing && { kind: 'filter', narrowing, ...exclusion }
}

/** The segments, channels and geofences of a targeting. Throws `invalid` naming those that the app does not have. */
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

/** The ids without duplicates, in the order given. */
function distinct(ids: readonly GivenId[] = []): GivenId[] {
  const first = new Map<string, GivenId>()
  for (const id of ids) if (!first.has(String(id))) first.set(String(id), id)
  return [...first.values()]
}

/** The rows without duplicates, ascending. */
export function ascending(rows: Iterable<number>): number[] {
  return [...new Set(rows)].sort((a, b) => a - b)
}

/** Ascending rows without those in `others`, which is ascending as well and may be much longer. */
export function without(rows: readonly number[], others: readonly number[]): number[] {
  return others.length === 0 ? [...rows] : rows.filter((row) => !holds(others, row))
}

/** Tells whether an ascending list has a row. */
export function holds(sorted: readonly number[], row: number): boolean {
  let from = 0
  let to = sorted.length
  while (from < to) {
    const middle = (from + to) >>> 1
    if (sorted[middle]! < row) from = middle + 1
    else to = middle
  }
  return sorted[from] === row
}

/**
 * A stored target as a walk needs it: with the excluded ids that were unknown when the send was accepted. `filters`: the
 * targeting of the send, read only when there are such ids.
 */
export async function withAwaited<T extends Exclusion>(
  target: T,
  filters: () => Promise<Pick<Targeting, 'excludeInstallIds'> | undefined>,
): Promise<T> {
  if (!target.awaits) return target
  return { ...target, awaited: distinct((await filters())?.excludeInstallIds).map(String) }
}

/** The contract's `errors` object leaves empty lists out. */
function withoutEmptyLists(errors: Required<TargetErrors>): TargetErrors {
  return Object.fromEntries(Object.entries(errors).filter(([, ids]) => ids.length > 0))
}
