import { type Base, once } from '../../platform/wiring.ts'
import type { Clearing } from '../apps/types.ts'
import { statisticsRepository } from './repository.ts'
import { statisticsService } from './service.ts'

export type StatisticsWire = ReturnType<typeof wireStatistics>

/** Counts of pushes by hour, of visits by day, and of installs, kept as they happen. */
export function wireStatistics({ sql, clock }: Base) {
  const repo = once(() => statisticsRepository(sql))
  const statistics = once(() => statisticsService({ repo: repo(), clock }))
  const clearings = (): Clearing[] => [repo().clearApp]
  return { statistics, clearings }
}
