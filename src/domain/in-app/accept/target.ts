import {
  ascending,
  type Catalogue,
  distinct,
  lookupUnnamed,
  type Targeting,
  withoutEmptyLists,
} from '../../audience/target.ts'
import type { TargetErrors } from '../../audience/types.ts'
import type { RecipientsRepository } from '../fan-out/recipients.repository.ts'
import type { InAppTarget } from '../types.ts'

export interface LookedUp {
  target: InAppTarget
  /** `unsubscribed` are those with in-app messages disabled. */
  errors: TargetErrors
  /** False when installs or users were named and none of them is known and enabled. Exclusions do not matter here. */
  reachable: boolean
}

/**
 * Replaces the ids of a targeting by rows, and tells who cannot get in-app messages. Expects judged targeting. Throws `invalid` for a
 * segment, channel or geofence that the app does not have. `prefix` is where the caller wrote the fields.
 */
export async function lookupTarget(
  recipients: Pick<RecipientsRepository, 'namedInstalls' | 'namedUsers'>,
  catalogue: Catalogue,
  appId: number,
  targeting: Targeting,
  prefix: string,
): Promise<LookedUp> {
  const exclude = await lookupExcluded(recipients, appId, targeting)
  const unnamed = await lookupUnnamed(catalogue, appId, targeting, prefix, exclude)
  if (unnamed) return { target: unnamed, errors: {}, reachable: true }

  const installIds = distinct(targeting.installIds)
  const userIds = distinct(targeting.userIds)
  const byName = (found: Awaited<ReturnType<typeof recipients.namedUsers>>) =>
    new Map(found.map((one) => [one.name, one]))
  const installs = byName(await recipients.namedInstalls(appId, installIds.map(String)))
  const users = byName(await recipients.namedUsers(appId, userIds.map(String)))
  const errors = withoutEmptyLists({
    unknownInstallIds: installIds.filter((id) => !installs.has(String(id))),
    unsubscribedInstallIds: installIds.filter((id) => installs.get(String(id))?.enabled === false),
    unknownUserIds: userIds.filter((id) => !users.has(String(id))),
    unsubscribedUserIds: userIds.filter((id) => users.get(String(id))?.enabled === false),
  })
  const enabled = (found: ReturnType<typeof byName>) =>
    ascending([...found.values()].filter((one) => one.enabled).map(({ id }) => id))
  const target = { kind: 'named' as const, users: enabled(users), installs: enabled(installs), exclude }
  return { target, errors, reachable: target.users.length + target.installs.length > 0 }
}

/** The install rows that a targeting leaves out. */
async function lookupExcluded(
  recipients: Pick<RecipientsRepository, 'namedInstalls'>,
  appId: number,
  { excludeInstallIds }: Targeting,
): Promise<number[]> {
  const excluded = await recipients.namedInstalls(appId, distinct(excludeInstallIds).map(String))
  return ascending(excluded.map(({ id }) => id))
}
