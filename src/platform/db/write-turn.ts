/**
 * Decides which thread of the process may write. SQLite allows one writer; without this, a second one would sleep inside the driver
 * and block its event loop. Here threads wait asynchronously, first come, first served, and only the thread whose turn it is
 * begins a transaction. SQLite's own lock remains the authority: a turn that has not ended within `PATIENCE_MS` (its thread died, or
 * its transaction is very long) is skipped by the waiting threads.
 */
export interface WriteTurn {
  /** Resolves when it is our turn. The result ends the turn. */
  take(): Promise<() => void>
}

const PATIENCE_MS = 5000

/** Slots of the cell: the next ticket to draw, and the ticket whose turn it is. Both wrap around, so only equality matters. */
const NEXT = 0
const SERVING = 1

/** `cell` (from `newWriteTurnCell`) is shared by all threads of the process. `patienceMs` is for tests. */
export function createWriteTurn(cell: SharedArrayBuffer, patienceMs = PATIENCE_MS): WriteTurn {
  const state = new Int32Array(cell)

  function end(ticket: number): void {
    // The exchange fails when our turn was skipped: it is then the turn of another thread.
    if (Atomics.compareExchange(state, SERVING, ticket, (ticket + 1) | 0) === ticket) Atomics.notify(state, SERVING)
  }

  /** Resolves when this ticket is served; false when it was skipped. */
  async function served(ticket: number): Promise<boolean> {
    for (;;) {
      const serving = Atomics.load(state, SERVING)
      if (serving === ticket) return true
      if (((ticket - serving) | 0) < 0) return false
      if (!(await changed(serving))) end(serving)
    }
  }

  async function changed(serving: number): Promise<boolean> {
    const wait = Atomics.waitAsync(state, SERVING, serving, patienceMs)
    if (!wait.async) return wait.value === 'not-equal'
    // waitAsync does not keep the event loop alive. Without a timer, a process that waits only here would exit.
    const alive = setTimeout(() => {}, 2 * patienceMs)
    try {
      return (await wait.value) === 'ok'
    } finally {
      clearTimeout(alive)
    }
  }

  return {
    async take() {
      for (;;) {
        const ticket = Atomics.add(state, NEXT, 1)
        if (await served(ticket)) return () => end(ticket)
      }
    },
  }
}

/** What `createWriteTurn` shares between threads; pass it along in `workerData`. */
export function newWriteTurnCell(): SharedArrayBuffer {
  return new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)
}
