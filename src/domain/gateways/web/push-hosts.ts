import { type AllowPrivate, mayBePrivate } from '../../../platform/outbound.ts'
import { isKnownService } from './outcome.ts'

/** The settings `webPush.*`: which hosts web pushes go to besides the known push services. */
export interface PushHosts {
  anyHost: boolean
  /** Lower case; each with all below it. */
  extraHosts: readonly string[]
}

/** Whether a host is one that the operator named. */
export function isExtraHost(hostname: string, { extraHosts }: Pick<PushHosts, 'extraHosts'>): boolean {
  return extraHosts.some((host) => hostname === host || hostname.endsWith(`.${host}`))
}

/**
 * Why nothing is sent to an endpoint, or undefined. Anybody with an app's public key can register one, and would otherwise choose whom
 * this machine connects to. An origin that may be private was named by the operator too; where all may be, it is a laboratory.
 */
export function refusalOfHost(endpoint: string, hosts: PushHosts, allowPrivate: AllowPrivate): string | undefined {
  const { hostname, origin } = new URL(endpoint)
  const isTaken =
    hosts.anyHost || isKnownService(hostname) || isExtraHost(hostname, hosts) || mayBePrivate(allowPrivate, origin)
  return isTaken ? undefined : `${hostname} is not a known push service (webPush.extraHosts adds one)`
}
