import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '../../../platform/clock.ts'
import { type Conditions, conditionsOf, mayNeedFences } from '../../audience/narrow.ts'
import type { DueStep, Stepped } from '../../audience/step.ts'
import { ascending } from '../../audience/target.ts'
import type { Stretch } from '../../audience/within.ts'
import type { Schedule } from '../../schedules/schedule.ts'
import { isLeftOut, type Placed, type Timetable, timetableOf, type Whereabouts } from '../accept/timetable.ts'
import { type Cursor, STATUS, type Walk } from '../types.ts'
import { type LinkedPushes, type PushedInstall, pushTtl } from './linked-push.ts'
import { withoutExcluded } from './reach.ts'
import type { RecipientsRepository } from './recipients.repository.ts'
import { slicesOf } from './slices.ts'
import type { Progress, WalksRepository } from './walks.repository.ts'

export interface FanOutParts {
  walks: Pick<WalksRepository, 'find' | 'lock' | 'give' | 'advance'>
  recipients: RecipientsRepository
  conditions: Conditions
  pushes: LinkedPushes
  clock: Clock
  /** Seconds: what a linked push has at most. */
  defaultTtl: number
  /** Zone of installs that did not say theirs. */
  defaultZone: string
  /** Milliseconds after its due time until which a linked push is still sent. */
  maxLatenessMs: number
}

/** A message before its next step. */
interface Opened extends DueStep {
  walk: Walk
}

/** The next step of a message as it was read: what is stored if nobody was faster. */
export interface Ready {
  seen: Walk
  /** When the walk began (ms). */
  walkedAt: number
  isFirst: boolean
  cursor: Cursor
  /** Users who are to get it, ascending; some may have it already. */
  users: number[]
  /** Those of them whose push comes too late. */
  late: Set<number>
  /** Of these users, when a push announces the message. */
  installs: PushedInstall[]
  /** Users who are left out because the time had passed where they are. */
  leftOut: number
  /** This walk is through; `nextAt` (ms) is when the next one is due, null when there is none. */
  done: boolean
  nextAt: number | null
}

/** Users of one step: their transaction must be short. */
const STEP = 2000
/** A push takes as long again to store. */
const STEP_WITH_PUSH = 1000
/** Users of one place are far from each other, so that each row is on a page of its own. */
const STEP_AT_PLACES = 200
/** Where a user without an install is. */
const NOWHERE: Placed = { zone: null, hour: -1, changedAt: 0, createdAt: 0 }
/** Schedules under way whose reckoning is kept. */
const MOST_TIMETABLES = 16
/** A step that finds few is stored after so long (ms): others wait for their turn. */
const READING_MS = 50

/**
 * Fan-out: a due message becomes rows of users, step by step. A step is read without a transaction and stored in a short one that
 * first makes sure that the message is where it was. As a user gets a message once, every walk of a schedule goes through
 * everybody and takes whose instant has come; the last one takes everybody who is left.
 */
