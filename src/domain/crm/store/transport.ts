import type { Gateway } from '../../gateways/gateway.ts'
import { gateways, PLATFORM_TYPES, type Platform, platformOf, platforms } from '../../gateways/registry.ts'
import type { Install } from '../types.ts'

/** Every word for the way of a push to an install: one of each gateway, or another for apps. */
export const TRANSPORTS: readonly string[] = Object.values<Gateway>(gateways).flatMap(
  ({ transport, transportOfApps }) => [transport, ...(transportOfApps === undefined ? [] : [transportOfApps])],
)

/** The way of a push to the install; null without a token. */
export function transportOf({ platform: type, runsIn }: Pick<Install, 'platform' | 'runsIn'>): string | null {
  const platform = type === null ? undefined : platformOf(type)
  if (platform === undefined) return null
  const { transport, transportOfApps }: Gateway = gateways[platform]
  return (runsIn === 'app' ? transportOfApps : undefined) ?? transport
}

/**
 * The platform of an install for people; null without a token. Apps with web pushes are on Android: for other systems there is no
 * distributor of UnifiedPush that apps are built for.
 */
export function shownPlatformOf({ platform: type, runsIn }: Pick<Install, 'platform' | 'runsIn'>): Platform | null {
  const platform = (type === null ? undefined : platformOf(type)) ?? null
  return platform === 'web' && runsIn === 'app' ? 'android' : platform
}

/** SQL over `installs` of `transportOf`. */
export const TRANSPORT_SQL: string = `CASE ${platforms.flatMap(casesOf).join(' ')} END`

function casesOf(platform: (typeof platforms)[number]): string[] {
  const { transport, transportOfApps }: Gateway = gateways[platform]
  const is = `installs.platform = ${PLATFORM_TYPES[platform]}`
  return [
    ...(transportOfApps === undefined ? [] : [`WHEN ${is} AND installs.runs_in = 'app' THEN '${transportOfApps}'`]),
    `WHEN ${is} THEN '${transport}'`,
  ]
}
