import { sizeLimit } from '../../platform/config/settings.ts'
import { type Base, once } from '../../platform/wiring.ts'
import { checkinsRepository } from './repository.ts'
import { checkinsService } from './service.ts'

/** Check-ins of groups of people at places. */
export function wireCheckins({ sql, config, clock }: Base) {
  const repo = once(() => checkinsRepository(sql))
  const checkins = once(() => checkinsService({ repo: repo(), clock, largest: sizeLimit(config, 'limits.checkin') }))
  return { checkins, clearings: () => [repo().clearApp] }
}
