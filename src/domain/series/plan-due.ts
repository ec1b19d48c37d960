import type { WriteOptions } from '../../platform/db/database.ts'
import { failpoint } from '../../platform/process/failpoints.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { ReadZones } from './makers.ts'
import { isRefusal, type Planner, type Step } from './planner.ts'
import type { SeriesRepository } from './repository.ts'
import type { Series } from './types.ts'

interface Areas {
  seriesRows: Pick<SeriesRepository, 'due' | 'lockSome'>
  seriesPlanner: Pick<Planner, 'lookAhead' | 'readAhead' | 'zonesOnce' | 'take' | 'breakOff'>
}

export interface PlanDueParts {
  read: Areas
  inTransaction<T>(work: (areas: Areas) => Promise<T>, options: Pick<WriteOptions, 'gathers'>): Promise<T>
  clock: Clock
}

/** A due series with what comes next, or why nothing does. */
type Due = { series: Series } & ({ step: Step } | { error: unknown })

/** Series that one transaction plans, side by side: each takes less than a millisecond, and nobody shall wait long for the writer. */
const SLICE = 25

/**
 * Plans the next occurrence of series whose planned one begins, some in each transaction, so that they share its commit. A series
 * that fails is tried alone, and `failed` is told when that fails, too; those in `resting` are left out. Returns how many
 * were due.
 */
export async function planDue(
  { read, inTransaction, clock }: PlanDueParts,
  { resting, failed }: { resting: ReadonlySet<number>; failed(series: Series, error: unknown): void },
): Promise<number> {
  const now = clock.now()
  const found = await read.seriesRows.due(now, SLICE + resting.size)
  const due = found.filter(({ id }) => !resting.has(id)).slice(0, SLICE)
  if (due.length === 0) return 0
  const ahead: Due[] = []
  const zonesInUse = read.seriesPlanner.zonesOnce()
  for (const series of due) ahead.push(await lookAhead(read.seriesPlanner, series, now, zonesInUse))
  failpoint('series.read')
  const plan = (some: readonly Due[]) => inTransaction((areas) => take(areas, some), { gathers: true })
  try {
    await plan(ahead)
  } catch {
    // One of them must not hold up the others.
    for (const one of ahead) await plan([one]).catch((error: unknown) => failed(one.series, error))
  }
  failpoint('series.stored')
  return due.length
}

async function lookAhead(
  planner: Areas['seriesPlanner'],
  series: Series,
  now: number,
  zonesInUse: ReadZones,
): Promise<Due> {
  try {
    return { series, step: await planner.readAhead(series, planner.lookAhead(series, now), zonesInUse) }
  } catch (error) {
    return { series, error }
  }
}

async function take({ seriesRows, seriesPlanner }: Areas, some: readonly Due[]): Promise<void> {
  const versions = await seriesRows.lockSome(some.map(({ series }) => series.id))
  const ends = await Promise.allSettled(
    some.map(async (one) => {
      // Another process plans it, or it was changed meanwhile.
      if (versions.get(one.series.id) !== one.series.version) return
      if ('step' in one) await seriesPlanner.take(one.series, one.step)
      else if (isRefusal(one.error)) await seriesPlanner.breakOff(one.series, one.error)
      else throw one.error
    }),
  )
  // When all have ended: none may go on in a transaction that is rolled back.
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}
