import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '../../../platform/time/clock.ts'
import { Unreadable } from '../../../platform/values/unreadable.ts'
import { isUserTarget } from '../../audience/stored.ts'
import { ascending, withAwaited } from '../../audience/target.ts'
import { mayNeedFences } from '../../audience/walk/narrow.ts'
import type { DueStep, Stepped } from '../../audience/walk/step.ts'
import type { UserWalk } from '../../audience/walk/user-walk.ts'
import { type HourRange, NO_HOUR, type ZoneHour } from '../../audience/walk/within.ts'
import type { RefusalsRepository } from '../../consent/refusals.repository.ts'
import type { Refusal } from '../../consent/types.ts'
import { isSchedule, type Schedule } from '../../schedules/schedule.ts'
import type { KeptTexts, NotGiven } from '../personal/compiled-message.ts'
import { type CompiledMessages, editionOf, forUsers, type InAppReads } from '../personal/give-users.ts'
import { recipientsByLanguage, withLeftOut } from '../personal/left-out.ts'
import type { InAppLanguageCounts } from '../record/language-counts.repository.ts'
import { type Cursor, plannedAtOf, STATUS, type Walk } from '../types.ts'
import { type LinkedPushes, type PushedInstall, pushTtl } from './linked-push.ts'
import type { RecipientsRepository } from './recipients.repository.ts'
import { isSkipped, type Timetable, timetableOf, type UserPlace } from './timetable.ts'
import type { Progress, WalksRepository } from './walks.repository.ts'

export interface FanOutParts {
  walks: Pick<
    WalksRepository,
    'find' | 'filters' | 'personalContent' | 'lock' | 'give' | 'givePersonal' | 'advance' | 'end'
  >
  recipients: RecipientsRepository
  users: UserWalk
  refusals: Pick<RefusalsRepository, 'rulesOf' | 'users'>
  compiled: CompiledMessages
  reads: InAppReads
  languages: Pick<InAppLanguageCounts, 'countLanguages'>
  pushes: LinkedPushes
  clock: Clock
  /** Maximum time to live of a linked push, in seconds. */
  defaultTtl: number
  /** Time zone of installs that have not told theirs. */
  defaultZone: string
  /** A linked push that is later than this (ms) after its due time is not sent. */
  maxLatenessMs: number
}

/** A message before its next step. */
interface Opened extends DueStep {
  walk: Walk
}

/** The next step of a message as it was read; stored unless another process stores it first. */
export interface Ready {
  seen: Walk
  /** The time at which the current walk began (ms). */
  walkedAt: number
  isFirst: boolean
  cursor: Cursor
  /** Users who get the message, ascending; some may have it already. */
  users: number[]
  /** Users among `users` for whom the push is too late. */
  late: Set<number>
  /** The installs of `users`, when a push announces the message. */
  installs: PushedInstall[]
  /** Number of users skipped because the time had passed in their zone. */
  skipped: number
  /** Number of users left out because all of their installs are excluded. */
  excluded: number
  /** Number of users who must not get it, by reason. */
  refused: Record<Refusal, number>
  /** The texts that are kept for each of `users`, when the message differs between them. */
  kept: Map<number, KeptTexts>
  /** The users who get nothing because of what it says to them. */
  notGiven: NotGiven[]
  /** True when the current walk is finished; `nextAt` (ms) is when the next one is due, null when there is none. */
  done: boolean
  nextAt: number | null
}

/** Users per step: the transaction that stores them must be short. */
const STEP = 2000
/** Storing the pushes of a step takes as long as storing its users. */
const STEP_WITH_PUSH = 1000
/** The users of one time zone are far apart on disk: each row is on another page. */
const STEP_IN_ZONES = 200
/** The refusals when nobody refuses. */
const NOBODY: ReadonlyMap<number, Refusal> = new Map()
/** Nobody is left out of a message that is the same for everybody. */
const NOTHING: ReadonlyMap<number, NotGiven> = new Map()
/** The place of a user without an install. */
const NOWHERE: UserPlace = { zone: null, hour: NO_HOUR, changedAt: 0, createdAt: 0 }
/** Messages whose computed timetables are kept in memory. */
const MAX_TIMETABLES = 16
/** A step that finds few users is stored after this time (ms), because other messages are waiting. */
const READING_MS = 50

/**
 * Fan-out: gives a due message to its users, step by step. A step is read outside of any transaction and stored in a
 * short one that first checks that the message has not changed. A message with a schedule is walked once per due time.
 * Nobody can get it twice, so a walk takes the users whose due time has come and need not know the users of other
 * walks; the last walk reads all users and takes those who are left (docs/decisions/0010-in-app.md).
 */
