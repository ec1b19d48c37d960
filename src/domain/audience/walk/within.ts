/** A time zone as the device told it (null: it did not), and hours in it. */
export interface Place {
  zone: string | null
  /** Preferred hours of users, 0 to 23, or -1 for "not known"; null means every hour. */
  hours: readonly number[] | null
}

/** Limits a walk to installs by their time zone and preferred hour when the step is read. */
export interface Within {
  places: readonly Place[]
  /**
   * Installs whose zone or preferred hour changed after this time (ms) are named in `Step.moved`: another run of the
   * same notification may have reached them where they were before.
   */
  changedSince: number
  /** Only installs that changed since then, wherever they are now; `places` is ignored. */
  changedOnly?: true
}

/** The columns of an install that decide whether a limited walk includes it. */
export interface PlaceColumns {
  timezone: string | null
  preferred_hour: number
  zone_changed_at: number
  created_at: number
}

/** A device tells its zone with its first batch of events: only a change after that counts as a move. */
const SETTLING_MS = 60_000

/** The preferred hour of a user who has none yet. */
export const NO_HOUR = -1

/** Whether a walk that is limited to `within` includes an install. */
export function isWithin(install: PlaceColumns, within: Within): boolean {
  if (within.changedOnly) {
    return hasMoved({ changedAt: install.zone_changed_at, createdAt: install.created_at }, within.changedSince)
  }
  return within.places.some(
    ({ zone, hours }) => zone === install.timezone && (hours === null || hours.includes(install.preferred_hour)),
  )
}

/** Whether another run may have reached the install where it was before. */
export function hasChanged({ zone_changed_at: at = 0 }: { zone_changed_at?: number }, within: Within): boolean {
  return at > within.changedSince
}

/** Whether an install moved to another zone after `since`; all times in ms. Learning its first zone is no move. */
export function hasMoved({ changedAt, createdAt }: { changedAt: number; createdAt: number }, since: number): boolean {
  return changedAt > since && changedAt > createdAt + SETTLING_MS
}

/** A time zone and a preferred hour in it; null and -1 when unknown. */
export interface ZoneHour {
  zone: string | null
  hour: number
}

/**
 * Hours of one zone that stand next to each other in an index over zone and preferred hour; `from` and `to` included.
 */
export interface HourRange {
  zone: string | null
  from: number
  to: number
}

/** A zone with every preferred hour, and users who have none. */
export const everyHour = (zone: string | null): HourRange => ({ zone, from: NO_HOUR, to: 23 })

/** The index ranges of these places, in a fixed order. */
export function hourRangesOf({ places }: Within): HourRange[] {
  return places.flatMap(({ zone, hours }) =>
    hours === null ? [everyHour(zone)] : hours.map((hour) => ({ zone, from: hour, to: hour })),
  )
}
