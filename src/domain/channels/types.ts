/** A channel of an app: something to subscribe to. Times are milliseconds since the epoch. */
export interface Channel {
  id: number
  appId: number
  /** What apps and servers call it; unique within the app. */
  uuid: string
  /** A channel with a name is public: devices see it without being subscribed. See `madeByDevice`. */
  name: string | null
  showInPortal: boolean
  /** Handed to the app when it reads its channels. */
  meta: Record<string, unknown> | null
  /**
   * Its name is a device's word and no server gave it one since. The key of devices is public, so such a channel is private, unless the
   * app says that the channels of its devices are public too.
   */
  madeByDevice: boolean
  createdAt: number
  updatedAt: number
}

export interface NewChannel {
  uuid: string
  name?: string | null | undefined
  showInPortal?: boolean | undefined
  meta?: Record<string, unknown> | null | undefined
}

/** What a request changes: absent leaves alone, null clears. */
export interface ChannelChange {
  uuid?: string | undefined
  name?: string | null | undefined
  showInPortal?: boolean | undefined
  meta?: Record<string, unknown> | null | undefined
}

/** A channel as one user or install sees it. */
export type SeenChannel = Pick<Channel, 'uuid' | 'name' | 'meta'> & { subscribed: boolean }

/** An install id or user identifier as a caller writes it; compared as text, echoed as given. */
export type GivenId = string | number

/** Who is to be subscribed or unsubscribed; at least one of the lists holds an id. */
export interface Subscribers {
  installIds?: GivenId[] | undefined
  userIds?: GivenId[] | undefined
}

/** Ids that nobody has, in the order given; absent when there are none. */
export interface UnknownSubscribers {
  unknownInstallIds?: GivenId[]
  unknownUserIds?: GivenId[]
}

export type ImportState = 'queued' | 'running' | 'done' | 'failed'

/** A file of subscribers that is applied, batch by batch. */
export interface ChannelImport {
  /** Our number of it: its place in the list. */
  row: number
  /** What callers know it by, and the name of its file. */
  id: string
  appId: number
  channelId: number
  state: ImportState
  /** Bytes of the file, and how many of them are applied. */
  size: number
  place: number
  /** The line that comes next (from 1). */
  line: number
  /** Identifiers in the file. */
  total: number
  /** Identifiers whose user is subscribed now. */
  applied: number
  /** Identifiers that are nobody's. */
  unknown: number
  /** Why it failed, for people. */
  error: string | null
  createdAt: number
  updatedAt: number
}

/** A line of a file that names a user that there is not. */
export interface UnknownLine {
  line: number
  identifier: string
}
