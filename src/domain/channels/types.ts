/** Properties of a channel that a caller can set, besides its uuid. */
interface ChannelFields {
  /** A channel with a name is public: devices see it without being subscribed. Exception: `madeByDevice`. */
  name: string | null
  showInPortal: boolean
  /** Returned to the app with its channels. */
  meta: Record<string, unknown> | null
}

type Given = { [Field in keyof ChannelFields]?: ChannelFields[Field] | undefined }

/** A channel of an app. Times are milliseconds since the epoch. */
export interface Channel extends ChannelFields {
  id: number
  appId: number
  /** Chosen by callers; unique within the app. */
  uuid: string
  /**
   * A device gave it its name, and no server has renamed it. The key of devices is public, so such a channel is private
   * unless the app is configured otherwise.
   */
  madeByDevice: boolean
  createdAt: number
  updatedAt: number
}

export interface NewChannel extends Given {
  uuid: string
}

/** Changes of a request: absent fields are left unchanged, null clears. */
export interface ChannelChange extends Given {
  uuid?: string | undefined
}

/** A channel, and whether one user or install is subscribed to it. */
export type SeenChannel = Pick<Channel, 'uuid' | 'name' | 'meta'> & { subscribed: boolean }

/** A channel that reaches a user, and how. */
export interface UserChannel extends Pick<Channel, 'uuid' | 'name'> {
  /** The user is subscribed, and with that all of their installs. */
  subscribed: boolean
  /** Current installs of the user that are subscribed themselves. */
  installIds: string[]
  /** Current installs that opted out: they are not reached, although their user is subscribed. */
  optedOutInstallIds: string[]
}

/** A subscription to a channel: of a user, or of one install. */
export interface Subscription {
  /** The user, or the current user of the install. */
  userId: string
  /** Id of the install; null when all installs of the user are meant. */
  installId: string | null
  /** False for an install that opted out. */
  subscribed: boolean
}

/** An install id or user identifier as a caller wrote it; compared as text and returned unchanged. */
export type GivenId = string | number

/** Installs and users to subscribe or unsubscribe; at least one of the lists is not empty. */
export interface Subscribers {
  installIds?: GivenId[] | undefined
  userIds?: GivenId[] | undefined
}

/** Subscribers that a server removes. */
export interface Unsubscribers extends Subscribers {
  /** True to leave the installs of the users the subscriptions of their own. */
  keepInstalls?: boolean | undefined
}

/** Unknown ids, in the order given; absent if there are none. */
export interface UnknownSubscribers {
  unknownInstallIds?: GivenId[]
  unknownUserIds?: GivenId[]
}

export type ImportState = 'queued' | 'running' | 'done' | 'failed'

/** The import of a file of subscribers, which is applied batch by batch. */
export interface ChannelImport {
  /** Internal number; orders the list. */
  row: number
  /** Known to callers; also part of the name of its file. */
  id: string
  appId: number
  channelId: number
  state: ImportState
  /** Size of the file in bytes, and the number of bytes that are applied. */
  size: number
  place: number
  /** Number of the next line, from 1. */
  line: number
  /** Number of identifiers in the file. */
  total: number
  /** Number of identifiers whose user has been subscribed. */
  applied: number
  /** Number of identifiers without a user. */
  unknown: number
  /** The reason of a failure, as a sentence for people. */
  error: string | null
  createdAt: number
  updatedAt: number
}

/** A line of a file that names an unknown user. */
export interface UnknownLine {
  line: number
  identifier: string
}

/** Numbers of subscriptions of a channel. */
export interface ChannelCounts {
  channelId: number
  /** Users, with all of their installs. */
  users: number
  /** Installs that are subscribed themselves. */
  installs: number
  /** Installs that opted out. */
  optedOut: number
  /** False when the time was over: then there are more. */
  isWhole: boolean
}
