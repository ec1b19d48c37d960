import { readWeighedPage } from '../../platform/db/pages.ts'
import { AppError, invalid, isAppError } from '../../platform/errors.ts'
import { isPlainObject } from '../../platform/json/json.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Measured } from '../audience/confirmation.ts'
import type { Source } from '../audience/sends.ts'
import type { Accepted as AcceptedMessage } from '../in-app/accept/accept.ts'
import type { createFirstWords } from '../in-app/personal/first-words.ts'
import type { Accepted } from '../notifications/accept/sends.service.ts'
import { STATUS } from '../notifications/types.ts'
import { nextFew, type Occurrence } from '../schedules/recurrence.ts'
import { idOf, type Makers, makerOf } from './makers.ts'
import type { Planner } from './planner.ts'
import type { Named, SeriesRepository } from './repository.ts'
import type { Series, SeriesKind, SeriesOccurrence, SeriesState } from './types.ts'
import { ruleOf } from './why.ts'

export interface SeriesParts {
  repo: SeriesRepository
  makers: Makers
  planner: Planner
  firstWords: ReturnType<typeof createFirstWords>
  clock: Clock
}

/** A series with what is ahead of it. */
export interface SeriesAhead {
  series: Series
  /** The next five times; none when it does not go on by itself. */
  next: Occurrence[]
  /** The first words: the title of a push or the push template that has it, those of an in-app message or its template. */
  title: string
}

/** An occurrence with the status of what was made for it; null: nothing was made. */
export interface ShownOccurrence extends SeriesOccurrence {
  status: number | null
}

/** A series and its last occurrences, newest first. */
export interface SeriesReport extends SeriesAhead {
  occurrences: ShownOccurrence[]
}

/** A body that makes a series, with what was counted of its recipients before the transaction. */
interface Asked {
  source: Source
  body: Record<string, unknown>
  measured: Measured | undefined
}

/** The query of a list. */
interface Asking {
  state?: SeriesState | undefined
  after?: number | undefined
  limit: number
  order?: 'created' | 'due' | undefined
}

/** Series of an app that have not ended. Each costs a send now and then, and its list is read by people. */
const MOST_SERIES = 1000
/** Occurrences that a report names. */
const SHOWN = 10
const DAY_MS = 86_400_000
/** The status of a notification that was cancelled, and of a message that was withdrawn. */
const CANCELLED = STATUS.cancelled

export type SeriesService = ReturnType<typeof seriesService>

