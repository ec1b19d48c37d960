import { AsyncLocalStorage } from 'node:async_hooks'
import { AppError } from './errors.ts'

/** Takes room for so many bytes of the answer that is being made. Throws `unavailable` when there is none for too long. */
type Claim = (bytes: number) => Promise<void>

const claims = new AsyncLocalStorage<Claim>()

/** What needs less is not counted: there is always room for small answers. */
const SMALL = 64 * 1024

/** Whether so many bytes are counted at all. */
export function isLong(bytes: number): boolean {
  return bytes > SMALL
}

/** Does the work of an answer: what it reads by `makeRoom` is counted as its own, until the answer has left. */
export function withRoom<T>(claim: Claim, work: () => T): T {
  return claims.run(claim, work)
}

/**
 * Before so many bytes are read for an answer. Waits while other answers have them. Throws `unavailable` when that takes too long. What
 * is no answer (commands, threads) has as much as it likes.
 */
export async function makeRoom(bytes: number): Promise<void> {
  if (isLong(bytes)) await claims.getStore()?.(bytes)
}

/** The place of one answer among all. */
export type Place = ReturnType<ReturnType<typeof createRoom>['enter']>

/** Who gets an answer. */
export interface Receiver {
  /** Answers of one peer share a half, so that nobody has all. */
  peer: string
  /** What waits to be taken in; another value whenever some of it was, undefined when nothing waits. */
  waiting(): unknown
  /** Ends the connection. */
  cut(): void
}

export interface RoomOptions {
  /** Bytes for all answers together. One that is larger alone is made when there is no other. */
  most: number
  /** How long an answer waits for its turn, ms. */
  waitMs: number
  /** While others wait, a receiver that takes in nothing for so long (ms) is cut off. */
  patienceMs: number
  /** Hears of receivers that were cut off. */
  onCut(peer: string): void
}

interface Holder {
  receiver: Receiver
  bytes: number
  seen: unknown
  since: number
}

interface Waiter {
  holder: Holder
  bytes: number
  isInHand: boolean
  go(): void
  giveUp(): void
}

/**
 * Bounds what all long answers together hold in memory: each takes room before it reads, and gives it back when it has left. When
 * there is none, it waits its turn, and meanwhile those whose receivers do not read are cut off.
 */
export function createRoom({ most, waitMs, patienceMs, onCut }: RoomOptions) {
  const holders = new Set<Holder>()
  const waiters = new Set<Waiter>()
  let look: NodeJS.Timeout | undefined

  const sum = (all: Iterable<{ bytes: number }>) => [...all].reduce((bytes, one) => bytes + one.bytes, 0)

  function fits(holder: Holder, bytes: number): boolean {
    const others = [...holders].filter((one) => one !== holder)
    const own = others.filter(({ receiver }) => receiver.peer === holder.receiver.peer)
    return (others.length === 0 || sum(others) + bytes <= most) && (own.length === 0 || sum(own) + bytes <= most / 2)
  }

  function hold(holder: Holder, bytes: number): void {
    holder.bytes = bytes
    holders.add(holder)
  }

  function admit(): void {
    if (look === undefined) return
    for (const waiter of waiters) {
      if (!fits(waiter.holder, waiter.bytes)) continue
      hold(waiter.holder, waiter.bytes)
      waiter.go()
    }
    if (waiters.size > 0) return
    clearInterval(look)
    look = undefined
  }

  function cutIdle(): void {
    const now = performance.now()
    for (const holder of holders) {
      const seen = holder.receiver.waiting()
      if (seen === undefined || seen !== holder.seen) Object.assign(holder, { seen, since: now })
      else if (now - holder.since >= patienceMs) {
        onCut(holder.receiver.peer)
        holder.receiver.cut()
      }
    }
  }

  function wait(holder: Holder, bytes: number, isInHand: boolean): Promise<void> {
    look ??= setInterval(cutIdle, patienceMs / 4)
    return new Promise((resolve, reject) => {
      const end = (settle: () => void) => {
        clearTimeout(late)
        waiters.delete(waiter)
        settle()
      }
      const waiter: Waiter = {
        holder,
        bytes,
        isInHand,
        go: () => end(resolve),
        giveUp: () => end(() => reject(tooMany())),
      }
      const late = setTimeout(() => {
        waiter.giveUp()
        admit()
      }, waitMs)
      waiters.add(waiter)
    })
  }

  return {
    /** An answer begins; `leave` when it has left, or its connection has. */
    enter(receiver: Receiver) {
      const holder: Holder = { receiver, bytes: 0, seen: undefined, since: 0 }
      let hasLeft = false
      return {
        /** `isInHand`: the bytes are in memory already. Only so many may wait as there may be room for. */
        async claim(bytes: number, isInHand = false): Promise<void> {
          if (bytes <= Math.max(SMALL, holder.bytes)) return
          if (hasLeft) throw tooMany()
          if (fits(holder, bytes)) return hold(holder, bytes)
          if (isInHand && sum([...waiters].filter((one) => one.isInHand)) + bytes > most) throw tooMany()
          await wait(holder, bytes, isInHand)
        },
        leave(): void {
          hasLeft = true
          for (const waiter of waiters) if (waiter.holder === holder) waiter.giveUp()
          holders.delete(holder)
          admit()
        },
      }
    },
  }
}

function tooMany(): AppError {
  return new AppError('unavailable', 'too many long answers are under way: try again in 5 s', {
    headers: { 'Retry-After': '5' },
  })
}
