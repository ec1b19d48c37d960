/**
 * Work that many workers share: units of a lane, each claimed by one owner for the length of a lease. The record is always
 * the database; another implementation may hand unit ids round faster, and nothing above can tell.
 */
export interface Queue {
  /** Tells waiting workers that units were stored. A hint: losing it costs time, never work. */
  publish(): void
  /** Lanes that have a unit due and are not held, at most `limit`. */
  dueLanes(now: number, limit: number): Promise<number[]>
  /** When the earliest waiting unit of a lane becomes due (ms), or undefined. */
  nextDue(now: number): Promise<number | undefined>
  /** Takes the oldest due unit of a lane. Each claim of a unit has a higher fence than the one before. */
  claim(lane: number, owner: string, now: number, leaseMs: number): Promise<Claim | undefined>
  /**
   * Prolongs the leases of these units, as far as the owner has them. Not of all: the answer to a claim may get lost, and then
   * nobody works on what the owner has.
   */
  extend(owner: string, leaseMs: number, ids: readonly number[]): Promise<void>
  /** Ends a unit. False when the claim was lost to somebody else: then nothing was changed. */
  complete(claim: Claim): Promise<boolean>
  /** Gives a unit back, due at `notBefore`. `failed` counts it against the unit. False when the claim was lost. */
  retry(claim: Claim, notBefore: number, failed?: boolean): Promise<boolean>
  /** Takes a unit that cannot be worked on out of circulation, for people to look at. False when the claim was lost. */
  bury(claim: Claim): Promise<boolean>
  /** Units whose owner stopped renewing, or that `owner` had when `all` is given. */
  orphans(limit: number, owner?: { all: true } | { name: string }): Promise<Claim[]>
}

export interface Claim {
  id: number
  owner: string
  fence: number
  /** How often work on the unit failed before: given back as failed, or its worker ended. */
  failures: number
}
