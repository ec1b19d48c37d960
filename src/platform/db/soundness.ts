import { AppError } from '../errors.ts'

/** Result codes of SQLite for damaged pages. */
const DAMAGE_CODES = /^SQLITE_(CORRUPT|NOTADB)/

/** The problem without its remedy. */
export const DAMAGED = 'the database file is damaged: nothing is written or sent any more'
export const DAMAGED_SENTENCE = `${DAMAGED}; stop appsvc, restore a backup and start it again`

export const UNKEPT_SENTENCE =
  'the disk did not keep what was written to the database: nothing is written or sent any more; see to the disk, then start appsvc again'

/**
 * The state of the database file. Once any thread has seen damage, or a flush that failed, nobody can write until the program
 * ends: a write to a damaged file may be lost or do more damage, after a failed flush nobody knows what is on disk, and nothing
 * may be sent that cannot be recorded.
 */
export interface Soundness {
  /** Records the damage if this error reports any. Returns the error. */
  judge<E>(error: E): E
  /** Records damage that was found in another way; `unkept`: a flush failed. */
  condemn(how?: 'damaged' | 'unkept'): void
  /** Damage was found, or a flush failed. */
  readonly damaged: boolean
  /** The problem and its remedy; undefined while there is none. */
  readonly sentence: string | undefined
  /** Throws `unavailable` when something is wrong. */
  check(): void
}

export function isDamage(error: unknown): boolean {
  return error instanceof Error && 'code' in error && DAMAGE_CODES.test(String(error.code))
}

/** The error for a request that needs a damaged database (503). */
export function damagedError(sentence: string = DAMAGED_SENTENCE): AppError {
  return new AppError('unavailable', sentence, { headers: { 'Retry-After': '60' } })
}

/** The values of a cell. */
const STATES = { sound: 0, damaged: 1, unkept: 2 } as const
const SENTENCES = [undefined, DAMAGED_SENTENCE, UNKEPT_SENTENCE]

/** `cell` (from `newSoundnessCell`) is shared by all threads of the process. */
export function createSoundness(cell: SharedArrayBuffer): Soundness {
  const state = new Int32Array(cell)
  // A flush that failed outweighs damage: nobody may be told any more that something is on disk.
  const condemn = (how: 'damaged' | 'unkept' = 'damaged') => {
    if (how === 'unkept') Atomics.store(state, SOUNDNESS, STATES.unkept)
    else Atomics.compareExchange(state, SOUNDNESS, STATES.sound, STATES.damaged)
  }
  return {
    judge(error) {
      if (isDamage(error)) condemn()
      return error
    },
    condemn,
    get damaged() {
      return Atomics.load(state, SOUNDNESS) !== STATES.sound
    },
    get sentence() {
      return SENTENCES[Atomics.load(state, SOUNDNESS)]
    },
    check() {
      const found = Atomics.load(state, SOUNDNESS)
      if (found !== STATES.sound) throw damagedError(SENTENCES[found])
    },
  }
}

/** Slots of the cell: the state, and the counts of flush.ts. */
const SOUNDNESS = 0
export const COMMITTING = 1
export const COMMITTED = 2
export const FLUSHED = 3
const SLOTS = 4

/** The memory that `createSoundness` and `createFlush` share between threads; pass it along in `workerData`. */
export function newSoundnessCell(): SharedArrayBuffer {
  return new SharedArrayBuffer(SLOTS * Int32Array.BYTES_PER_ELEMENT)
}
