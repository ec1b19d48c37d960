import { hash, randomBytes } from 'node:crypto'
import type { Changes } from '../../platform/threads/changes.ts'
import type { Clock } from '../../platform/time/clock.ts'

/** For how long a key is taken to be valid without asking the database. */
export const REMEMBERED_MS = 1000
/** Maximum number of keys. Each takes about 250 bytes. */
const MAX_REMEMBERED = 10_000

/** What a valid key gives access to. */
export interface Admission {
  appId: number
  /** The admission must be looked up again from this time on (wall clock, ms): then the key ends, or its use is due. */
  until: number
}

interface Entry {
  admission: Admission
  /** The end of the second (monotonic clock). */
  freshUntil: number
  changes: number
}

export type KeyMemory = ReturnType<typeof createKeyMemory>

/**
 * Cache of valid keys, one for each thread. A key that ends does so at once in all threads of the process, which share
 * `changes`, and within a second in other processes, because no entry is older than a second
 * (docs/decisions/measurements.md). Wrong keys are not kept. Neither are keys themselves: entries are found
 * by a hash under a secret of this thread.
 */
export function createKeyMemory(clock: Pick<Clock, 'now' | 'monotonic'>, changes: Changes) {
  const secret = randomBytes(32).toString('latin1')
  const known = new Map<string, Entry>()

  async function ask<A extends Admission>(
    id: string,
    { begun, changesThen }: { begun: number; changesThen: number },
    lookUp: () => Promise<A | undefined>,
  ): Promise<A | undefined> {
    const admission = await lookUp()
    // A key that ended while it was looked up may have been read before.
    if (!admission || admission.until <= clock.now() || changes.count('keys') !== changesThen) return admission
    known.delete(id)
    known.set(id, { admission, freshUntil: begun + REMEMBERED_MS, changes: changesThen })
    // The oldest entry is the one whose second ends first.
    if (known.size > MAX_REMEMBERED) known.delete(known.keys().next().value!)
    return admission
  }

  return {
    /**
     * The admission by the keys of a caller: the one that is known, without a promise, or what `lookUp` finds. `kind` tells
     * what the keys are used for.
     */
    find<A extends Admission>(
      kind: string,
      keys: readonly string[],
      lookUp: () => Promise<A | undefined>,
    ): A | Promise<A | undefined> {
      const id = hash('sha256', `${secret}${kind} ${keys.map((key) => `${key.length} ${key}`).join(' ')}`, 'base64')
      const begun = clock.monotonic()
      const changesThen = changes.count('keys')
      const entry = known.get(id)
      if (entry && entry.changes === changesThen && entry.freshUntil > begun && entry.admission.until > clock.now()) {
        return entry.admission as A
      }
      return ask(id, { begun, changesThen }, lookUp)
    },

    /** Call it after keys have ended, when that is committed. */
    forget(): void {
      changes.tell('keys')
      known.clear()
    },

    /** How many keys are kept. */
    size: (): number => known.size,
  }
}
