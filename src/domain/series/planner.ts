import { isAppError } from '../../platform/errors.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { Unreadable } from '../../platform/values/unreadable.ts'
import type { Measured } from '../audience/confirmation.ts'
import type { Audience } from '../audience/walk/install-walk.ts'
import {
  type Occurrence,
  occurrenceAt,
  occurrencesAfter,
  occurrencesBehind,
  type Recurrence,
  scheduleOf,
} from '../schedules/recurrence.ts'
import { bodyAt, idOf, type Made, type Maker, type Makers, makerOf, type ReadZones, type Request } from './makers.ts'
import type { SeriesRepository } from './repository.ts'
import type { Series } from './types.ts'
import { refuseErased, ruleOf, whyOf } from './why.ts'

export interface PlannerParts {
  repo: SeriesRepository
  audience: Pick<Audience, 'zonesInUse'>
  makers: Makers
  clock: Clock
  /** The time (ms) after its due time for which an occurrence is still sent. */
  maxLatenessMs: number
}

export type Planner = ReturnType<typeof createPlanner>

/** The next occurrence of a series that is to be made, and how many before it were missed; `next` is undefined at the end. */
export interface Step {
  missed: number
  /** The last wall time that is dealt with. */
  planned: string
  next: Occurrence | undefined
  /** The request for that time. */
  request: Request | undefined
  /** Time zones that were read for it before the transaction. */
  zones?: readonly (string | null)[] | undefined
  /** More was missed than one step counts. */
  hasMore: boolean
}

/** Missed occurrences that one step counts: a clock that was wrong for a year must not stop the others. */
const MOST_MISSED = 1000
/** Occurrences that are tried before a series counts as full of times that were taken already. */
const MOST_TAKEN = 100

