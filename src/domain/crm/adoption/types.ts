import type { Attributes, InstallDetails, TokenRegistration } from '../types.ts'

/** An install that another service knew. Times in milliseconds. */
export interface AdoptedInstall {
  installId: string
  /** Identifier of the user; null when nobody has logged in on the install, which then gets an anonymous user. */
  identifier: string | null
  details: InstallDetails
  token: TokenRegistration | null
  enabled: boolean
  lastActive: number
}

/** A user that another service knew. `identifier` is an install id for an anonymous user. */
export interface AdoptedUser {
  identifier: string
  anonymous: boolean
  attributes: Attributes
  firstActive: number
  lastActive: number
  /** False: the other service does not say when, and the times are those of the import. */
  isDated: boolean
}

/** An install that is here already. */
export interface StandingInstall {
  row: number
  installId: string
  token: string | null
  /** True when notifications are on. */
  enabled: boolean
  createdAt: number
}

/** Installs that are here, by id and by token. */
export interface Here {
  byId: ReadonlyMap<string, StandingInstall>
  byToken: ReadonlyMap<string, readonly StandingInstall[]>
}

/** Treatment of installs that are here already. */
export interface AdoptOptions {
  /**
   * The instant before which an install or user counts as here: opt-outs of the batch do not change it; null: they
   * always count. Installs and users that the same import has made do not count as here.
   */
  keepBefore: number | null
}

/** Results of an install: it was made, it was there already, its token is another install's, or its user has too many. */
export type AdoptedAs = 'made' | 'existing' | 'moved' | 'too_many'
