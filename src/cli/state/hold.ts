import type { App } from '../../app.ts'
import { custodyOf } from '../../open.ts'
import { heldSentence } from '../../platform/instance/custody.ts'
import { isServed } from './served.ts'

/** Why nothing is sent. */
export interface HeldState {
  /** Since when (ms); null when the next start will hold it. */
  since: number | null
  reason: string
  sentence: string
}

/**
 * Whether the database is held, or would be at the next start because it was restored and nobody has served it since; undefined
 * when it sends.
 */
export async function holdOf(app: App): Promise<HeldState | undefined> {
  const hold = await app.instance.hold()
  if (hold) return { ...hold, sentence: heldSentence(hold.reason) }
  // A running server has looked already, and moves the marks while it runs.
  if ((await isServed(app)) === true) return undefined
  const reason = await custodyOf(app).suspicion()
  return reason === undefined ? undefined : { since: null, reason, sentence: heldSentence(reason) }
}
