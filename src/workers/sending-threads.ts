import type { Clock } from '../platform/time/clock.ts'

/** The threads that send pages. Until the background thread has let go, nobody else sends what it was sending. */
type State = 'by the background thread' | 'threads start' | 'it lets go' | 'by threads' | 'threads end'

export interface SendingThreads {
  /** Tells whether the background thread sends: until the first sending thread runs, and when they have ended. */
  readonly isBackgroundSending: boolean
  /** Tells whether sending threads shall run. */
  readonly areWanted: boolean
  /** The order for a sending thread that starts now. */
  readonly order: SendOrder
  /** Notes that a thread has begun to send. The first time starts the sending threads. */
  busy(): void
  /** Notes that a sending thread runs. Ends them all when none has sent for `IDLE_MS`. */
  turned(): void
  /** Notes that the background thread begins no more pages, and the lanes that it has not finished. */
  lettingGo(lanes: readonly number[]): void
}

/** An order to a thread: to send or not, and the lanes to leave alone because another thread still finishes them. */
export interface SendOrder {
  sends: boolean
  except: readonly number[]
}

export interface SendingThreadsParts {
  clock: Pick<Clock, 'monotonic'>
  start(): void
  /** Asks the sending threads to finish, and resolves when they have ended. */
  end(): Promise<void>
  tellBackground(order: SendOrder): void
  tellThreads(order: SendOrder): void
}

/** Sending threads that have sent nothing for this long end: each takes a fifth of the memory of an idle server. */
const IDLE_MS = 10 * 60_000
/** The background thread says what it has to finish within a turn. One that is stuck must not keep the others from sending. */
const LET_GO_MS = 5000

/**
 * Starts the sending threads when there is something to send, and ends them when there has been nothing for a while. The background
 * thread sends meanwhile, so that the first push waits for no thread. A lane is never served by both, so that no more is in doubt after a
 * crash than docs/reference/promises.md allows.
 */
export function createSendingThreads(parts: SendingThreadsParts): SendingThreads {
  const { clock, start, end, tellBackground, tellThreads } = parts
  let state: State = 'by the background thread'
  let busyAt = Number.NEGATIVE_INFINITY
  let askedAt = 0
  let isWantedAgain = false
  let order: SendOrder = { sends: false, except: [] }

  function begin(): void {
    state = 'threads start'
    order = { sends: false, except: [] }
    start()
  }

  function lettingGo(lanes: readonly number[]): void {
    if (state !== 'it lets go' && state !== 'by threads') return
    state = 'by threads'
    order = { sends: true, except: lanes }
    tellThreads(order)
  }

  async function rest(): Promise<void> {
    state = 'threads end'
    await end()
    state = 'by the background thread'
    tellBackground({ sends: true, except: [] })
    if (isWantedAgain) begin()
    isWantedAgain = false
  }

  return {
    get isBackgroundSending() {
      return state === 'by the background thread' || state === 'threads start'
    },
    get areWanted() {
      return state === 'threads start' || state === 'it lets go' || state === 'by threads'
    },
    get order() {
      return order
    },
    busy() {
      busyAt = clock.monotonic()
      if (state === 'by the background thread') begin()
      else if (state === 'threads end') isWantedAgain = true
    },
    turned() {
      const now = clock.monotonic()
      if (state === 'threads start') {
        state = 'it lets go'
        askedAt = now
        tellBackground({ sends: false, except: [] })
      } else if (state === 'it lets go' && now - askedAt >= LET_GO_MS) lettingGo([])
      else if (state === 'by threads' && now - busyAt >= IDLE_MS) void rest()
    },
    lettingGo,
  }
}