export function fanOutOf(parts: FanOutParts) {
  const { walks, recipients, conditions, pushes, clock, defaultTtl, defaultZone, maxLatenessMs } = parts

  /** What was reckoned for a zone is kept from step to step. */
  const timetables = new Map<number, Timetable>()
  function timetableFor(id: number, schedule: Schedule, acceptedAt: number): Timetable {
    const known = timetables.get(id)
    if (known) return known
    if (timetables.size >= MOST_TIMETABLES) timetables.clear()
    const made = timetableOf(schedule, acceptedAt, defaultZone)
    timetables.set(id, made)
    return made
  }

  /** Where anybody is, as far as it matters. */
  async function placesFor(appId: number, { isByPlace, isByHour }: Timetable): Promise<Whereabouts[]> {
    return isByPlace ? recipients.whereabouts(appId, { withHours: isByHour }) : []
  }

  const slices = slicesOf(recipients)
  /** Looking for zones takes some milliseconds: it is done once a walk. */
  const underWay = new Map<number, { walkedAt: number; stretches: readonly Stretch[] }>()

  /**
   * Where a walk looks: where somebody is due for whom no walk before it was; null is everywhere, as the last one must. So all walks
   * but the last go through everybody once, together. Named users are few.
   */
  async function stretchesFor({ id, appId, schedule, target, createdAt }: Walk, walkedAt: number, cursor: Cursor) {
    if (schedule === null || cursor.last || target.kind === 'named') return null
    const timetable = timetableFor(id, schedule, createdAt)
    if (!timetable.isByPlace) return null
    const known = underWay.get(id)
    if (known?.walkedAt === walkedAt) return known.stretches
    const zones = (await recipients.whereabouts(appId, { withHours: false })).map(({ zone }) => zone)
    const stretches = timetable.dueIn(zones, cursor.behind ?? createdAt - 1, walkedAt)
    if (underWay.size >= MOST_TIMETABLES) underWay.clear()
    underWay.set(id, { walkedAt, stretches })
    return stretches
  }

  /** A walk as it begins: what it takes, and whether another one follows. */
  async function begun(walk: Walk): Promise<{ walkedAt: number; cursor: Cursor; isEmpty: boolean }> {
    const now = clock.now()
    const { schedule, nextAt: dueAt, createdAt } = walk
    const since = walk.cursor.since ?? createdAt - 1
    if (schedule === null) return { walkedAt: now, cursor: { last: true }, isEmpty: false }
    const timetable = timetableFor(walk.id, schedule, createdAt)
    const places = await placesFor(walk.appId, timetable)
    const nextAt = timetable.next(places, now)
    const isDue = places.map(timetable.when).some((at) => at !== 'passed' && at > since && at <= now)
    const cursor: Cursor = { since: now, behind: since }
    if (nextAt === null) cursor.last = true
    if (now - dueAt > maxLatenessMs) cursor.late = true
    return { walkedAt: now, cursor, isEmpty: nextAt !== null && !isDue }
  }

  /** When a walk that is through is followed by another, as places are now. */
  async function following(walk: Walk, walkedAt: number, cursor: Cursor): Promise<number | null> {
    if (cursor.last || walk.schedule === null) return null
    const timetable = timetableFor(walk.id, walk.schedule, walk.createdAt)
    const next = timetable.next(await placesFor(walk.appId, timetable), walkedAt)
    // Everybody moved to where the time had come: one more walk takes who is left.
    return next ?? walkedAt
  }

  /**
   * Of those users who do not have the message: whose instant has come, for whom of them that was too long ago for a push, and how
   * many are left out for good. A walk that is late meets some whose instant came just now.
   */
  async function judged(walk: Walk, users: readonly number[], walkedAt: number, { last, late }: Cursor) {
    const { schedule, createdAt } = walk
    const found = { due: [] as number[], late: [] as number[], leftOut: 0 }
    if (schedule === null) return { ...found, due: [...users] }
    const timetable = timetableFor(walk.id, schedule, createdAt)
    const having = await recipients.having(walk.id, users)
    const left = users.filter((user) => !having.has(user))
    const places = timetable.isByPlace ? await recipients.places(left) : undefined
    for (const user of left) {
      const place = places?.get(user) ?? NOWHERE
      const when = timetable.when(place)
      const isDue = when !== 'passed' && when <= walkedAt
      if (isDue || (last && !isLeftOut(when, place, createdAt))) {
        found.due.push(user)
        if (late && (when === 'passed' || walkedAt - when > maxLatenessMs)) found.late.push(user)
      } else if (last) found.leftOut++
    }
    return found
  }

  return {
    /** Looks at a message with a step due; undefined when it is through. */
    async open(id: number): Promise<Opened | undefined> {
      const walk = await walks.find(id)
      if (!walk) return undefined
      return { appId: walk.appId, walk, beginsWithFences: walk.walkedAt === null && mayNeedFences(walk.target) }
    },

    /** Reads the next step, at any length: for a handle that is in no transaction. */
    async read({ walk: seen }: Opened): Promise<Ready> {
      const isFirst = seen.walkedAt === null
      const begin = isFirst ? await begun(seen) : { walkedAt: seen.walkedAt!, cursor: seen.cursor, isEmpty: false }
      const { walkedAt, cursor: start, isEmpty } = begin
      const ready: Ready = {
        seen,
        walkedAt,
        isFirst,
        cursor: start,
        users: [],
        late: new Set(),
        installs: [],
        leftOut: 0,
        done: isEmpty,
        nextAt: null,
      }
      const { target, appId } = seen
      const filter =
        target.kind === 'filter' ? await conditionsOf(conditions, appId, target.narrowing, clock.now()) : []
      const stretches = ready.done ? [] : await stretchesFor(seen, walkedAt, start)
      const size = stretches ? STEP_AT_PLACES : seen.notificationId === null ? STEP : STEP_WITH_PUSH
      const enough = Math.min(size, STEP_WITH_PUSH) / 2
      const until = clock.monotonic() + READING_MS
      while (!ready.done) {
        const slicing = { appId, cursor: ready.cursor, filter, size }
        const { users, next, done } = stretches
          ? await slices.alongStretches(stretches, slicing)
          : await slices.ofAll(target, slicing)
        const found = await judged(seen, await withoutExcluded(recipients, users, target), walkedAt, start)
        ready.users.push(...found.due)
        for (const user of found.late) ready.late.add(user)
        ready.leftOut += found.leftOut
        ready.cursor = next
        ready.done = done
        if (ready.users.length >= enough || clock.monotonic() >= until) break
      }
      ready.users = ascending(ready.users)
      if (seen.notificationId !== null) ready.installs = await recipients.pushedInstalls(ready.users)
      if (ready.done) ready.nextAt = await following(seen, walkedAt, ready.cursor)
      return ready
    },

    /**
     * Stores a step in the caller's transaction: the users' rows, the pages of the linked push and how far it came together, so
     * that a kill at any time loses and repeats nobody. Stores nothing when the message is not where it was.
     */
    async store(ready: Ready): Promise<Stepped> {
      const { seen, walkedAt, isFirst, cursor, done, nextAt } = ready
      const { id, appId, notificationId: pushId } = seen
      const found = await walks.lock(id)
      if (!found || found.walkedAt !== seen.walkedAt || found.nextAt !== seen.nextAt) return 'lost'
      if (!isDeepStrictEqual(found.cursor, seen.cursor)) return 'lost'
      const now = clock.now()
      const isNew = new Set(await walks.give(appId, id, ready.users, now))
      const recipients = found.recipients + isNew.size
      const skipped = found.skipped + ready.leftOut
      const isThrough = done && nextAt === null
      if (pushId !== null) {
        const isLast = cursor.last === true
        if (isFirst || done) await pushes.begin(pushId, { isLast, nextAt: nextAt ?? found.nextAt })
        const announced = ready.installs.filter(({ userId }) => isNew.has(userId))
        const ttlMs = pushTtl(seen.ttlMs, defaultTtl)
        for (const late of [false, true]) {
          const installs = announced.filter(({ userId }) => ready.late.has(userId) === late)
          await pushes.add(appId, pushId, { installs, ttlMs, late, now })
        }
        if (isThrough) await pushes.close(appId, pushId)
      }
      const status = statusAfter(found, { recipients, skipped, isThrough })
      const progress: Progress = { nextAt: found.nextAt, walkedAt, cursor, recipients, skipped, status, now }
      if (done) Object.assign(progress, { nextAt, walkedAt: null, cursor: { since: cursor.since ?? walkedAt } })
      await walks.advance(id, progress)
      return done ? 'done' : 'more'
    },
  }
}

export type FanOut = ReturnType<typeof fanOutOf>

function statusAfter(
  { status }: Walk,
  { recipients, skipped, isThrough }: { recipients: number; skipped: number; isThrough: boolean },
): Progress['status'] {
  if (isThrough) {
    if (recipients > 0) return { to: STATUS.sent, reason: null }
    const isOver = skipped > 0 ? 'the scheduled time had passed everywhere (pastTimes is ignore)' : undefined
    return { to: STATUS.failed, reason: isOver ?? 'nobody who is meant has in-app messages enabled' }
  }
  return status !== STATUS.sending && recipients > 0 ? { to: STATUS.sending, reason: null } : undefined
}
