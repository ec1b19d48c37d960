import { openEitherPool } from '../../../platform/http2/either.ts'
import type { Http2Pool, OpenPool } from '../../../platform/http2/types.ts'
import { type AllowPrivate, lookupGuarded, mayBePrivate } from '../../../platform/net/outbound.ts'
import { tryOpenPool } from '../send/attempt.ts'
import { WEB } from './limits.ts'
import { isKnownService } from './push-hosts.ts'
import { createServiceHealth, type ServiceHealth } from './service-health.ts'

/** Max services whose health we remember. We keep connections to far fewer. */
const MAX_SERVICES = 1000
const SWEEP_MS = 60_000

interface Service {
  health: ServiceHealth
  pool: Http2Pool | undefined
  /** True when the service is a stranger: not known, not named by the operator. */
  isStranger: boolean
  usedAt: number
}

/**
 * The push services that a sender talks to. Keeps connections to the most recently used ones, opened on first use and
 * closed when idle, and remembers the health of more. `now` in ms.
 */
export function createPushServices(options: {
  ca: readonly string[]
  allowPrivate: AllowPrivate
  now: () => number
  openPool?: OpenPool | undefined
}) {
  const { ca, allowPrivate, now, openPool = openEitherPool } = options
  /** Services, the least recently used first. */
  const services = new Map<string, Service>()
  const closing = new Set<Promise<void>>()
  let pools = 0
  /** The number of pools that lead to strangers. */
  let strangers = 0
  const sweep = setInterval(() => {
    for (const service of services.values()) if (now() - service.usedAt >= WEB.idleMs) closePool(service)
  }, SWEEP_MS)
  sweep.unref()

  /** Lets running requests finish. */
  function closePool(service: Service): void {
    if (!service.pool) return
    const closed = service.pool.close().finally(() => closing.delete(closed))
    closing.add(closed)
    service.pool = undefined
    pools--
    if (service.isStranger) strangers--
  }

  function find(origin: string): Service {
    const service = services.get(origin) ?? {
      health: createServiceHealth(Math.random, { isOfBrowsers: isKnownService(new URL(origin).hostname) }),
      pool: undefined,
      isStranger: false,
      usedAt: 0,
    }
    services.delete(origin)
    services.set(origin, service)
    service.usedAt = now()
    if (services.size > MAX_SERVICES) forgetOldest()
    return service
  }

  function forgetOldest(): void {
    const [origin, oldest] = services.entries().next().value!
    closePool(oldest)
    services.delete(origin)
  }

  return {
    /** The health of a service; marks it as the most recently used. */
    healthOf: (origin: string): ServiceHealth => find(origin).health,

    /**
     * The connections of a service, or the reason why the settings allow none. Connections to strangers (`isStranger`)
     * are limited: undefined while all are in use.
     */
    poolOf(origin: string, isStranger = false): Http2Pool | Error | undefined {
      const service = find(origin)
      if (service.pool) return service.pool
      if (isStranger && strangers >= WEB.strangers) {
        const idle = services.values().find((one) => one.pool && one.isStranger && one.health.inFlight === 0)
        if (!idle) return undefined
        closePool(idle)
      }
      const lookup = lookupGuarded(mayBePrivate(allowPrivate, origin))
      const opened = tryOpenPool(openPool, {
        origin,
        ca,
        lookup,
        ...(isStranger && { maxSessions: WEB.strangerSessions }),
      })
      if (opened instanceof Error) return opened
      service.pool = opened
      service.isStranger = isStranger
      if (isStranger) strangers++
      if (++pools > WEB.services) closePool(services.values().find(({ pool }) => pool)!)
      return opened
    },

    /** Number of services with open connections. */
    get open(): string[] {
      return [...services].filter(([, { pool }]) => pool).map(([origin]) => origin)
    },

    async close(): Promise<void> {
      clearInterval(sweep)
      services.forEach(closePool)
      await Promise.all(closing)
    },
  }
}
