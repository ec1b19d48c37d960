import { AppError } from '../errors.ts'

/** Result codes of SQLite for pages that are not what they should be. */
const DAMAGED = /^SQLITE_(CORRUPT|NOTADB)/

/** What to do about it. */
export const DAMAGED_SENTENCE =
  'the database file is damaged: nothing is written or sent any more; stop appsvc, restore a backup and start it again'

/**
 * Whether the database was found damaged. Once it is seen by any thread it stays so until the program ends: what is written
 * to a damaged file may be lost or do more damage, and what cannot be recorded must not be sent.
 */
export interface Soundness {
  /** Looks whether an error tells of damage. Returns it. */
  judge<E>(error: E): E
  /** It was found damaged in another way. */
  condemn(): void
  readonly damaged: boolean
  /** Throws `unavailable` when it was found damaged. */
  check(): void
}

export function isDamage(error: unknown): boolean {
  return error instanceof Error && 'code' in error && DAMAGED.test(String(error.code))
}

/** The 503 of a damaged database. */
export function damagedError(): AppError {
  return new AppError('unavailable', DAMAGED_SENTENCE, { headers: { 'Retry-After': '60' } })
}

/** `cell` (from `newSoundnessCell`) is shared by all threads of the process. */
export function createSoundness(cell: SharedArrayBuffer): Soundness {
  const state = new Int32Array(cell)
  return {
    judge(error) {
      if (isDamage(error)) Atomics.store(state, 0, 1)
      return error
    },
    condemn() {
      Atomics.store(state, 0, 1)
    },
    get damaged() {
      return Atomics.load(state, 0) === 1
    },
    check() {
      if (Atomics.load(state, 0) === 1) throw damagedError()
    },
  }
}

/** What `createSoundness` shares between threads; pass it along in `workerData`. */
export function newSoundnessCell(): SharedArrayBuffer {
  return new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)
}
