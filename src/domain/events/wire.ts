import { type Config, sizeLimit } from '../../platform/config/settings.ts'
import { type Base, once } from '../../platform/wiring.ts'
import type { CrmWire } from '../crm/wire.ts'
import { beaconHandler } from './beacons.ts'
import { createCrmHandler } from './crm-handler.ts'
import type { HandlingArea, TypesOf } from './event-types.ts'
import type { EventHandler } from './handler.ts'
import type { EventLimits } from './ingest/envelope.ts'
import { eventsRepository } from './repository.ts'
import { serverEvents } from './server-events.ts'
import { eventsService } from './service.ts'

export type EventsWire = ReturnType<typeof wireEvents>

interface Needs {
  crm: () => CrmWire
  /** Called after events were committed, so that readers of the log go on. */
  logGrew: () => void
  /** Handlers of other areas. Their effects are run in this order, after those of `crm` and `events`. */
  handlers: { [Area in Exclude<HandlingArea, 'crm' | 'events'>]: () => EventHandler<unknown, TypesOf<Area>> }
}

/** Events of devices and of the server: each is stored once and has its effects. */
export function wireEvents({ sql, config, clock, log, afterCommit }: Base, { crm, handlers, logGrew }: Needs) {
  const repo = once(() => eventsRepository(sql, () => afterCommit(logGrew)))
  const events = once(() =>
    eventsService({
      repo: repo(),
      crm: crm().crm(),
      handlers: { crm: once(() => createCrmHandler(crm().crm())), events: () => beaconHandler, ...handlers },
      claims: (appId) => crm().signedIds().claims(appId),
      limits: eventLimits(config),
      clock,
      log,
    }),
  )
  const ofServers = once(() =>
    serverEvents({ repo: repo(), crm: crm().crm(), clock, maxData: sizeLimit(config, 'limits.event') }),
  )
  return { events, ofServers, clearings: () => [repo().clearApp] }
}

export function eventLimits(config: Config): EventLimits {
  return {
    event: sizeLimit(config, 'limits.event'),
    attributes: sizeLimit(config, 'limits.attributes'),
    crash: sizeLimit(config, 'limits.crashBody'),
  }
}
