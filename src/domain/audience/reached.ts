import type { SubscribedInstall } from '../crm/tokens.service.ts'
import type { Platform } from '../gateways/registry.ts'

/** Installs and users that a caller named, each with the subscribed installs that it stands for. */
export interface NamedInstalls {
  installs: readonly { subscribed: readonly SubscribedInstall[] }[]
  users: readonly { subscribed: readonly SubscribedInstall[] }[]
}

/** Recipients of one platform, ascending, as a step of a walk has them; without a platform they cannot be reached. */
export interface Reached {
  platform: Platform | undefined
  rows: number[]
  /** Set when the installs are meant as installs of users who were named. */
  byUser?: true
}

/**
 * The recipients that a walk over these names would find now, those of users first. An install that is named itself does not count as one of
 * its user. Pure.
 */
export function reachedSteps({ installs, users }: NamedInstalls, exclude: readonly number[]): Reached[] {
  const named = installs.flatMap(({ subscribed }) => subscribed)
  const ofUsers = users.flatMap(({ subscribed }) => subscribed)
  const others = new Set([...exclude, ...named.map(({ row }) => row)])
  return [
    ...stepsOf(ofUsers, others).map((step) => ({ ...step, byUser: true as const })),
    ...stepsOf(named, new Set(exclude)),
  ]
}

function stepsOf(installs: readonly SubscribedInstall[], without: ReadonlySet<number>): Reached[] {
  const left = installs.filter(({ row }) => !without.has(row)).sort((a, b) => a.row - b.row)
  const byPlatform = Map.groupBy(left, ({ platform }) => platform)
  return [...byPlatform].map(([platform, list]) => ({ platform, rows: list.map(({ row }) => row) }))
}
