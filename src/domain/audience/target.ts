import type { FieldErrors } from '../../platform/errors.ts'
import type { CrmService } from '../crm/service.ts'
import type { Target, TargetErrors } from './types.ts'

/** An install id or user identifier as a caller writes it; compared as text, echoed as given. */
export type GivenId = string | number

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

/** The contract's four groups. Those with the same `kin` may be combined with each other (decisions 4). */
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

/**
 * What is wrong with a combination of targeting fields; `fields` are those that the form has. Values of a wrong type are
 * somebody else's finding: they count as given, so that a typing error is not also called a missing target.
 */
export function judgeTargeting(given: Record<string, unknown>, fields: readonly string[]): string[] {
  const chosen = GROUPS.map((group) => ({ ...group, fields: group.fields.filter((field) => fields.includes(field)) }))
  const present = chosen
    .map((group) => ({ ...group, fields: group.fields.filter((field) => isGiven(given[field])) }))
    .filter((group) => group.fields.length > 0)
  if (present.length === 0) {
    const attempted = chosen.some((group) => group.fields.some((field) => !saysNothing(field, given[field])))
    return attempted ? [] : [`needs at least one of ${chosen.flatMap((group) => group.fields).join(', ')}`]
  }
  if (new Set(present.map((group) => group.kin)).size === 1) return []
  const names = present.map((group) => `${group.name} (${group.fields.join(', ')})`)
  return [`mixes ${names.join(' and ')}, which cannot be combined: send one notification for each`]
}

/** Targeting that this version cannot do yet, by field; `prefix` is where the caller wrote it (`target.` or nothing). */
export function unavailableTargeting(targeting: Targeting, prefix: string): FieldErrors {
  const fields = GROUPS.flatMap((group) => (group.kin === 3 ? group.fields : []))
  return Object.fromEntries(
    fields
      .filter((field) => isGiven(targeting[field]))
      .map((field) => [`${prefix}${field}`, ['is not available in this version: target installs, users or everyone']]),
  )
}

/** Who knows which installs and users there are. Ids that nobody has are absent from its maps. */
export type AddressBook = Pick<CrmService, 'lookupInstalls' | 'lookupUsers'>

export interface LookedUp {
  target: Target
  errors: TargetErrors
  /** False when installs or users were named and none of them is known and subscribed. Exclusions do not matter here. */
  reachable: boolean
}

/** Replaces the ids of a targeting by rows, and tells which of them cannot be reached. Expects judged, available targeting. */
export async function lookupTarget(book: AddressBook, appId: number, targeting: Targeting): Promise<LookedUp> {
  const excluded = await book.lookupInstalls(appId, distinct(targeting.excludeInstallIds).map(String))
  const exclude = ascending([...excluded.values()].map(({ row }) => row))
  if (targeting.broadcast) return { target: { kind: 'broadcast', exclude }, errors: {}, reachable: true }

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
  return { target: { kind: 'installs', rows, exclude }, errors, reachable: rows.length > 0 }
}

function distinct(ids: readonly GivenId[] = []): GivenId[] {
  const first = new Map<string, GivenId>()
  for (const id of ids) if (!first.has(String(id))) first.set(String(id), id)
  return [...first.values()]
}

function ascending(rows: number[]): number[] {
  return [...new Set(rows)].sort((a, b) => a - b)
}

function withoutEmptyLists(errors: Required<TargetErrors>): TargetErrors {
  return Object.fromEntries(Object.entries(errors).filter(([, ids]) => ids.length > 0))
}
