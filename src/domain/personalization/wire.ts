import { type Base, once } from '../../platform/wiring.ts'
import type { AppsWire } from '../apps/wire.ts'
import type { TablesWire } from '../tables/wire.ts'
import { peopleRepository } from './people/people.repository.ts'
import type { AppReads } from './people/readers.ts'

export type PersonalizationWire = ReturnType<typeof wirePersonalization>

/** The people and the data that texts may read. */
export function wirePersonalization(
  { sql }: Pick<Base, 'sql'>,
  { apps, tables }: { apps: () => AppsWire; tables: () => TablesWire },
) {
  return {
    people: once(() => peopleRepository(sql)),
    reads: once(
      (): AppReads => ({
        lookUp: (appId, where, texts) => tables().records().lookUp(appId, where, texts),
        appName: async (appId) => (await apps().apps().get(appId)).name,
        languageAttribute: (appId) => apps().apps().languageAttribute(appId),
      }),
    ),
  }
}
