/** Where an install is: its zone as the device says it (null: it did not), and when its user is usually active. */
export interface Place {
  zone: string | null
  /** Preferred hours that are meant, 0 to 23, or -1 for "not known"; null means whatever the hour. */
  hours: readonly number[] | null
}

/** Narrows a walk to installs by where they are at the moment of the step. */
export interface Within {
  places: readonly Place[]
  /** Installs whose zone or preferred hour changed after this (ms) are told apart in `Step.moved`: another walk may have met them. */
  changedSince: number
  /** Only installs that changed since, wherever they are now; `places` does not matter. */
  changedOnly?: true
}

/** What a narrowed walk must read of an install. */
export interface Placed {
  timezone: string | null
  preferred_hour: number
  zone_changed_at: number
  created_at: number
}

/** A device tells its zone with its first batch: only a change after that is a move. */
export const SETTLING_MS = 60_000

const NO_HOUR = -1

/** Whether an install that was read is meant. */
export function isWithin(install: Placed, within: Within): boolean {
  if (within.changedOnly) return hasMoved(install, within)
  return within.places.some(
    ({ zone, hours }) => zone === install.timezone && (hours === null || hours.includes(install.preferred_hour)),
  )
}

/** Whether another walk may have met it where it was before. */
export function hasChanged({ zone_changed_at: at }: Pick<Placed, 'zone_changed_at'>, within: Within): boolean {
  return at > within.changedSince
}

function hasMoved(install: Placed, within: Within): boolean {
  return hasChanged(install, within) && install.zone_changed_at > install.created_at + SETTLING_MS
}

/** A stretch of the index along which a walk goes: one zone, an hour or all of them. */
export interface Stretch {
  zone: string | null
  from: number
  to: number
}

/** The places one after the other, in a fixed order. */
export function stretchesOf({ places }: Within): Stretch[] {
  return places.flatMap(({ zone, hours }) =>
    hours === null ? [{ zone, from: NO_HOUR, to: 23 }] : hours.map((hour) => ({ zone, from: hour, to: hour })),
  )
}