/** Sends that repeat: made, listed, changed, paused, resumed and ended. */
export function seriesService({ repo, makers, planner, firstWords, clock }: SeriesParts) {
  /** The series, locked until the commit as a change of it does first. Throws `not_found`. */
  async function lock(appId: number, id: number): Promise<Series> {
    return known(await repo.lock(appId, id), id)
  }

  async function get(appId: number, id: number): Promise<Series> {
    return known(await repo.find(appId, id), id)
  }

  /** Stores a change of a series that this transaction has locked. */
  async function store(series: Series, change: Partial<Series>): Promise<Series> {
    const changed = { ...change, updatedAt: clock.now() }
    await repo.update(series, changed)
    return { ...series, ...changed, version: series.version + 1 }
  }

  async function ahead(series: Series): Promise<SeriesAhead> {
    return { series, next: nextOf(series, clock.now()), title: await titleOf(series) }
  }

  async function titleOf({ appId, kind, request: { content, template } }: Series): Promise<string> {
    const said = isPlainObject(content) ? content : {}
    if (kind === 'push') return firstOf(said.title, said.template)
    if (typeof template !== 'string') return ''
    return firstOf(await firstWords(appId, { template, content: said }), template)
  }

  /** Plans a series anew that is `active` from now on. Throws what the acceptance throws, and `invalid` when no time is left. */
  async function goOn(series: Series, change: Partial<Series>): Promise<Series> {
    const changed: Series = { ...series, ...change, state: 'active', why: null }
    const begun = await planner.begin(changed, null)
    if (!begun) throw noTimeLeft()
    return store(series, { ...change, state: 'active', why: null, ...begun.change })
  }

  /** Plans a series that was just stored. One that is refused is not there any more, also for others that share the transaction. */
  async function beginNew(series: Series, measured: Measured | undefined) {
    try {
      const begun = await planner.begin(series, measured)
      if (!begun) throw noTimeLeft()
      return begun
    } catch (error) {
      if (isAppError(error)) await repo.delete(series.appId, series.id)
      throw error
    }
  }

  async function create<A>(appId: number, kind: SeriesKind, { source, body, measured }: Asked) {
    if ((await repo.countOpen(appId)) >= MOST_SERIES) {
      throw new AppError('conflict', `the app has ${MOST_SERIES} series already: end some of them (appsvc series end)`)
    }
    const { segment, template, pushTemplate } = makerOf(makers, kind).read(body)
    const now = clock.now()
    const counts = { sent: 0, missed: 0, unreached: 0, version: 1 }
    const times = { planned: null, dueAt: null, createdAt: now, updatedAt: now, endedAt: null }
    const named = { appId, kind, source, state: 'active', why: null, request: body } as const
    const names = { segment, template, pushTemplate }
    const series = await repo.insert({ ...named, ...names, ...counts, ...times })
    const begun = await beginNew(series, measured)
    const accepted = begun.made.accepted as A
    if (idOf(begun.made) !== null) return { accepted, series: await ahead(await store(series, begun.change)) }
    // Nothing is stored for nobody, as of every send.
    await repo.delete(appId, series.id)
    return { accepted, series: undefined }
  }

  async function byDue(appId: number, state: SeriesState | undefined, after: number | undefined) {
    const last = after === undefined ? undefined : await repo.find(appId, after)
    const dueAt = last?.dueAt ?? null
    if (after !== undefined && dueAt === null) {
      throw invalid({ after: [`series ${after} has no next time any more: begin the list again without after`] })
    }
    const place = after === undefined || dueAt === null ? undefined : { id: after, dueAt }
    return (most: number) => repo.listByDue(appId, state, place, most)
  }

  return {
    get,
    lock,
    ahead,

    /**
     * Makes a series of a checked body with a schedule that repeats, and accepts its first occurrence; without a series when nobody
     * can be reached. Throws as `accept` of a send does; `invalid` when no time is left; and `conflict` when the app has too many.
     */
    createPush: (appId: number, asked: Asked) => create<Accepted>(appId, 'push', asked),
    /** The same of in-app messages. */
    createMessage: (appId: number, asked: Asked) => create<AcceptedMessage>(appId, 'in-app', asked),

    /**
     * Series, newest first; with the order `due` those that have a next time, by that. `next` leads on. Throws `invalid` when a list by
     * due time cannot go on after `after`.
     */
    async list(
      appId: number,
      { state, after, limit, order }: Asking,
    ): Promise<{ series: SeriesAhead[]; next: number | null }> {
      const { rows, next } = await readWeighedPage(
        limit,
        order === 'due' ? await byDue(appId, state, after) : (most) => repo.list(appId, state, after, most),
        (ids) => repo.byIds(appId, ids),
      )
      return { series: await Promise.all(rows.map(ahead)), next }
    },

    /** Throws `not_found`. */
    async report(appId: number, id: number): Promise<SeriesReport> {
      const series = await get(appId, id)
      const stored = await repo.occurrences(id, SHOWN)
      const statuses = await makerOf(makers, series.kind).statuses(
        appId,
        stored.flatMap((one) => idOf(one) ?? []),
      )
      const occurrences = stored.map((one) => ({ ...one, status: statuses.get(idOf(one) ?? 0) ?? null }))
      const cancelled = new Set(occurrences.flatMap(({ local, status }) => (status === CANCELLED ? [local] : [])))
      const { next, ...rest } = await ahead(series)
      return { ...rest, next: next.filter(({ local }) => !cancelled.has(local) || isFree(stored, local)), occurrences }
    },

    /**
     * Changes the request of a series from its next occurrence on: keys of `change` replace those of its body, and null takes one
     * out. What is planned and has not begun is called off and made anew; a series that is not active stays as it is. Throws
     * `not_found`; `invalid` as a send does; and `conflict` for one that has ended.
     */
    async change(appId: number, id: number, change: Record<string, unknown>): Promise<Series> {
      const series = await lock(appId, id)
      refuse(series, ['ended'], 'change')
      const maker = makerOf(makers, series.kind)
      const body = changed(series.request, change)
      // The form has better words for a key of ours in the wrong place.
      const { recurrence, segment, template, pushTemplate } = maker.read(body)
      refuseForeign(change, maker.keys)
      if (!recurrence) throw invalid({ 'schedule.strategy': ['must be recurring: appsvc series end ends the series'] })
      const parts = { request: body, segment, template, pushTemplate }
      if (series.state !== 'active') return store(series, parts)
      return goOn(series, { ...parts, ...(await planner.callOff(series, `series ${id} was changed`)) })
    },

    /** Pauses a series; what is planned and has not begun is called off. Throws `not_found`, and `conflict` unless it is active. */
    async pause(appId: number, id: number): Promise<Series> {
      const series = await lock(appId, id)
      refuse(series, ['paused', 'ended', 'broken'], 'pause')
      const counts = await planner.callOff(series, `series ${id} was paused`)
      return store(series, { state: 'paused', dueAt: null, ...counts })
    },

    /**
     * Goes on with a series that is paused, or broken and mended. Throws `not_found`; `conflict` for one that is active or has
     * ended; and as a send does while it cannot be sent.
     */
    async resume(appId: number, id: number): Promise<Series> {
      const series = await lock(appId, id)
      refuse(series, ['active', 'ended'], 'resume')
      return goOn(series, await planner.callOff(series, `series ${id} was resumed`))
    },

    /** Ends a series for good; what is planned and has not begun is called off. Throws `not_found`, and `conflict` when it has ended. */
    async end(appId: number, id: number): Promise<Series> {
      const series = await lock(appId, id)
      refuse(series, ['ended'], 'end')
      const counts = await planner.callOff(series, `series ${id} was ended`)
      return store(series, { state: 'ended', why: 'ended on request', dueAt: null, endedAt: clock.now(), ...counts })
    },

    /** Makes series break that name a segment, a template or a push template which is being deleted. */
    breakNaming: (appId: number, what: Named, name: string): Promise<void> =>
      repo.breakNaming(appId, what, name, `its ${what} ${JSON.stringify(name)} was deleted`, clock.now()),

    /** Ends every series of an app that is being deleted. */
    endAll: (appId: number, why: string): Promise<void> => repo.endAll(appId, why, clock.now()),

    /** Broken series, at most `limit`; of all apps without `appId`. */
    broken: repo.broken,

    /** The kinds of series that go on, with their apps: of at most `limit` series; of all apps without `appId`. */
    goingOn: repo.goingOn,

    /** Forgets series that ended `days` ago, with their occurrences: at most `limit` rows; returns how many. 0 days: none. */
    async forget(days: number, limit: number): Promise<number> {
      return days === 0 ? 0 : repo.forget(clock.now() - days * DAY_MS, limit)
    },
  }
}

