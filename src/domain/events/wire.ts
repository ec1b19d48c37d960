import { type Config, sizeLimit } from '../../platform/config.ts'
import { type Base, once } from '../../platform/wiring.ts'
import type { CrmWire } from '../crm/wire.ts'
import { beaconEventHandlers } from './beacons.ts'
import type { EventLimits } from './envelope.ts'
import { crmEventHandlers, type EventHandlers, type GatheringHandlers } from './handlers.ts'
import { eventsRepository } from './repository.ts'
import { eventsService } from './service.ts'

export type EventsWire = ReturnType<typeof wireEvents>

interface Needs {
  crm: () => CrmWire
  handlers: () => EventHandlers
  gathering: () => GatheringHandlers
}

/** What devices and the server tell: events, stored once, and what they do. */
export function wireEvents({ sql, config, clock, log }: Base, { crm, handlers, gathering }: Needs) {
  const repo = once(() => eventsRepository(sql))
  const events = once(() =>
    eventsService({
      repo: repo(),
      crm: crm().crm(),
      handlers: { ...crmEventHandlers(crm().crm()), ...beaconEventHandlers, ...handlers() },
      gathering: gathering(),
      claims: (appId) => crm().signedIds().claims(appId),
      limits: eventLimits(config),
      clock,
      log,
    }),
  )
  return { events, clearings: () => [repo().clearApp] }
}

export function eventLimits(config: Config): EventLimits {
  return {
    event: sizeLimit(config, 'limits.event'),
    attributes: sizeLimit(config, 'limits.attributes'),
    crash: sizeLimit(config, 'limits.crashBody'),
  }
}
