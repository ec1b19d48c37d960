import { threadId } from 'node:worker_threads'

/**
 * Decides which thread of the process may write. SQLite allows one writer; without this, a second one would sleep inside the driver
 * and block its event loop. Here threads wait asynchronously, and only the thread whose turn it is begins a transaction.
 *
 * A turn that ends is free for whoever comes first. It is not handed to the one who waits longest: when there are more busy threads
 * than cores, that one may not run for many milliseconds, and everybody would wait for it. So that all get their turn nevertheless,
 * a thread lets others go first for up to `DEFER_MS` when one waited while it had the turn, or when an urgent or an old one waits.
 *
 * SQLite's own lock remains the authority: a turn that has not ended within `PATIENCE_MS` (its transaction is very long) is passed
 * over. That of a thread that ended is freed by `freeTurnOf`.
 */
export interface WriteTurn {
  /** Resolves when it is our turn. The result ends the turn. */
  take(): Promise<() => void>
}

export interface WriteTurnOptions {
  /** True when nobody waits for the answer of this thread: threads for whose answer somebody waits go first. */
  background?: boolean
  /** Set by tests. */
  patienceMs?: number
  /** Set by tests. */
  deferMs?: number
}

const PATIENCE_MS = 5000
/** Much longer than a thread needs to wake up on a machine that is not overloaded, and not long for those who wait in vain. */
const DEFER_MS = 5
/** The time (ms) after which a thread in the background is let go first, too. */
const OLD_MS = 50

/** Slots of the cell. Turns have numbers, which are never 0. */
const HOLDER = 0
/** The turn that was taken last. */
const LAST = 1
/** The waiting turn that goes first; 0 for none. */
const WANTED = 2
/** 1 when somebody began to wait since the turn was taken. */
const WAITING = 3
const COUNTER = 4
const SLOTS = 5

/** `cell` (from `newWriteTurnCell`) is shared by all threads of the process. */
export function createWriteTurn(
  cell: SharedArrayBuffer,
  { background = false, patienceMs = PATIENCE_MS, deferMs = DEFER_MS }: WriteTurnOptions = {},
): WriteTurn {
  const state = new Int32Array(cell)
  /** Our last turn, if somebody waited at its end. */
  let before = { turn: 0, endedAt: 0 }
  /** The turns of one thread follow one another. */
  let earlier: Promise<unknown> = Promise.resolve()

  /** Resolves when the turn is freed; false when that takes longer than `ms`. */
  async function freed(holder: number, ms: number): Promise<boolean> {
    const wait = Atomics.waitAsync(state, HOLDER, holder, ms)
    if (!wait.async) return wait.value === 'not-equal'
    // waitAsync does not keep the event loop alive. Without a timer, a process that waits only here would exit.
    const alive = setTimeout(() => {}, ms + patienceMs)
    try {
      return (await wait.value) === 'ok'
    } finally {
      clearTimeout(alive)
    }
  }

  /** The time until which the free turn is left to others; in the past if it is not. */
  function deferredUntil(turn: number, freeSince: number): number {
    const handedOver = before.turn !== 0 && Atomics.load(state, LAST) === before.turn
    const wanted = Atomics.load(state, WANTED)
    if (wanted !== 0 && wanted !== turn) {
      const until = freeSince + deferMs
      if (performance.now() < until) return until
      // It did not come: perhaps its thread has ended. If not, it says so again.
      Atomics.compareExchange(state, WANTED, wanted, 0)
    }
    return handedOver ? before.endedAt + deferMs : 0
  }

  async function take(): Promise<() => void> {
    const turn = newTurn(state)
    const began = performance.now()
    let freeSince: number | undefined
    for (;;) {
      const holder = Atomics.load(state, HOLDER)
      const now = performance.now()
      if (holder === 0) {
        const until = deferredUntil(turn, (freeSince ??= now))
        if (now < until) {
          Atomics.store(state, WAITING, 1)
          await freed(0, Math.ceil(until - now))
        } else if (Atomics.compareExchange(state, HOLDER, 0, turn) === 0) break
        continue
      }
      freeSince = undefined
      Atomics.store(state, WAITING, 1)
      if (!background || now - began > OLD_MS) Atomics.compareExchange(state, WANTED, 0, turn)
      if (!(await freed(holder, patienceMs))) free(state, holder)
    }
    Atomics.compareExchange(state, WANTED, turn, 0)
    Atomics.store(state, WAITING, 0)
    Atomics.store(state, LAST, turn)
    return () => {
      if (Atomics.load(state, HOLDER) !== turn) return
      before =
        Atomics.exchange(state, WAITING, 0) === 0 ? { turn: 0, endedAt: 0 } : { turn, endedAt: performance.now() }
      free(state, turn)
    }
  }

  return {
    take() {
      const mine = earlier.then(take)
      earlier = mine
      return mine
    },
  }
}

/** A number of its own for a turn. Its upper half tells the thread. */
function newTurn(state: Int32Array): number {
  return markOf(threadId) * 0x10000 + (Atomics.add(state, COUNTER, 1) & 0xffff)
}

/** A mark from 1. Threads with the same mark are thirty thousand threads apart. */
function markOf(thread: number): number {
  return 1 + (thread % 0x7fff)
}

/** The exchange fails when the turn was passed over: it is then that of somebody else. */
function free(state: Int32Array, turn: number): void {
  if (Atomics.compareExchange(state, HOLDER, turn, 0) === turn) Atomics.notify(state, HOLDER)
}

/** Frees the turn that a thread had when it ended. SQLite has rolled its transaction back by then. */
export function freeTurnOf(thread: number, cell: SharedArrayBuffer): void {
  const state = new Int32Array(cell)
  const turn = Atomics.load(state, HOLDER)
  if (turn >>> 16 === markOf(thread)) free(state, turn)
}

/** The memory that `createWriteTurn` shares between threads; pass it along in `workerData`. */
export function newWriteTurnCell(): SharedArrayBuffer {
  return new SharedArrayBuffer(SLOTS * Int32Array.BYTES_PER_ELEMENT)
}
