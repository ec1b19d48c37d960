import { type Base, once } from '../../platform/wiring.ts'
import type { AppsWire } from '../apps/wire.ts'
import type { NotificationsWire } from '../notifications/wire.ts'
import type { SeriesWire } from '../series/wire.ts'
import { approvalsRepository } from './repository.ts'
import { approvalsService } from './service.ts'

interface Needs {
  apps: () => AppsWire
  notifications: () => NotificationsWire
  series: () => SeriesWire
}

/** Pushes that wait for a second person. */
export function wireApprovals({ sql, clock }: Base, { apps, notifications, series }: Needs) {
  const approvals = once(() =>
    approvalsService({
      repo: approvalsRepository(sql),
      apps: apps().apps(),
      sends: notifications().sends(),
      series: series().series(),
      clock,
    }),
  )
  return { approvals }
}
