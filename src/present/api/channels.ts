import type { Channel, ChannelImport, SeenChannel, Subscription, UnknownLine } from '../../domain/channels/types.ts'
import {
  answer,
  boolean,
  count,
  free,
  integer,
  list,
  nullable,
  object,
  oneOf,
  optional,
  pageOf,
  plainTime,
  string,
  told,
  type Words,
} from '../schema.ts'
import { APP_ID, CHANNEL_UUID, CREATED_AT, ID, UPDATED_AT } from '../words.ts'

const META: Words = ['Additional values for the app, returned when it reads channels.', { icon: 'news.png' }]
const USER_ID: Words = ['The user, or the current user of the install.', 'user-17']
const INSTALL_ID: Words = [
  'The install; null when the user is subscribed, and with that all of their installs.',
  '7f0c3b1e-96b6-4f0e-a2b5-3a1c6a1b7d10',
]
const SUBSCRIBED: Words = [
  'False for an install that opted out: it gets nothing, although its user is subscribed.',
  true,
]
const IMPORT: Words = ['The file of subscribers.']

/** The contract's Channel; `madeByDevice`, an addition of ours, only where it is so. */
export const channel = answer<Channel>()('Channel', 'Something that installs and users subscribe to.', {
  id: told(integer, ID),
  appId: told(integer, APP_ID),
  uuid: told(string, 'Identifier of the channel, unique in the app.', 'news'),
  name: told(nullable(string), 'Name for people. Null makes the channel private.', 'News'),
  showInPortal: told(boolean, 'Whether the console offers the channel as a target. Needs a `name`.', true),
  meta: told(nullable(free), META),
  madeByDevice: optional(
    told(
      { const: true },
      'Present on a channel that a device created and no server has named since.',
      ({ madeByDevice }) => madeByDevice || undefined,
    ),
  ),
  createdAt: told(plainTime, CREATED_AT, '2026-03-01 12:00:00'),
  updatedAt: told(plainTime, UPDATED_AT, '2026-03-01 12:30:00'),
})
export const presentChannel = channel.present
export const channelPage = pageOf('channels', 'One page of channels.', 'The channels of this page.', channel)

/**
 * A channel of a device's list (docs/reference/device-protocol.md section 8): SDKs refuse the whole list without
 * `subscribed`.
 */
export const seenChannel = answer<SeenChannel>()('SeenChannel', 'A channel as a user or an install sees it.', {
  uuid: told(string, CHANNEL_UUID),
  name: told(nullable(string), 'Name for people; null if the channel has none.', 'News'),
  subscribed: told(boolean, 'Whether the user or install is subscribed.', true),
  meta: told(nullable(free), META),
})

export const presentSeenChannel = seenChannel.present

/** A subscription to a channel; `installId` is null when all installs of the user are meant. */
export const subscription = answer<Subscription>()('Subscription', 'A subscription of a user, or of one install.', {
  userId: told(string, USER_ID),
  installId: told(nullable(string), INSTALL_ID),
  subscribed: told(boolean, SUBSCRIBED),
})
export const presentSubscription = subscription.present
export const subscriptionPage = pageOf(
  'subscriptions',
  'One page of subscriptions.',
  'The subscriptions of this page.',
  subscription,
  string,
)

const importMembers = {
  id: told(string, 'Unique id of the file.', '0b0e6c5a-7f3d-4c55-9a3e-2f6b1c8d4e10'),
  state: told(oneOf(['queued', 'running', 'done', 'failed']), 'How far it is.', 'done'),
  lines: told(count, 'Identifiers in the file.', 120, ({ total }: ChannelImport) => total),
  processed: told(
    count,
    'Identifiers processed so far.',
    120,
    ({ applied, unknown }: ChannelImport) => applied + unknown,
  ),
  applied: told(count, 'Identifiers whose user is subscribed now.', 118),
  unknown: told(count, 'Identifiers whose user does not exist.', 2),
  error: told(nullable(string), 'Why the import failed; null otherwise.', null),
  createdAt: told(plainTime, 'When the file was accepted.', '2026-03-01 12:00:00'),
  updatedAt: told(plainTime, 'When it last made progress.', '2026-03-01 12:30:00'),
}
/** A file of subscribers and how far it is: `processed` of `lines` identifiers, each of them applied or unknown. */
export const channelImport = answer<ChannelImport>()(
  'ChannelImport',
  'A file of subscribers and its progress.',
  importMembers,
)
export const presentImport = channelImport.present
export const queuedImport = object(
  'QueuedChannelImport',
  'A file that was accepted.',
  { import: told(channelImport, IMPORT) },
  {
    import: {
      id: '0b0e6c5a-7f3d-4c55-9a3e-2f6b1c8d4e10',
      state: 'queued',
      lines: 120,
      processed: 0,
      applied: 0,
      unknown: 0,
      error: null,
      createdAt: '2026-03-01 12:00:00',
      updatedAt: '2026-03-01 12:00:00',
    },
  },
)
export const importPage = pageOf(
  'imports',
  'One page of files of subscribers.',
  'The files of this page.',
  channelImport,
)
const unknownLine = answer<UnknownLine>()('UnknownLine', 'A line whose user does not exist.', {
  line: told(integer, 'Number of the line, from 1.', 2),
  userId: told(string, 'What the line says.', 'user-99', ({ identifier }) => identifier),
})
/** The same with the first lines that name nobody. */
const reportedImport = answer<ChannelImport & { unknownLines: UnknownLine[] }>()(
  'ChannelImportReport',
  'A file of subscribers with the first lines whose user does not exist.',
  {
    ...importMembers,
    unknownUsers: told(
      list(unknownLine),
      'The first lines whose user does not exist.',
      ({ unknownLines }) => unknownLines,
    ),
  },
)
export const presentImportReport = reportedImport.present
export const importReport = object('ChannelImportAnswer', 'The progress of a file.', {
  import: told(reportedImport, IMPORT),
})
