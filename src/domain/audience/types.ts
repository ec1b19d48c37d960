/**
 * To whom, with every id looked up: what is stored with a notification and walked at send time. `exclude` are install rows.
 */
export type Target =
  | { kind: 'broadcast'; exclude: number[] }
  /** Install rows, ascending, each once. */
  | { kind: 'installs'; rows: number[]; exclude: number[] }
  /** Everybody of whom all of it holds at send time, and besides them the installs in `also`: rows, ascending, each once. */
  | { kind: 'filter'; narrowing: Narrowing; also?: number[]; exclude: number[] }

/** What must hold of an install: in every segment, subscribed to any of the channels, inside any of the geofences. Empty = no matter. */
export interface Narrowing {
  segments: number[]
  channels: number[]
  geofences: Fences | null
}

/** Which geofences: any at all, or those with these ids or one of these tags. */
export interface Fences {
  any: boolean
  ids: number[]
  tags: string[]
}

/** Ids that a caller gave and that cannot be reached, in the order given; the contract's `errors` object. Empty lists are left out. */
export interface TargetErrors {
  unknownInstallIds?: (string | number)[]
  unsubscribedInstallIds?: (string | number)[]
  unknownUserIds?: (string | number)[]
  unsubscribedUserIds?: (string | number)[]
}
