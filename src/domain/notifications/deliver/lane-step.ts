import type { Most } from '../../../platform/queue/queue.ts'

/** Pages claimed in one transaction. */
const MAX_CLAIMS = 250
/** Pages that a lane holds, however small they are. */
const MAX_PAGES = 1000

/** The next step of a lane. */
export type Step =
  /** Stop: it has no page, and none is being read. */
  | 'end'
  /** Record the responses that came in and begin the next recipients. */
  | 'turn'
  /** Claim pages without a turn. */
  | 'claim'
  /** Wait until something happens, or until it is time to record what there is. */
  | 'wait'

/**
 * The reason for which a lane looks again: something happened, it is time to record, or a turn found nothing to do
 * because the lane's rate allows nobody now.
 */
export type Since = 'event' | 'time' | 'idle turn'

/** State of a lane when it decides what to do. */
export interface LaneState {
  /** Pages that it holds, and those being read. */
  pages: number
  /** Recipients that may still be begun: none while the lane is held or the program stops. */
  left: number
  /** Requests without a response. */
  inFlight: number
  /** Responses that are not recorded yet. */
  unrecorded: number
  /** Recipients begun in one transaction. */
  chunk: number
  /** While the credential is in question, responses are recorded together: they may show that it is wrong. */
  credential: 'settled' | 'in question'
  /** Pages that are due and that nobody has claimed, as far as the lane knows. */
  supply: 'unknown' | 'due'
  since: Since
}

/** Decides what a lane does next. */
export function nextStep(lane: LaneState): Step {
  if (lane.pages === 0) return 'end'
  if (lane.since !== 'idle turn' && (lane.unrecorded > 0 || lane.left > 0) && isTurnDue(lane)) return 'turn'
  // Requests that are slow to answer must not keep other pages waiting.
  return lane.supply === 'due' ? 'claim' : 'wait'
}

/** A turn waits until it can record or begin a whole chunk, until nothing is in flight, or until it is time. */
function isTurnDue({ left, inFlight, unrecorded, chunk, credential, since }: LaneState): boolean {
  if (inFlight === 0 || unrecorded >= chunk) return true
  if (credential === 'in question' && unrecorded > 0) return false
  return since === 'time' || (left > 0 && mostToBegin({ inFlight, chunk }) >= chunk)
}

/** Number of recipients that a turn may begin: a chunk, and never so many that more than two chunks are begun and not answered. */
export function mostToBegin({ inFlight, chunk }: Pick<LaneState, 'inFlight' | 'chunk'>): number {
  return Math.min(2 * chunk - inFlight, chunk)
}

/** Figures that decide how much a lane claims. */
export interface Supplies {
  /** Pages that it holds; none of them is being read. */
  pages: number
  /** Recipients of these pages, and the number above which it claims no more. */
  recipients: number
  maxRecipients: number
  left: number
  chunk: number
}

/**
 * The most that a lane claims, so that the next two chunks are at hand when they are needed; undefined when it has enough. The last
 * page may exceed it.
 */
export function mostToClaim({ pages, recipients, maxRecipients, left, chunk }: Supplies): Most | undefined {
  const missing = Math.min(2 * chunk - left, maxRecipients - recipients)
  if (missing <= 0 || pages >= MAX_PAGES) return undefined
  return { units: Math.min(MAX_CLAIMS, MAX_PAGES - pages), weight: missing }
}
