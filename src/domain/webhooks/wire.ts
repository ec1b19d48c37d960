import { type Base, once } from '../../platform/wiring.ts'
import type { Clearing } from '../apps/types.ts'
import type { FollowersWire } from '../followers/wire.ts'
import { attemptsRepository } from './attempts.repository.ts'
import { webhookCursorsRepository } from './cursors.repository.ts'
import { deliveriesService } from './deliveries.service.ts'
import { webhooksRepository } from './repository.ts'
import { webhooksService } from './service.ts'

/** Webhooks: their addresses and events, and the place of each endpoint in the log. */
export function wireWebhooks({ sql, config, clock, vault }: Base, { followers }: { followers: () => FollowersWire }) {
  const repo = once(() => webhooksRepository(sql))
  const cursors = once(() => webhookCursorsRepository(sql))
  const attempts = once(() => attemptsRepository(sql))
  const webhooks = once(() =>
    webhooksService({
      repo: repo(),
      cursors: cursors(),
      attempts: attempts(),
      log: followers().eventLog(),
      vault,
      clock,
      allowPrivate: config['outbound.allowPrivate'],
      most: config['limits.webhooks'],
    }),
  )
  const deliveries = once(() =>
    deliveriesService({ webhooks: repo(), cursors: cursors(), attempts: attempts(), vault, clock }),
  )
  const clearings = (): Clearing[] => [repo().clearApp]
  return { webhooks, deliveries, clearings }
}
