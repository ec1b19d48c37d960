import { type Base, once } from '../../platform/wiring.ts'
import type { AudienceWire } from '../audience/wire.ts'
import type { ChannelsWire } from '../channels/wire.ts'
import type { ConsentWire } from '../consent/wire.ts'
import type { CrmWire } from '../crm/wire.ts'
import type { ErasuresWire } from '../erasures/wire.ts'
import type { NotificationsWire } from '../notifications/wire.ts'
import type { SegmentsWire } from '../segments/wire.ts'
import { profilesRepository } from './repository.ts'
import { createFinding } from './search/find.ts'
import { createShowing } from './show.ts'
import { timelineRepository } from './timeline.repository.ts'
import { createTimeline } from './timeline.ts'
import { createWhy } from './why.ts'

interface Needs {
  crm: () => CrmWire
  channels: () => ChannelsWire
  consent: () => ConsentWire
  segments: () => SegmentsWire
  audience: () => AudienceWire
  notifications: () => NotificationsWire
  erasures: () => ErasuresWire
}

/** Users as people of the console find them, read them and ask about them. */
export function wireProfiles({ sql, clock }: Base, needs: Needs) {
  const { crm, channels, consent, segments, audience, notifications, erasures } = needs
  const repo = once(() => profilesRepository(sql))
  const past = once(() => timelineRepository(sql))
  const finding = once(() =>
    createFinding({
      repo: repo(),
      users: crm().users(),
      installs: crm().installs(),
      book: crm().crm(),
      search: segments().userSearch(),
    }),
  )
  const showing = once(() =>
    createShowing({
      repo: repo(),
      book: crm().crm(),
      subscriptions: channels().subscriptions(),
      purposes: consent().purposes(),
      suppressions: consent().suppressions(),
    }),
  )
  const timeline = once(() =>
    createTimeline({
      repo: past(),
      user: (appId, id) => showing().user(appId, id),
      people: erasures().people(),
      sent: notifications().sent(),
      ledger: notifications().ledger(),
    }),
  )
  const why = once(() =>
    createWhy({
      user: (appId, id) => showing().user(appId, id),
      notifications: notifications().notifications(),
      ledger: notifications().ledger(),
      kept: notifications().kept(),
      traces: notifications().traces(),
      audience: audience().audience(),
      tokens: repo(),
      reports: past(),
      clock,
    }),
  )
  return { finding, showing, timeline, why }
}
