import { isDeepStrictEqual } from 'node:util'
import type { Log } from '../../platform/log/log.ts'
import { failpoint } from '../../platform/process/failpoints.ts'
import { LEASE_MS } from '../../platform/queue/leases.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { EventLog } from './log/service.ts'
import { isBefore, type Position, readCursor, START, writeCursor } from './position.ts'
import type { Hold } from './repository.ts'
import type { FollowersService } from './service.ts'
import type { Follower, LogPage } from './types.ts'

export { LEASE_MS }

/** The number of events that a follower gets at once, when it does not say. */
const MOST = 500
/**
 * The interval at which a follower that needs none of the events stores how far it looked: each store is a write, and
 * after a restart it only looks again.
 */
const SKIP_MS = 10_000

/** The areas that following needs, of the whole database or of a transaction. */
export interface FollowingAreas {
  eventLog: EventLog
  followers: FollowersService
}

export interface FollowParts<A extends FollowingAreas> {
  read: A
  inTransaction<T>(work: (areas: A) => Promise<T>): Promise<T>
  clock: Clock
  log: Log
  /** The name of this worker; unique to this start. */
  owner: string
}

/**
 * The result of a turn. `more`: there is more to read. `waiting`: at the end of the log. `done`: it was the last one.
 * `elsewhere`: another worker has the follower.
 */
export type Turned = 'more' | 'waiting' | 'done' | 'elsewhere'

/** Thrown when another worker has taken the follower over: the transaction is rolled back. */
class LeaseLost extends Error {}

/** Runs one follower in this worker, turn by turn. */
export type Following = ReturnType<typeof createFollowing>

export function createFollowing<A extends FollowingAreas>(parts: FollowParts<A>, follower: Follower<A>) {
  const { read, inTransaction, clock, log, owner } = parts
  const { name, appId, types, from = 'end', most = MOST, until, effect } = follower
  let hold: Hold | undefined
  /** The end of the lease on the steady clock of this process, less a margin. */
  let heldUntil = Number.NEGATIVE_INFINITY
  /** The place up to which it has read; further than the stored cursor when it needed none of the events. */
  let place: Position = START
  let storedAt = Number.NEGATIVE_INFINITY
  /** True when there are events between the stored cursor and `place`. */
  let passed = false

  /** Makes sure that this worker has the follower for a while. False when another one has it. */
  async function claim(): Promise<boolean> {
    // A third is left for the work of the turn; a turn that takes longer loses the lease, and stores nothing.
    if (hold && clock.monotonic() < heldUntil) return true
    const askedAt = clock.monotonic()
    // One that ends has its cursor from the transaction that asked for it. When it is done, the cursor must not begin anew.
    if (!until && (await read.followers.find(name)) === undefined) {
      const cursor = writeCursor(from === 'start' ? START : await read.eventLog.end())
      await inTransaction((tx) => tx.followers.add({ name, appId: appId ?? null, cursor }))
    }
    const claimed = await inTransaction((tx) => tx.followers.claim(name, owner, LEASE_MS))
    if (!claimed) {
      hold = undefined
      return false
    }
    heldUntil = askedAt + (LEASE_MS * 2) / 3
    if (hold?.fence !== claimed.fence) {
      const { cursor, ...rest } = claimed
      hold = rest
      place = readCursor(cursor) ?? START
      passed = false
      storedAt = clock.monotonic()
    }
    failpoint('follow.claimed')
    return true
  }

  /** Runs `work` and moves the cursor in one transaction. */
  async function store(next: Position, work: (areas: A) => Promise<void> = async () => {}): Promise<void> {
    await inTransaction(async (tx) => {
      // First: it locks the row, so that a worker that lost the follower does none of the work.
      if (!(await tx.followers.move(hold!, writeCursor(next)))) throw new LeaseLost(`${name} is run by another worker`)
      await work(tx)
      failpoint('follow.applied')
    })
    failpoint('follow.stored')
    place = next
    passed = false
    storedAt = clock.monotonic()
  }

  const isLast = ({ next }: LogPage) => until !== undefined && !isBefore(next, until.place)

  /** Hands a page of events over. False when some of them were not taken. */
  async function hand(page: LogPage, signal: AbortSignal): Promise<boolean> {
    const { events, next } = page
    if ('apply' in effect) {
      await store(next, async (areas) => {
        await effect.apply(areas, events)
        if (isLast(page)) await until!.end(areas)
      })
      return true
    }
    const left = heldUntil + LEASE_MS / 3 - clock.monotonic()
    const deadline = AbortSignal.timeout(Math.max(1, Math.round(left)))
    const taken = await effect.deliver(events, { fence: hold!.fence, signal: AbortSignal.any([signal, deadline]) })
    failpoint('follow.delivered')
    const isAll = taken === undefined || taken >= events.length
    if (!isAll && taken <= 0) throw new Error('none of the events was taken')
    await store(isAll ? next : events[taken - 1]!.position)
    return isAll
  }

  async function noteMissed(): Promise<void> {
    const remedy = 'keep events longer (events.retentionDays), or find out why the follower is slow'
    log.error(
      { follower: name, remedy },
      'events were forgotten before a follower had read them; it goes on after them',
    )
    await inTransaction((tx) => tx.followers.noteMissed(hold!, clock.now()))
  }

  const wantedTypes = async () => (typeof types === 'function' ? types() : types)

  return {
    follower,

    /**
     * Reads the next events and has their effect. Throws what the effect throws; the cursor has not moved then. Losing
     * the follower to another worker is no failure.
     */
    async turn(signal: AbortSignal): Promise<Turned> {
      if (!(await claim())) return 'elsewhere'
      const wanted = await wantedTypes()
      const page = await read.eventLog.read({ appId, after: place, types: wanted, limit: most })
      failpoint('follow.read')
      // What is wanted has changed meanwhile: the page may lack events that are wanted by now.
      if (typeof types === 'function' && !isDeepStrictEqual(await wantedTypes(), wanted)) return 'more'
      try {
        if (page.missed && !until) await noteMissed()
        if (page.events.length > 0) {
          if (!(await hand(page, signal))) return 'more'
        } else if (isLast(page)) {
          await store(page.next, (areas) => until!.end(areas))
        } else {
          place = page.next
          passed ||= page.looked > 0
          if (page.missed || (passed && clock.monotonic() - storedAt >= SKIP_MS)) await store(place)
        }
      } catch (error) {
        if (!(error instanceof LeaseLost)) throw error
        hold = undefined
        return 'elsewhere'
      }
      if (isLast(page)) {
        hold = undefined
        return 'done'
      }
      return page.atEnd ? 'waiting' : 'more'
    },

    /** Stores the place up to which the follower looked, and lets another worker have it. */
    async close(): Promise<void> {
      if (!hold) return
      const held = hold
      hold = undefined
      await inTransaction(async (tx) => {
        if (passed && !(await tx.followers.move(held, writeCursor(place)))) return
        await tx.followers.release(held)
      })
    },
  }
}