/** Plans the occurrences of series: each is accepted while the one before it begins. */
export function createPlanner({ repo, audience, makers, clock, maxLatenessMs }: PlannerParts) {
  /** Accepts an occurrence, unless its time was taken before: then nothing is sent for it, and it returns undefined. */
  async function make(
    series: Series,
    { local, at }: Occurrence,
    request: Request,
    { measured, zones }: { measured: Measured | undefined; zones?: Step['zones'] },
  ): Promise<Made<unknown> | undefined> {
    const place = { seriesId: series.id, local, appId: series.appId }
    if (!(await repo.take({ ...place, state: 'planned', notificationId: null, messageId: null }))) return undefined
    const occurrence = { seriesId: series.id, acceptedAt: Math.min(clock.now(), at), zones }
    const maker: Maker = makerOf(makers, series.kind)
    const made = await maker.accept(series.appId, series.source, request, occurrence, measured)
    const { notificationId, messageId } = made
    const state = idOf(made) === null ? 'unreached' : 'planned'
    await repo.settle({ seriesId: series.id, local, state, notificationId, messageId })
    return made
  }

  function requestAt(series: Series, rule: Recurrence, one: Occurrence) {
    refuseErased(series)
    return makerOf(makers, series.kind).read(bodyAt(series, scheduleOf(rule, one)))
  }

  return {
    /**
     * The step behind the planned occurrence of a due series. Reads nothing but its argument, so that it need not be in a transaction.
     * Throws `invalid` for a stored request that its form does not take any more.
     */
    lookAhead(series: Series, now: number): Step {
      const rule = ruleOf(series)
      let planned = series.planned!
      let missed = 0
      for (const next of occurrencesBehind(rule, planned)) {
        if (next.until + maxLatenessMs >= now) {
          return { missed, planned, next, request: requestAt(series, rule, next), hasMore: false }
        }
        if (missed === MOST_MISSED) return { missed, planned, next: undefined, request: undefined, hasMore: true }
        missed++
        planned = next.local
      }
      return { missed, planned, next: undefined, request: undefined, hasMore: false }
    },

    /**
     * A step with what accepting it would read of the audience. Throws what the acceptance throws. `zonesInUse`: those of an app, which many
     * series may share.
     */
    async readAhead({ appId, kind }: Series, step: Step, zonesInUse: ReadZones): Promise<Step> {
      if (!step.request) return step
      return { ...step, zones: await makerOf(makers, kind).zones(appId, step.request, zonesInUse) }
    },

    /** Makes a reader of the zones in use that asks once for each app. */
    zonesOnce(): ReadZones {
      const known = new Map<number, ReturnType<ReadZones>>()
      return (appId) => {
        const zones = known.get(appId) ?? audience.zonesInUse(appId)
        known.set(appId, zones)
        return zones
      }
    },

    /**
     * Stores the step of a due series, in a transaction that has locked it: the next occurrence is accepted, or the series ends.
     * One that cannot be accepted any more breaks the series.
     */
    async take(series: Series, step: Step): Promise<void> {
      const now = clock.now()
      const standing = await repo.occurrence(series.id, series.planned!)
      const id = standing && idOf(standing)
      const maker = makerOf(makers, series.kind)
      const late = occurrenceAt(ruleOf(series), series.planned!).until + maxLatenessMs
      const isLate = now > late && standing?.state === 'planned' && id != null
      const isMissed = isLate && (await maker.isMissed(series.appId, id, late))
      const missed = series.missed + step.missed + (isMissed ? 1 : 0)
      if (step.hasMore) {
        await repo.update(series, { missed, planned: step.planned, updatedAt: now })
        return
      }
      if (!step.next) {
        const over = { state: 'ended', why: 'its last time is over', dueAt: null, endedAt: now } as const
        await repo.update(series, { ...over, missed, planned: step.planned, updatedAt: now })
        return
      }
      try {
        const { local, at } = step.next
        const made = await make(series, step.next, step.request!, { measured: null, zones: step.zones })
        const counts = { sent: series.sent, unreached: series.unreached, ...countOf(series, made) }
        await repo.advance(series, { missed, planned: local, dueAt: at, ...counts, updatedAt: now })
      } catch (error) {
        if (!isRefusal(error)) throw error
        // Once it is mended, its time can be taken again.
        await repo.setOccurrence(series.id, step.next.local, { state: 'called-off' })
        await repo.update(series, { ...brokenBy(error), missed, planned: step.planned, updatedAt: now })
      }
    },

    /**
     * Plans a series that was made, changed or resumed: its first occurrence that is still to come, and whose time is not taken.
     * Returns what was made and the change of the series. Throws what the acceptance throws, and undefined where none comes.
     */
    async begin(series: Series, measured: Measured | undefined) {
      const rule = ruleOf(series)
      for (const next of occurrencesAfter(rule, clock.now()).take(MOST_TAKEN)) {
        const made = await make(series, next, requestAt(series, rule, next), { measured })
        if (!made) continue
        return { made, change: { planned: next.local, dueAt: next.at, ...countOf(series, made) } }
      }
      return undefined
    },

    /**
     * Calls off the occurrence that is planned, unless it has begun. Its time can be taken again. Returns the number of times that count
     * as sent then: one that nobody got is not counted, or each change would count its time once more.
     */
    async callOff(series: Series, why: string): Promise<Pick<Series, 'sent'>> {
      const { id: seriesId, planned: local, sent } = series
      if (local === null) return { sent }
      const standing = await repo.occurrence(seriesId, local)
      const id = standing && idOf(standing)
      if (standing?.state !== 'planned' || id == null) return { sent }
      if (!(await makerOf(makers, series.kind).callOff(series.appId, id, why))) return { sent }
      await repo.setOccurrence(seriesId, local, { state: 'called-off' })
      return { sent: Math.max(0, sent - 1) }
    },

    /** Makes a series break that cannot be planned, whatever its rule is. */
    async breakOff(series: Series, error: unknown): Promise<void> {
      await repo.update(series, { ...brokenBy(error), updatedAt: clock.now() })
    },
  }
}

const countOf = ({ sent, unreached }: Series, made: Made<unknown> | undefined) => {
  if (!made) return {}
  return idOf(made) === null ? { unreached: unreached + 1 } : { sent: sent + 1 }
}

/** Tells whether an error is a refusal of the request itself: it would be refused for ever. */
export function isRefusal(error: unknown): boolean {
  if (error instanceof Unreadable) return true
  return isAppError(error) && error.code !== 'unavailable' && error.code !== 'too_many' && error.code !== 'internal'
}

function brokenBy(error: unknown) {
  return { state: 'broken', why: whyOf(error), dueAt: null } as const
}
