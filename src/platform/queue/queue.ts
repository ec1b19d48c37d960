/**
 * A queue of units of work, grouped in lanes. One owner at a time claims a unit, for the length of a lease. The database always holds
 * the record; another implementation may distribute unit ids faster without a difference to callers.
 */
export interface Queue {
  /** Tells waiting workers that units were stored. This is a hint: a lost one delays work, but loses none. */
  publish(): void
  /** Up to `limit` lanes that are not held and have a unit due. */
  dueLanes(now: number, limit: number): Promise<number[]>
  /** The time (ms) at which the earliest waiting unit of a lane becomes due, or undefined. */
  nextDue(now: number): Promise<number | undefined>
  /** Takes the oldest due unit of a lane. Each claim of a unit has a higher fence than the one before. */
  claim(lane: number, owner: string, now: number, leaseMs: number): Promise<Claim | undefined>
  /**
   * The same for several: light units until their weights reach `most.weight`, and the oldest of all until theirs reach half of it. The last
   * one of each may exceed it; neither are more than `most.units`. Oldest first.
   */
  claimSome(lane: number, owner: string, now: number, leaseMs: number, most: Most): Promise<Claim[]>
  /**
   * Extends the leases of these units, as far as the owner holds them. Units must be named, because the answer to a claim may get
   * lost: the owner then holds a unit that nobody works on.
   */
  extend(owner: string, leaseMs: number, ids: readonly number[]): Promise<void>
  /** Ends a unit. False, and nothing changed, when the claim was lost to another owner. */
  complete(claim: Claim): Promise<boolean>
  /**
   * Returns a unit to the queue, due at `notBefore`; undefined returns it to its place, as if it had not been claimed. `failed` counts
   * as a failure of the unit. False when the claim was lost.
   */
  retry(claim: Claim, notBefore: number | undefined, failed?: boolean): Promise<boolean>
  /** Removes a unit that cannot be processed from the queue, for an operator to inspect. False when the claim was lost. */
  bury(claim: Claim): Promise<boolean>
  /** Claims to recover: those whose lease has expired; with `name`, all claims of that owner; with `all`, every claim. */
  orphans(limit: number, owner?: { all: true } | { name: string }): Promise<Claim[]>
}

/** The most that is claimed at a time. */
export interface Most {
  units: number
  weight: number
}

export interface Claim {
  id: number
  owner: string
  fence: number
  /** The number of times that the unit failed before: it was returned as failed, or its worker died. */
  failures: number
}
