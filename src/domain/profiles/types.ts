import type { UserChannel } from '../channels/types.ts'
import type { ChosenPurpose, Suppression } from '../consent/types.ts'
import type { Install, UserWithInstalls } from '../crm/types.ts'
import type { TokenEnvironment } from '../gateways/gateway.ts'

/**
 * A profile is a user as people of the console see them. It is named by the number of its row, so that people who must
 * not see an identifier can still open it. Times are milliseconds since the epoch.
 */
export interface Profile {
  user: UserWithInstalls
  /** Tokens by the row of the install. */
  tokens: ReadonlyMap<number, TokenState>
  channels: UserChannel[]
  purposes: ChosenPurpose[]
  /** The entry of the suppression list; null when they are not on it. */
  suppression: Pick<Suppression, 'reason' | 'at'> | null
}

/** State of the push token of an install. The token itself is never shown. */
export interface TokenState {
  row: number
  hasToken: boolean
  /** The time at which the device registered or gave up its token. */
  tokenAt: number | null
  environment: TokenEnvironment | null
  topic: string | null
  /** Suspicious refusals since the token was last accepted or registered. */
  refusals: number
  /** The last token that a gateway refused for good; null when there was none. */
  retired: { reason: string; at: number } | null
}

/** The meaning of a typed text. */
export type Understood =
  | { kind: 'everybody' }
  /** A part of an identifier or of a value, or the whole id of an install. */
  | { kind: 'name'; text: string }
  | { kind: 'attribute'; name: string; op: AttributeOp; value: string | number | boolean }

/** Operators of segments that a search field can express. */
export type AttributeOp = 'equals' | 'notEquals' | 'contains' | 'greaterThan' | 'atLeast' | 'lessThan' | 'atMost'

/** Orders of everybody; `-` is descending. A search has an order of its own. */
export const PROFILE_SORTS = ['-created', 'created', 'identifier', '-identifier', '-lastActive'] as const
type ProfileSort = (typeof PROFILE_SORTS)[number]

export interface ProfileSearch {
  /** The typed text; empty: everybody. */
  text: string
  /** The order of everybody; the newest first without one. */
  sort?: ProfileSort | undefined
  /** The `next` of the page before. */
  after?: string | undefined
  limit: number
  /** True when only whole identifiers and install ids are found: a part of one would tell readers more than they may see. */
  isWholeOnly?: boolean
}

export interface FoundProfiles {
  ids: number[]
  /** The place at which the next page begins; null when there is no more. */
  next: string | null
  understood: Understood
}

/** Suggestions of the search field while people type. */
export type Suggestion =
  | { kind: 'user'; id: number; identifier: string }
  | { kind: 'install'; id: number; installId: string }
  /** A search by an attribute that users have; `text` stands in the field once it is chosen. */
  | { kind: 'attribute'; text: string; name: string; value: string | null }

/** One thing that happened to a user, or that they did. */
export interface Moment {
  kind: MomentKind
  at: number
  /** The install; null when it is about the user. */
  installId: string | null
  /** The type of an event. */
  type: string | null
  /** The notification, the in-app message or the name of the link. */
  about: { id: number; name: string | null } | null
  /** The outcome of a send, or the state of a message. */
  state: string | null
  /** The data of the event, as far as it is short. */
  data: Record<string, unknown> | null
}

export const MOMENT_KINDS = ['session', 'send', 'open', 'message', 'link', 'event'] as const
export type MomentKind = (typeof MOMENT_KINDS)[number]

export interface Timeline {
  /** The latest first. */
  moments: Moment[]
  /** The place at which to read on; null at the end. */
  next: string | null
}

/** The reason why one install got a notification, or did not. */
export interface InstallVerdict {
  install: Pick<Install, 'row' | 'installId' | 'os' | 'deviceName' | 'deviceModel'>
  /** The state of the trace, or one that tells why it is no recipient. */
  state: string
  wasReached: boolean
  says: string
  remedy: string | null
  /** Answers of gateways, oldest first. */
  answers: { kind: string; reason: string; at: number }[]
  /** The time at which it is sent to again; null when it is not. */
  nextAt: number | null
}

/** The reason why a person got a notification, or did not. */
export interface Verdict {
  wasReached: boolean
  /** One sentence about all of their installs. */
  says: string
  remedy: string | null
  installs: InstallVerdict[]
}
