import { custodyOf } from '../../open.ts'
import { heldSentence } from '../../platform/instance/custody.ts'
import type { Program } from '../../program.ts'
import { isServed } from './served.ts'

/** The reason why nothing is sent. */
export interface HeldState {
  /** The time (ms) when the hold began; null if it begins at the next start. */
  since: number | null
  reason: string
  sentence: string
}

/**
 * The hold of this database, or the one that the next start will set because the database was restored and no server
 * has run on it since. Undefined if sending is on. `served` is what `isServed` says, if it was asked before.
 */
export async function holdOf(program: Program, served?: boolean): Promise<HeldState | undefined> {
  const hold = await program.instance.hold()
  if (hold) return { ...hold, sentence: heldSentence(hold.reason) }
  // A running server has already checked the marks and keeps renewing them.
  if ((served ?? (await isServed(program))) === true) return undefined
  const reason = await custodyOf(program).suspicion()
  return reason === undefined ? undefined : { since: null, reason, sentence: heldSentence(reason) }
}
