import type { Attributes, InstallDetails, TokenRegistration } from '../types.ts'

/** An install that another service knew. Times in milliseconds. */
export interface AdoptedInstall {
  installId: string
  /** Null: nobody has logged in on it, so it gets an anonymous user. */
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
  /** Whether notifications are on. */
  enabled: boolean
  createdAt: number
}

/** Installs that are here, by id and by token. */
export interface Here {
  byId: ReadonlyMap<string, StandingInstall>
  byToken: ReadonlyMap<string, readonly StandingInstall[]>
}

/** How a batch treats what is here already. */
export interface AdoptOptions {
  /**
   * Opt-outs of the batch change nothing that was here before this instant; null: they always count. What the same import
   * has made is not what was here.
   */
  keepBefore: number | null
}

/** What became of an install: made, there already, its token is another install's, or its user has too many. */
export type AdoptedAs = 'made' | 'existing' | 'moved' | 'too_many'
