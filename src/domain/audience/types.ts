/**
 * To whom, with every id looked up: what is stored with a notification and walked at send time. `exclude` are install rows.
 */
export type Target =
  | { kind: 'broadcast'; exclude: number[] }
  /** Install rows, ascending, each once. */
  | { kind: 'installs'; rows: number[]; exclude: number[] }

/** Ids that a caller gave and that cannot be reached, in the order given; the contract's `errors` object. Empty lists are left out. */
export interface TargetErrors {
  unknownInstallIds?: (string | number)[]
  unsubscribedInstallIds?: (string | number)[]
  unknownUserIds?: (string | number)[]
  unsubscribedUserIds?: (string | number)[]
}
