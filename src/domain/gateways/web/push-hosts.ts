import { messageOf } from '../../../platform/errors.ts'
import { type AllowPrivate, checkOutboundUrl, mayBePrivate } from '../../../platform/net/outbound.ts'
import type { PushHosts } from '../gateway.ts'
import { WEB } from './limits.ts'

/** Tells whether a host belongs to one of the push services that browsers ship with. */
export function isKnownService(hostname: string): boolean {
  return isBelow(hostname, WEB.knownHosts)
}

/** Tells whether a host is one that the operator named. */
export function isExtraHost(hostname: string, { extraHosts }: Pick<PushHosts, 'extraHosts'>): boolean {
  return isBelow(hostname, extraHosts)
}

/**
 * The reason to refuse an endpoint, or undefined. Anybody with an app's public key can register one, and would
 * otherwise choose which hosts this machine connects to. Origins in `allowPrivate` were named by the operator, so they
 * are allowed; `true` allows all, for laboratories.
 */
export function refusalOfHost(endpoint: string, hosts: PushHosts, allowPrivate: AllowPrivate): string | undefined {
  const url = new URL(endpoint)
  if (isTaken(url, hosts, allowPrivate)) return undefined
  if (!hosts.unifiedPush) return `${url.hostname} is not a known push service (webPush.extraHosts adds one)`
  try {
    // Whether the host is a UnifiedPush server is asked when something is sent to it.
    checkOutboundUrl(endpoint, allowPrivate)
    return undefined
  } catch (error) {
    return messageOf(error)
  }
}

/** Tells whether a host is accepted only if it says that it is a UnifiedPush server. */
export function needsDiscovery(
  to: { hostname: string; origin: string },
  hosts: PushHosts,
  allowPrivate: AllowPrivate,
): boolean {
  return hosts.unifiedPush && !isTaken(to, hosts, allowPrivate)
}

function isTaken(
  { hostname, origin }: { hostname: string; origin: string },
  hosts: PushHosts,
  allowPrivate: AllowPrivate,
): boolean {
  return hosts.anyHost || isKnownService(hostname) || isExtraHost(hostname, hosts) || mayBePrivate(allowPrivate, origin)
}

function isBelow(hostname: string, hosts: readonly string[]): boolean {
  return hosts.some((host) => hostname === host || hostname.endsWith(`.${host}`))
}
