/** Pages claimed in one transaction. */
const MAX_CLAIMS = 4

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

/** How far a lane is when it decides what to do. */
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
  /** While the credential is unproven, responses are recorded together: they may show that it is wrong. */
  credential: 'proven' | 'unproven'
  /** Whether pages are due that nobody has claimed. */
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
  if (credential === 'unproven' && unrecorded > 0) return false
  return since === 'time' || (left > 0 && mostToBegin({ inFlight, chunk }) >= chunk)
}

/** How many recipients a turn may begin: a chunk, and at most two are begun and not answered. */
export function mostToBegin({ inFlight, chunk }: Pick<LaneState, 'inFlight' | 'chunk'>): number {
  return Math.min(2 * chunk - inFlight, chunk)
}

/** Figures that decide how many pages a lane claims. */
export interface Supplies {
  /** Pages that it holds; none of them is being read. */
  pages: number
  maxPages: number
  /** Recipients of the largest of them. */
  largest: number
  left: number
  chunk: number
}

/** How many pages a lane claims, so that the next two chunks are at hand when they are needed. */
export function pagesToClaim({ pages, maxPages, largest, left, chunk }: Supplies): number {
  const missing = 2 * chunk - left
  if (missing <= 0 || pages >= maxPages) return 0
  return Math.min(MAX_CLAIMS, maxPages - pages, Math.ceil(missing / Math.max(1, largest)))
}
