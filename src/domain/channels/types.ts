import * as column from '../../platform/db/table.ts'
import { documented, flag, jsonData, text } from '../../platform/values/parse.ts'

/** Maximum length of the uuid and name of a channel in code points. */
export const MAX_LENGTH = 255

/** The fields of a channel that callers set, besides its uuid: the column of each, its rule, and its value until somebody gives one. */
const FIELDS = {
  /** A channel with a name is public: devices see it without being subscribed. Exception: `madeByDevice`. */
  name: {
    column: column.text('name').orNull,
    rule: documented(text({ max: MAX_LENGTH }).nullable(), { description: 'Name for people.', examples: ['News'] }),
    first: null,
  },
  showInPortal: {
    column: column.boolean('show_in_portal'),
    rule: documented(flag(), {
      description: 'Whether the console offers the channel as a target. Needs a `name`.',
      examples: [true],
    }),
    first: false,
  },
  meta: {
    column: column.definition('meta').as<Record<string, unknown>>().orNull,
    rule: documented(jsonData().nullable(), {
      description: 'Additional values for the app, returned when it reads channels.',
      examples: [{ icon: 'news.png' }],
    }),
    first: null,
  },
} as const

type Fields = typeof FIELDS
type Name = keyof Fields
type Each<Part extends keyof Fields[Name]> = { [N in Name]: Fields[N][Part] }

const each = <Part extends keyof Fields[Name]>(part: Part) =>
  Object.fromEntries(Object.entries(FIELDS).map(([name, one]) => [name, one[part]])) as Each<Part>

const COLUMNS = each('column')
export const RULES = each('rule')
const FIRST = each('first')

export const CHANNELS = column.table('channels', {
  id: column.integer('id'),
  appId: column.integer('app_id'),
  /** Chosen by callers; unique within the app. */
  uuid: column.text('uuid'),
  ...COLUMNS,
  /**
   * A device gave it its name, and no server has renamed it. The key of devices is public, so such a channel is private
   * unless the app is configured otherwise.
   */
  madeByDevice: column.boolean('made_by_device'),
  createdAt: column.integer('created_at'),
  updatedAt: column.integer('updated_at'),
})

/** A channel of an app. Times are milliseconds since the epoch. */
export type Channel = column.Value<typeof CHANNELS>

/** The values of the fields. */
type ChannelFields = column.ValueOf<Each<'column'>>
/** Fields of a request, which may be absent. */
type GivenFields = { [N in Name]?: ChannelFields[N] | undefined }

/** The fields as given; an absent one has its value of `before`, or that of a new channel. */
export const merged = (given: GivenFields, before: ChannelFields = FIRST): ChannelFields =>
  Object.fromEntries(
    (Object.keys(FIELDS) as Name[]).map((name) => [name, given[name] === undefined ? before[name] : given[name]]),
  ) as unknown as ChannelFields

export interface NewChannel extends GivenFields {
  uuid: string
}

/** Changes of a request: absent fields are left unchanged, null clears. */
export interface ChannelChange extends GivenFields {
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

export const IMPORTS = column.table('channel_imports', {
  /** Internal number; orders the list. */
  row: column.integer('id'),
  /** Known to callers; also part of the name of its file. */
  id: column.text('uuid'),
  appId: column.integer('app_id'),
  channelId: column.integer('channel_id'),
  state: column.text('state').as<ImportState>(),
  /** Size of the file in bytes, and the number of bytes that are applied. */
  size: column.integer('size'),
  place: column.integer('place'),
  /** Number of the next line, from 1. */
  line: column.integer('line'),
  /** Number of identifiers in the file. */
  total: column.integer('total'),
  /** Number of identifiers whose user has been subscribed. */
  applied: column.integer('applied'),
  /** Number of identifiers without a user. */
  unknown: column.integer('unknown'),
  /** The reason of a failure, as a sentence for people. */
  error: column.text('error').orNull,
  /** The worker that applies the file, and the time until which others leave it alone (ms, clock of the database). */
  owner: column.text('owner').orNull,
  leaseUntil: column.integer('lease_until'),
  createdAt: column.integer('created_at'),
  updatedAt: column.integer('updated_at'),
})

/** The import of a file of subscribers, which is applied batch by batch. */
export type ChannelImport = column.Value<typeof IMPORTS>

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
