import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '../../platform/clock.ts'
import { type Conditions, conditionsOf } from '../audience/narrow.ts'
import type { Schedule } from '../schedules/schedule.ts'
import { type LinkedPushes, type PushedInstall, pushTtl } from './linked-push.ts'
import type { RecipientsRepository } from './recipients.repository.ts'
import type { InAppRepository, Progress } from './repository.ts'
import { isLeftOut, type Timetable, timetableOf, type Whereabouts } from './timetable.ts'
import { type Cursor, type InAppTarget, STATUS, type Walk } from './types.ts'

export interface FanOutParts {
  repo: Pick<InAppRepository, 'walk' | 'lockWalk' | 'give' | 'advance'>
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
export interface Opened {
  walk: Walk
  /** Its recipients may depend on who is in which geofence, and none of this walk was looked up yet. */
  beginsWithFences: boolean
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
  /** Of these users, when a push announces the message. */
  installs: PushedInstall[]
  /** Users who are left out because the time had passed where they are. */
  leftOut: number
  /** This walk is through; `nextAt` (ms) is when the next one is due, null when there is none. */
  done: boolean
  nextAt: number | null
}

/** What became of a step: more is to come at once; nothing more now; or somebody else stepped it or took the message back. */
export type Stepped = 'more' | 'done' | 'lost'

/** Users of a preview by name. */
const SHOWN = 5
/** Users of one step: their transaction must be short. */
const STEP = 2000
/** A push takes as long again to store. */
const STEP_WITH_PUSH = 1000
/** Schedules under way whose reckoning is kept. */
const MOST_TIMETABLES = 16
/** With a filter a step looks at more users, because most of them may not be meant. */
const LOOKED_AT = 10_000
/** A step that finds few is stored after so long (ms): others wait for their turn. */
const READING_MS = 50

/**
 * Fan-out: a due message becomes rows of users, step by step. A step is read without a transaction and stored in a short one that
 * first makes sure that the message is where it was. As a user gets a message once, every walk of a schedule goes through
 * everybody and takes whose instant has come; the last one takes everybody who is left.
 */
export function fanOutOf(parts: FanOutParts) {
  const { repo, recipients, conditions, pushes, clock, defaultTtl, defaultZone, maxLatenessMs } = parts

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

  /** The next users whom a target means, in an order of their own; `next` is the cursor behind them. */
  async function slice(
    walk: Pick<Walk, 'appId' | 'target' | 'notificationId'>,
    cursor: Cursor,
    filter: Awaited<ReturnType<typeof conditionsOf>>,
  ) {
    const { appId, target } = walk
    const size = walk.notificationId === null ? STEP : STEP_WITH_PUSH
    if (target.kind === 'named') return namedSlice(appId, target, cursor, size)
    const after = cursor.user ?? 0
    const { users, last } =
      target.kind === 'filter'
        ? await recipients.meantAfter(appId, after, LOOKED_AT, filter)
        : await recipients.enabledAfter(appId, after, size)
    if (users.length <= size) return { users, next: { ...cursor, user: last ?? after }, done: last === null }
    return { users: users.slice(0, size), next: { ...cursor, user: users[size - 1]! }, done: false }
  }

  /** First the users, then the current users of the installs. */
  async function namedSlice(
    appId: number,
    { users, installs }: InAppTarget & { kind: 'named' },
    cursor: Cursor,
    size: number,
  ) {
    const from = cursor.listed ?? 0
    const until = from + size
    const theirs = await recipients.usersOf(
      appId,
      installs.slice(Math.max(0, from - users.length), Math.max(0, until - users.length)),
    )
    // Whoever was named himself had his turn.
    const named = new Set(users)
    const meant = [...users.slice(from, until), ...theirs.filter((user) => !named.has(user))]
    const all = users.length + installs.length
    const found = await recipients.enabledAmong(appId, [...new Set(meant)])
    return { users: found, next: { ...cursor, listed: Math.min(until, all) }, done: until >= all }
  }

  async function withoutExcluded(users: readonly number[], { exclude }: InAppTarget): Promise<number[]> {
    if (exclude.length === 0 || users.length === 0) return [...users]
    const rows = new Set(exclude)
    const excluded = new Set(
      (await recipients.installsOf(users)).filter(({ row }) => rows.has(row)).map(({ userId }) => userId),
    )
    return users.filter((user) => !excluded.has(user))
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
    const cursor: Cursor = { since: now }
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

  /** Whose instant has come, of those users who do not have the message; and how many are left out for good. */
  async function judged(walk: Walk, users: readonly number[], walkedAt: number, { last }: Cursor) {
    const { schedule, createdAt } = walk
    if (schedule === null) return { due: [...users], leftOut: 0 }
    const timetable = timetableFor(walk.id, schedule, createdAt)
    const having = await recipients.having(walk.id, users)
    const left = users.filter((user) => !having.has(user))
    if (!timetable.isByPlace) {
      const isOver = timetable.when({ zone: null, hour: -1 }) === 'passed'
      return isOver ? { due: [], leftOut: left.length } : { due: left, leftOut: 0 }
    }
    const places = await recipients.places(left)
    let leftOut = 0
    const due = left.filter((user) => {
      const place = places.get(user) ?? { zone: null, hour: -1, changedAt: 0, createdAt: 0 }
      const when = timetable.when(place)
      if (when !== 'passed' && when <= walkedAt) return true
      if (!last) return false
      const isOut = isLeftOut(when, place, createdAt)
      if (isOut) leftOut++
      return !isOut
    })
    return { due, leftOut }
  }

  return {
    /** Who would get a message with this target now: how many, some by name, and how many installs its push would go to. */
    async preview(appId: number, target: InAppTarget, { pushes = false } = {}) {
      const found = { recipients: 0, first: [] as string[], pushes: 0 }
      const filter =
        target.kind === 'filter' ? await conditionsOf(conditions, appId, target.narrowing, clock.now()) : []
      const seen = new Set<number>()
      let cursor: Cursor = {}
      for (let done = false; !done; ) {
        const part = await slice({ appId, target, notificationId: null }, cursor, filter)
        const users = (await withoutExcluded(part.users, target)).filter((user) => !seen.has(user))
        // Only named installs lead to the same user twice.
        if (target.kind === 'named') for (const user of users) seen.add(user)
        if (found.first.length < SHOWN) {
          found.first.push(...(await recipients.identifiers(users.slice(0, SHOWN - found.first.length))))
        }
        if (pushes) found.pushes += (await recipients.pushedInstalls(users)).length
        found.recipients += users.length
        cursor = part.next
        done = part.done
      }
      return found
    },

    /** Looks at a message with a step due; undefined when it is through. */
    async open(id: number): Promise<Opened | undefined> {
      const walk = await repo.walk(id)
      return walk && { walk, beginsWithFences: walk.walkedAt === null && mayNeedFences(walk.target) }
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
        installs: [],
        leftOut: 0,
        done: isEmpty,
        nextAt: null,
      }
      const { target, appId } = seen
      const filter =
        target.kind === 'filter' ? await conditionsOf(conditions, appId, target.narrowing, clock.now()) : []
      const until = clock.monotonic() + READING_MS
      while (!ready.done) {
        const { users, next, done } = await slice(seen, ready.cursor, filter)
        const { due, leftOut } = await judged(seen, await withoutExcluded(users, target), walkedAt, start)
        ready.users.push(...due)
        ready.leftOut += leftOut
        ready.cursor = next
        ready.done = done
        if (ready.users.length >= STEP_WITH_PUSH / 2 || clock.monotonic() >= until) break
      }
      ready.users = [...new Set(ready.users)].sort((a, b) => a - b)
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
      const found = await repo.lockWalk(id)
      if (!found || found.walkedAt !== seen.walkedAt || found.nextAt !== seen.nextAt) return 'lost'
      if (!isDeepStrictEqual(found.cursor, seen.cursor)) return 'lost'
      const now = clock.now()
      const isNew = new Set(await repo.give(appId, id, ready.users, now))
      const recipients = found.recipients + isNew.size
      const skipped = found.skipped + ready.leftOut
      const isThrough = done && nextAt === null
      if (pushId !== null) {
        const isLast = cursor.last === true
        if (isFirst || done) await pushes.begin(pushId, { isLast, nextAt: nextAt ?? found.nextAt })
        const installs = ready.installs.filter(({ userId }) => isNew.has(userId))
        const ttlMs = pushTtl(seen.ttlMs, defaultTtl)
        await pushes.add(appId, pushId, { installs, ttlMs, late: cursor.late === true, now })
        if (isThrough) await pushes.close(appId, pushId)
      }
      const status = statusAfter(found, { recipients, skipped, isThrough })
      const progress: Progress = { nextAt: found.nextAt, walkedAt, cursor, recipients, skipped, status, now }
      if (done) Object.assign(progress, { nextAt, walkedAt: null, cursor: { since: cursor.since ?? walkedAt } })
      await repo.advance(id, progress)
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

/** A segment may ask about geofences. */
function mayNeedFences(target: InAppTarget): boolean {
  return target.kind === 'filter' && (target.narrowing.geofences !== null || target.narrowing.segments.length > 0)
}
