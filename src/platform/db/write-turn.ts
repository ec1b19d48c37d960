/**
 * Whose turn it is to write, among the threads of one process. SQLite allows one writer; left to itself a second one sleeps
 * inside the driver and stops its whole event loop. Here it waits asynchronously, first come first served, and only the
 * thread whose turn it is begins a transaction. SQLite's own lock stays the authority: a turn that is not given back within
 * `PATIENCE_MS` (its thread died, or its transaction is very long) is passed over by those who wait.
 */
export interface WriteTurn {
  /** Resolves when it is our turn, with the function that ends it. */
  take(): Promise<() => void>
}

const PATIENCE_MS = 5000

/** Slots of the cell: the next ticket to draw, and the ticket whose turn it is. Both wrap around; only equality counts. */
const NEXT = 0
const SERVING = 1

/** `cell` (from `newWriteTurnCell`) is shared by all threads of the process. `patienceMs` is for tests. */
export function createWriteTurn(cell: SharedArrayBuffer, patienceMs = PATIENCE_MS): WriteTurn {
  const state = new Int32Array(cell)

  function end(ticket: number): void {
    // Fails when we were passed over: then it is somebody else's turn by now, and not ours to end.
    if (Atomics.compareExchange(state, SERVING, ticket, (ticket + 1) | 0) === ticket) Atomics.notify(state, SERVING)
  }

  /** False when we were passed over while we waited. */
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
    // waitAsync does not keep the event loop alive: without a timer a process that only waits here would end in the middle.
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
