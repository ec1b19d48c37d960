import { platforms } from '../../domain/gateways/registry.ts'
import type { InstallChanges, InstallCounts, InstallPeriod, Reach } from '../../domain/statistics/types.ts'
import { answer, count, list, nullable, oneOf, string, told } from '../schema.ts'

/** The audience of an app: how many it has now, and how that changed. */
export interface HomeAudience {
  people: number
  installs: InstallCounts
  period: InstallPeriod
}

const reach = {
  total: told(count, 'All of them.', 1240),
  reachable: told(count, 'Pushes are sent to these.', 980),
  off: told(count, 'Notifications are turned off on these.', 140),
  withoutToken: told(count, 'They have no push token, or the vendor refused it.', 120),
}

const installs = answer<InstallCounts>()('HomeInstalls', 'The installs of an app by whether pushes can reach them.', {
  ...reach,
  platforms: told(
    list(
      answer<Reach & InstallCounts['platforms'][number]>()('HomePlatform', 'The installs of one platform.', {
        platform: told(nullable(oneOf(platforms)), 'Null: installs that never had a push token.', 'ios'),
        ...reach,
      }),
    ),
    'By platform, in the order in which they are shown.',
  ),
})

const changes = answer<InstallChanges>()('InstallChanges', 'How the installs of an app changed.', {
  added: told(count, 'Installs that reported for the first time.', 52),
  gained: told(count, 'Installs that pushes could reach from then on.', 48),
  lost: told(count, 'Installs whose token was refused, removed or taken over by another install.', 9),
  optedOut: told(count, 'Reachable installs whose owner turned notifications off.', 4),
})

const period = answer<InstallPeriod>()('InstallPeriod', 'How the installs of an app changed in a period of UTC days.', {
  changes: told(changes, 'In the period, today included.'),
  before: told(nullable(changes), 'In as many days before it. Null: counting began later.'),
  countedSince: told(nullable(string), 'The first day of which something is counted.', '2026-11-23'),
})

/** The members of the home of an app that tell of its audience. */
export const homeAudience = {
  people: told(count, 'Users on the list of the app.', 1100),
  installs: told(installs, 'Installs by whether pushes can reach them.'),
  period: told(period, 'How they changed. A deleted install counts as neither lost nor opted out.'),
}