/** Tells whether the time of an occurrence can be taken again. */
function isFree(occurrences: readonly SeriesOccurrence[], at: string): boolean {
  return occurrences.some(({ local, state }) => local === at && state === 'called-off')
}

function known(series: Series | undefined, id: number): Series {
  if (!series) throw new AppError('not_found', `there is no series ${id}`)
  return series
}

/** Throws `invalid` for keys that the request of a series does not have: ignored, they would promise what does not happen. */
function refuseForeign(change: Record<string, unknown>, keys: readonly string[]): void {
  const foreign = Object.keys(change).filter((key) => !keys.includes(key))
  if (foreign.length === 0) return
  const why = `is no key of the request that it sends (${keys.join(', ')}); pause, resume and end are calls of their own`
  throw invalid(Object.fromEntries(foreign.slice(0, MAX_NAMED).map((key) => [key, [why]])))
}

/** Foreign keys that are named. */
const MAX_NAMED = 20

const STEPS = { change: 'changed', pause: 'paused', resume: 'resumed', end: 'ended' } as const

/** Throws `conflict` for a step that the state of a series does not allow. */
function refuse({ id, state }: Series, states: readonly SeriesState[], step: keyof typeof STEPS): void {
  if (!states.includes(state)) return
  const remedy = state === 'ended' ? 'make another one' : 'appsvc series show tells what can be done'
  throw new AppError('conflict', `series ${id} is ${state} and cannot be ${STEPS[step]}: ${remedy}`)
}

function noTimeLeft(): AppError {
  return invalid({ 'schedule.cron': ['has no time left: move endsAt, or choose other times'] })
}

/** A body with other keys; null takes a key out. */
function changed(before: Record<string, unknown>, change: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries({ ...before, ...change }).filter(([, value]) => value !== null))
}

/** The times ahead of a series. What is planned and has not begun is the first of them. */
function nextOf(series: Series, now: number): Occurrence[] {
  if (series.state !== 'active') return []
  try {
    return nextFew(ruleOf(series), now)
  } catch {
    // Its rule cannot be read: it breaks when it is planned next.
    return []
  }
}

/** The first of these that is a text with words. */
const firstOf = (...known: readonly unknown[]): string =>
  known.find((one): one is string => typeof one === 'string' && one.trim() !== '') ?? ''
