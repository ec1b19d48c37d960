import { type Base, once } from '../../platform/wiring.ts'
import type { Clearing } from '../apps/types.ts'
import type { AudienceWire } from '../audience/wire.ts'
import type { InAppWire } from '../in-app/wire.ts'
import type { NotificationsWire } from '../notifications/wire.ts'
import { mostLateness } from '../schedules/schedule.ts'
import { createMakers } from './makers.ts'
import { createPlanner } from './planner.ts'
import { seriesRepository } from './repository.ts'
import { seriesService } from './service.ts'

export type SeriesWire = ReturnType<typeof wireSeries>

interface Needs {
  audience: () => AudienceWire
  inApp: () => InAppWire
  notifications: () => NotificationsWire
}

/** Sends that repeat: each occurrence is a notification or an in-app message of its own. */
export function wireSeries({ sql, config, clock }: Base, { audience, inApp, notifications }: Needs) {
  const rows = once(() => seriesRepository(sql))
  const makers = once(() =>
    createMakers({
      sends: notifications().sends(),
      audience: audience().audience(),
      sent: notifications().sent(),
      runs: notifications().runs(),
      ledger: notifications().ledger(),
      inApp: inApp().inApp(),
      messages: inApp().inAppMessages(),
      pushes: notifications().linkedPushes(),
      now: () => clock.now(),
    }),
  )
  const planner = once(() =>
    createPlanner({
      repo: rows(),
      audience: audience().audience(),
      makers: makers(),
      clock,
      maxLatenessMs: mostLateness(config['schedule.maxLateness']),
    }),
  )
  const series = once(() => {
    const parts = { repo: rows(), makers: makers(), planner: planner(), clock }
    return seriesService({ ...parts, firstWords: inApp().firstWords() })
  })
  const clearings = (): Clearing[] => [(appId, limit) => rows().clearApp(appId, limit)]
  return { rows, planner, series, clearings }
}
