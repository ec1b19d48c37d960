import { AsyncLocalStorage } from 'node:async_hooks'
import { AppError } from '../errors.ts'

/** Reserves memory for this many bytes of the current response. Throws `unavailable` when it has to wait too long. */
type Claim = (bytes: number) => Promise<void>

const claims = new AsyncLocalStorage<Claim>()

/** Smaller responses are not counted: there is always room for them. */
const SMALL = 64 * 1024

/** Whether a response of this many bytes is counted. */
export function isLong(bytes: number): boolean {
  return bytes > SMALL
}

/**
 * Runs the work of a response. Memory that it reserves with `makeRoom` counts as its own until the response is sent.
 */
export function withRoom<T>(claim: Claim, work: () => T): T {
  return claims.run(claim, work)
}

/**
 * Reserves memory before this many bytes are read for a response. Waits while other responses use the memory, and
 * throws `unavailable` when that takes too long. Outside of responses (commands, threads) it does nothing.
 */
export async function makeRoom(bytes: number): Promise<void> {
  if (isLong(bytes)) await claims.getStore()?.(bytes)
}

/** The reservation of one response. */
export type Place = ReturnType<ReturnType<typeof createRoom>['enter']>

/** The client that gets a response. */
export interface Receiver {
  /** All responses of one peer together get at most half of the memory. */
  peer: string
  /**
   * Identifies the unsent data: a different value after the client has read some of it; undefined when nothing is
   * unsent.
   */
  waiting(): unknown
  /** Ends the connection. */
  cut(): void
}

export interface RoomOptions {
  /** Bytes for all responses together. A single response that is larger is sent when there is no other. */
  most: number
  /** How long a response waits for memory, ms. */
  waitMs: number
  /** While others wait, a client that reads nothing for this long (ms) is disconnected. */
  patienceMs: number
  /** Called for each client that was disconnected. */
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
 * Limits the memory of all long responses together: each reserves memory before it reads its data and releases it when
 * it is sent. When there is none left, a response waits; meanwhile, clients that do not read are disconnected.
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
    /** A response begins. Call `leave` when it is sent or its connection is closed. */
    enter(receiver: Receiver) {
      const holder: Holder = { receiver, bytes: 0, seen: undefined, since: 0 }
      let hasLeft = false
      return {
        /**
         * `isInHand`: the bytes are in memory already. Such claims that wait are limited to `most` bytes together, too.
         */
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
  return new AppError('unavailable', 'too many long responses are being sent: try again in 5 s', {
    headers: { 'Retry-After': '5' },
  })
}
