import { type Base, once } from '../../platform/wiring.ts'
import type { ChannelsWire } from '../channels/wire.ts'
import type { CrmWire } from '../crm/wire.ts'
import type { EventsWire } from '../events/wire.ts'
import type { NotificationsWire } from '../notifications/wire.ts'
import { createExport } from './export.ts'
import { erasuresFile, readListed } from './list-file.ts'
import { erasuresRepository } from './repository.ts'
import { searchRepository } from './search.repository.ts'
import { erasuresService } from './service.ts'

export type ErasuresWire = ReturnType<typeof wireErasures>

interface Needs {
  crm: () => CrmWire
  events: () => EventsWire
  channels: () => ChannelsWire
  notifications: () => NotificationsWire
}

/** Erasing and exporting data of a person. */
export function wireErasures({ sql, config, vault, clock }: Base, { crm, events, channels, notifications }: Needs) {
  const repo = once(() => erasuresRepository(sql))
  const erasures = once(() =>
    erasuresService({
      repo: repo(),
      search: searchRepository(sql),
      users: crm().users(),
      installs: crm().installs(),
      tokens: crm().tokens(),
      ledger: notifications().ledger(),
      imports: channels().imports(),
      events: events().events(),
      vault,
      listed: () => readListed(erasuresFile(config.dataDir)),
      clock,
    }),
  )
  const exporting = once(() => createExport(repo()))
  return { erasures, exporting, people: repo }
}