export function createFanOut(parts: FanOutParts) {
  const { walks, recipients, users: audience, refusals, pushes, clock, defaultTtl, defaultZone, maxLatenessMs } = parts

  /** Timetables, kept from step to step with the times that were computed for each zone; an edit makes another one. */
  const timetables = new Map<string, Timetable>()
  function timetableFor(walk: Walk, schedule: Schedule): Timetable {
    const key = editionOf(walk)
    const known = timetables.get(key)
    if (known) return known
    if (timetables.size >= MAX_TIMETABLES) timetables.clear()
    const made = timetableOf(schedule, plannedAtOf(walk), defaultZone)
    timetables.set(key, made)
    return made
  }

  /** The zones, and as far as they matter the hours, in which the app has users. */
  async function placesFor(appId: number, { isByPlace, isByHour }: Timetable): Promise<ZoneHour[]> {
    return isByPlace ? audience.zoneHours(appId, { withHours: isByHour }) : []
  }

  /** Finding the zones takes some milliseconds: it is done once per walk. */
  const underWay = new Map<string, { walkedAt: number; ranges: readonly HourRange[] }>()

  /**
   * The hour ranges that a walk reads: those that became due after the previous walk began. So all walks but the last
   * together read each user once. Null means all users: in the last walk, for named users, who are few, and when due
   * times do not depend on the zone.
   */
  async function rangesFor(walk: Walk, walkedAt: number, cursor: Cursor) {
    const { appId, schedule, target } = walk
    if (schedule === null || cursor.last || target.kind === 'named') return null
    const timetable = timetableFor(walk, schedule)
    if (!timetable.isByPlace) return null
    const key = editionOf(walk)
    const known = underWay.get(key)
    if (known?.walkedAt === walkedAt) return known.ranges
    const zones = (await audience.zoneHours(appId, { withHours: false })).map(({ zone }) => zone)
    const ranges = timetable.dueIn(zones, cursor.behind ?? plannedAtOf(walk) - 1, walkedAt)
    if (underWay.size >= MAX_TIMETABLES) underWay.clear()
    underWay.set(key, { walkedAt, ranges })
    return ranges
  }

  /** The cursor of a walk that begins now. `isEmpty`: nobody is due, and another walk follows. */
  async function begun(walk: Walk): Promise<{ walkedAt: number; cursor: Cursor; isEmpty: boolean }> {
    const now = clock.now()
    const { schedule, nextAt: dueAt } = walk
    if (schedule === null) return { walkedAt: now, cursor: { last: true }, isEmpty: false }
    const timetable = timetableFor(walk, schedule)
    const places = await placesFor(walk.appId, timetable)
    const nextAt = timetable.next(places, now)
    const since = sinceOf(walk)
    const isDue = timetable.isDue(places, since, now)
    const cursor: Cursor = { ...plannedIn(walk.cursor), since: now, behind: since }
    if (nextAt === null) cursor.last = true
    if (now - dueAt > maxLatenessMs) cursor.late = true
    return { walkedAt: now, cursor, isEmpty: nextAt !== null && !isDue }
  }

  /** The time of the next walk after this one, by the zones in which users are now; null when this was the last. */
  async function following(walk: Walk, walkedAt: number, cursor: Cursor): Promise<number | null> {
    if (cursor.last || walk.schedule === null) return null
    const timetable = timetableFor(walk, walk.schedule)
    const next = timetable.next(await placesFor(walk.appId, timetable), walkedAt)
    // All users moved to zones whose time has passed: one more walk takes those who are left.
    return next ?? walkedAt
  }

  /**
   * Sorts the users who do not have the message: `due` get it now, `late` are those of them who get no push because it
   * would be too late, and `skipped` counts users who never get it. In a late walk the due time of some users may have
   * come just now.
   */
  async function judged(walk: Walk, users: readonly number[], walkedAt: number, { last, late }: Cursor) {
    const { schedule } = walk
    const found = { due: [] as number[], late: [] as number[], skipped: 0 }
    if (schedule === null) return { ...found, due: [...users] }
    const timetable = timetableFor(walk, schedule)
    const having = await recipients.having(walk.id, users)
    const left = users.filter((user) => !having.has(user))
    const places = timetable.isByPlace ? await recipients.places(left) : undefined
    for (const user of left) {
      const place = places?.get(user) ?? NOWHERE
      const when = timetable.when(place)
      const isDue = when !== 'passed' && when <= walkedAt
      if (isDue || (last && !isSkipped(when, place, plannedAtOf(walk)))) {
        found.due.push(user)
        if (late && (when === 'passed' || walkedAt - when > maxLatenessMs)) found.late.push(user)
      } else if (last) found.skipped++
    }
    return found
  }

  /** Drops users that an earlier batch has already returned. Only a list of installs can name one user twice. */
  async function notMetBefore({ target }: Walk, from: number, found: readonly number[]): Promise<readonly number[]> {
    if (target.kind !== 'named' || found.length === 0 || from <= target.users.length) return found
    const before = new Set(target.installs.slice(0, from - target.users.length))
    const installs = await recipients.installsOf(found)
    const met = new Set(installs.filter(({ row }) => before.has(row)).map(({ userId }) => userId))
    return found.filter((user) => !met.has(user))
  }

  /** Adds to `kept` what is kept for each of these users; returns those who get nothing, with the reason. */
  async function written(walk: Walk, users: readonly number[], kept: Map<number, KeptTexts>) {
    const content = await compiledFor(walk)
    const notGiven = new Map<number, NotGiven>()
    for (const [user, made] of await forUsers(
      parts.reads,
      { appId: walk.appId, message: content },
      users,
      clock.now(),
    )) {
      if ('language' in made) kept.set(user, made)
      else notGiven.set(user, made)
    }
    return notGiven
  }

  const compiledFor = async (walk: Walk) =>
    parts.compiled.get(walk) ?? parts.compiled.add(...(await walks.personalContent(walk.id)))

  /** Stores who gets the message, unless they have it; returns those who did not have it. */
  async function given({ seen: { id, appId, personal }, users, kept }: Ready, now: number): Promise<Set<number>> {
    if (personal === null) return new Set(await walks.give(appId, id, users, now))
    const rows = users.map((user) => [user, kept.get(user)!] as const)
    const isNew = new Set(await walks.givePersonal(appId, id, rows, now))
    if (personal.languages) await parts.languages.countLanguages(appId, id, recipientsByLanguage(rows, isNew))
    return isNew
  }

  return {
    /**
     * Ends a message that cannot be read, in the caller's transaction: nobody else gets it, its push is called off, and `reason`
     * says why.
     */
    async giveUp(id: number, reason: string): Promise<void> {
      const ended = await walks.end(id, reason, clock.now())
      if (ended && ended.notificationId !== null) await pushes.callOff(ended.notificationId)
    },

    /** Reads a message whose step is due; undefined when it is finished. Throws `Unreadable`. */
    async open(id: number): Promise<Opened | undefined> {
      const found = await walks.find(id)
      if (!found) return undefined
      if (!isUserTarget(found.target)) throw new Unreadable(`the target of in-app message ${id}`)
      if (found.schedule !== null && !isSchedule(found.schedule)) {
        throw new Unreadable(`the schedule of in-app message ${id}`)
      }
      const walk = { ...found, target: await withAwaited(found.target, () => walks.filters(id)) }
      return { appId: walk.appId, walk, beginsWithFences: walk.walkedAt === null && mayNeedFences(walk.target) }
    },

    /** Reads the next step, which may take long. Use a handle that is in no transaction. */
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
        skipped: 0,
        excluded: 0,
        refused: { not_wanted: 0, on_suppression_list: 0 },
        kept: new Map(),
        notGiven: [],
        done: isEmpty,
        nextAt: null,
      }
      const walk = await audience.walk(seen.appId, seen.target)
      const rules = isEmpty ? undefined : await refusals.rulesOf(seen.appId, seen)
      const ranges = ready.done ? [] : await rangesFor(seen, walkedAt, start)
      const size = stepSize(ranges !== null, seen.notificationId !== null)
      const enough = Math.min(size, STEP_WITH_PUSH) / 2
      const until = clock.monotonic() + READING_MS
      while (!ready.done) {
        const from = ready.cursor.listed ?? 0
        const batch = ranges ? await walk.nextAtHours(ranges, ready.cursor, size) : await walk.next(ready.cursor, size)
        const found = await judged(seen, batch.users, walkedAt, start)
        const refused = rules ? await refusals.users(seen.appId, rules, found.due) : NOBODY
        const wanted = refused.size === 0 ? found.due : found.due.filter((user) => !refused.has(user))
        const notGiven = seen.personal === null ? NOTHING : await written(seen, wanted, ready.kept)
        ready.users.push(...(notGiven.size === 0 ? wanted : wanted.filter((user) => !notGiven.has(user))))
        for (const user of found.late) ready.late.add(user)
        ready.skipped += found.skipped
        // Whoever refuses or is excluded in an earlier walk is met once more in the last one, and counted there.
        if (start.last) {
          for (const user of await notMetBefore(seen, from, [...refused.keys()])) ready.refused[refused.get(user)!]++
          for (const user of await notMetBefore(seen, from, [...notGiven.keys()]))
            ready.notGiven.push(notGiven.get(user)!)
          ready.excluded += (await notMetBefore(seen, from, batch.excluded)).length
        }
        ready.cursor = batch.next
        ready.done = batch.done
        if (ready.users.length >= enough || clock.monotonic() >= until) break
      }
      ready.users = ascending(ready.users)
      if (seen.notificationId !== null) {
        const theirs = await recipients.pushedInstalls(ready.users)
        // Looked up afterwards: one of them may have registered meanwhile.
        const excluded = new Set(await audience.excluded(seen.appId, seen.target))
        ready.installs = theirs.filter(({ row }) => !excluded.has(row))
      }
      if (ready.done) ready.nextAt = await following(seen, walkedAt, ready.cursor)
      return ready
    },

    /**
     * Stores a step in the caller's transaction: the users' rows, the pages of the linked push and the cursor together,
     * so that a crash at any time neither loses nor repeats anybody. Stores nothing when the message has changed since
     * it was opened.
     */
    async store(ready: Ready): Promise<Stepped> {
      const { seen, walkedAt, isFirst, cursor, done, nextAt } = ready
      const { id, appId, notificationId: pushId } = seen
      const found = await walks.lock(id)
      if (!found || found.walkedAt !== seen.walkedAt || found.nextAt !== seen.nextAt) return 'lost'
      if (found.editedAt !== seen.editedAt) return 'lost'
      if (!isDeepStrictEqual(found.cursor, seen.cursor)) return 'lost'
      const now = clock.now()
      const isNew = await given(ready, now)
      const recipients = found.recipients + isNew.size
      const { not_wanted: notWanted, on_suppression_list: onSuppressionList } = ready.refused
      const excluded = found.excluded + ready.excluded
      const skipped =
        found.skipped + ready.skipped + ready.excluded + notWanted + onSuppressionList + ready.notGiven.length
      const isFinished = done && nextAt === null
      if (pushId !== null) {
        const isLast = cursor.last === true
        if (isFirst || done) await pushes.begin(pushId, { isLast, nextAt: nextAt ?? found.nextAt })
        const announced = ready.installs.filter(({ userId }) => isNew.has(userId))
        const ttlMs = pushTtl(seen.ttlMs, defaultTtl)
        for (const late of [false, true]) {
          const installs = announced.filter(({ userId }) => ready.late.has(userId) === late)
          await pushes.add(appId, pushId, { installs, ttlMs, late, now })
        }
        if (isFinished) await pushes.close(appId, pushId)
      }
      const kept = {
        recipients,
        skipped,
        notWanted: found.notWanted + notWanted,
        onSuppressionList: found.onSuppressionList + onSuppressionList,
        excluded,
        leftOut: withLeftOut(found.leftOut, ready.notGiven),
      }
      const status = statusAfter(found, { ...kept, isFinished })
      const progress: Progress = { nextAt: found.nextAt, walkedAt, cursor, ...kept, status, now }
      if (done)
        Object.assign(progress, {
          nextAt,
          walkedAt: null,
          cursor: { ...plannedIn(cursor), since: cursor.since ?? walkedAt },
        })
      await walks.advance(id, progress)
      return done ? 'done' : 'more'
    },
  }
}

