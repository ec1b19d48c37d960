import { AppError } from '../errors.ts'

/** Result codes of SQLite for damaged pages. */
const DAMAGED = /^SQLITE_(CORRUPT|NOTADB)/

export const DAMAGED_SENTENCE =
  'the database file is damaged: nothing is written or sent any more; stop appsvc, restore a backup and start it again'

/**
 * Whether the database was found damaged. Once any thread has seen damage, this stays true until the program ends: a write to a damaged
 * file may be lost or do more damage, and nothing may be sent that cannot be recorded.
 */
export interface Soundness {
  /** Records the damage if this error reports any. Returns the error. */
  judge<E>(error: E): E
  /** Records damage that was found in another way. */
  condemn(): void
  readonly damaged: boolean
  /** Throws `unavailable` when damage was found. */
  check(): void
}

export function isDamage(error: unknown): boolean {
  return error instanceof Error && 'code' in error && DAMAGED.test(String(error.code))
}

/** The error for a request that needs a damaged database (503). */
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
