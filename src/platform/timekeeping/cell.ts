import type { Belief } from './judgement.ts'

/** The part of the belief that the threads of a process need to judge a reading on their own. */
export type Shared = Pick<Belief, 'base' | 'kind' | 'isConfirmed'>

const BYTES = 24

/** Memory shared by all threads of a process, with the belief about the time; pass it in `workerData`. */
export function newClockCell(): SharedArrayBuffer {
  return new SharedArrayBuffer(BYTES)
}

/** Tells whether a thread has written to the cell. */
export function isFilled(cell: SharedArrayBuffer): boolean {
  return openClockCell(cell).version() > 0
}

/** A view of the cell. One thread writes; the others read what is whole. */
export function openClockCell(cell: SharedArrayBuffer) {
  const version = new Int32Array(cell, 0, 1)
  const values = new Float64Array(cell, 8, 2)

  return {
    /** Changes with each write; 0 before the first. */
    version: (): number => Atomics.load(version, 0),

    write({ base, kind, isConfirmed }: Shared): void {
      // Odd while it is written.
      Atomics.add(version, 0, 1)
      values[0] = base
      values[1] = (kind === 'least' ? 1 : 0) + (isConfirmed ? 2 : 0)
      Atomics.add(version, 0, 1)
    },

    read(): Shared {
      for (;;) {
        const before = Atomics.load(version, 0)
        const [base, flags] = [values[0]!, values[1]!]
        if (before % 2 === 0 && Atomics.load(version, 0) === before) {
          return { base, kind: flags % 2 === 1 ? 'least' : 'known', isConfirmed: flags >= 2 }
        }
      }
    },
  }
}