export type FanOut = ReturnType<typeof createFanOut>

/** The part that all cursors of one plan have in common. */
const plannedIn = ({ plannedAt }: Cursor): Pick<Cursor, 'plannedAt'> => (plannedAt === undefined ? {} : { plannedAt })

/** The time (ms) up to which users who were due have been looked for. Pure. */
export const sinceOf = (walk: Pick<Walk, 'cursor' | 'createdAt' | 'editedAt'>): number =>
  walk.cursor.since ?? plannedAtOf(walk) - 1

/** Users per step. */
function stepSize(isInZones: boolean, hasPush: boolean): number {
  if (isInZones) return STEP_IN_ZONES
  return hasPush ? STEP_WITH_PUSH : STEP
}

/** The counts that a message keeps of its users. */
type Kept = Pick<Walk, 'recipients' | 'skipped' | 'notWanted' | 'onSuppressionList' | 'excluded' | 'leftOut'>

function statusAfter(
  { status }: Walk,
  { recipients, skipped, notWanted, onSuppressionList, excluded, leftOut, isFinished }: Kept & { isFinished: boolean },
): Progress['status'] {
  if (isFinished) {
    if (recipients > 0) return { to: STATUS.sent, reason: null }
    const refused = notWanted + onSuppressionList
    if (refused > 0) return { to: STATUS.failed, reason: 'nobody who is meant wants it or may get it' }
    if (excluded > 0) return { to: STATUS.failed, reason: 'every install of the users who are meant is excluded' }
    if (leftOut) return { to: STATUS.failed, reason: 'for everybody who is meant a value is missing or too large' }
    const isOver = skipped > 0 ? 'the scheduled time had passed everywhere (pastTimes is ignore)' : undefined
    return { to: STATUS.failed, reason: isOver ?? 'nobody who is meant has in-app messages enabled' }
  }
  return status !== STATUS.sending && recipients > 0 ? { to: STATUS.sending, reason: null } : undefined
}
