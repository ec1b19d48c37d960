import { sizeLimit } from '../../platform/config/settings.ts'
import { type Base, once } from '../../platform/wiring.ts'
import type { Clearing } from '../apps/types.ts'
import type { EventsWire } from '../events/wire.ts'
import type { StatisticsWire } from '../statistics/wire.ts'
import { bannersRepository } from './banners/repository.ts'
import { bannersService } from './banners/service.ts'
import { tapsRepository } from './match/repository.ts'
import { tapsService } from './match/service.ts'
import { linksRepository } from './repository.ts'
import { linksService } from './service.ts'
import { ownHosts } from './settings/addresses.ts'
import { linkSettingsRepository } from './settings/repository.ts'
import { visitsRepository } from './visit/repository.ts'

interface Needs {
  events: () => EventsWire
  statistics: () => StatisticsWire
  /** The port on which this program listens. With `port: 0` it is known only once the program listens. */
  port(): number
  /** Called after link settings were changed. */
  settingsChanged(): void
  /** Called after a link was changed or deleted. */
  linksChanged(): void
}

/** Deep links, their visits, and banners with the taps on them. */
export function wireLinks(
  { sql, config, clock, afterCommit }: Base,
  { events, statistics, port, settingsChanged, linksChanged }: Needs,
) {
  const repo = once(() => linksRepository(sql))
  const links = once(() =>
    linksService({
      repo: repo(),
      settings: linkSettingsRepository(sql),
      record: (appId, list) => events().events().recordAll(appId, list),
      count: (appId, visits) => statistics().statistics().addVisits(appId, visits),
      clock,
      settingsChanged: () => afterCommit(settingsChanged),
      linksChanged: () => afterCommit(linksChanged),
      at: {
        domain: config['links.domain'],
        baseUrl: config.baseUrl,
        get port() {
          return port()
        },
        linksHost: config['hosts.links'],
      },
      ownHosts: () => ownHosts(config),
      maxData: sizeLimit(config, 'limits.linkData'),
    }),
  )
  const visits = once(() => visitsRepository(sql))
  const banners = once(() => bannersService({ repo: bannersRepository(sql), links: links(), clock }))
  const tapsRepo = once(() => tapsRepository(sql))
  const taps = once(() => tapsService({ repo: tapsRepo(), links: links(), clock }))
  const clearings = (): Clearing[] => [tapsRepo().clearApp, repo().clearApp]
  return { links, visits, banners, taps, clearings }
}

export type LinksWire = ReturnType<typeof wireLinks>
