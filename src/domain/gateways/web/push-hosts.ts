import { type AllowPrivate, mayBePrivate } from '../../../platform/net/outbound.ts'
import type { PushHosts } from '../gateway.ts'
import { WEB } from './limits.ts'

/** Whether a host belongs to one of the push services that browsers ship with. */
export function isKnownService(hostname: string): boolean {
  return isBelow(hostname, WEB.knownHosts)
}

/** Whether a host is one that the operator named. */
export function isExtraHost(hostname: string, { extraHosts }: Pick<PushHosts, 'extraHosts'>): boolean {
  return isBelow(hostname, extraHosts)
}

/**
 * Why we refuse to send to an endpoint, or undefined. Anybody with an app's public key can register one, and would
 * otherwise choose which hosts this machine connects to. Origins in `allowPrivate` were named by the operator, so they
 * are allowed; `true` allows all, for laboratories.
 */
export function refusalOfHost(endpoint: string, hosts: PushHosts, allowPrivate: AllowPrivate): string | undefined {
  const { hostname, origin } = new URL(endpoint)
  const isTaken =
    hosts.anyHost || isKnownService(hostname) || isExtraHost(hostname, hosts) || mayBePrivate(allowPrivate, origin)
  return isTaken ? undefined : `${hostname} is not a known push service (webPush.extraHosts adds one)`
}

function isBelow(hostname: string, hosts: readonly string[]): boolean {
  return hosts.some((host) => hostname === host || hostname.endsWith(`.${host}`))
}
