import { boolean, definition, definitionList, integer, json, table, text, type Value } from '../../platform/db/table.ts'
import { CALLED_OFF, SEND_STATUS, type SOURCE } from '../audience/sends.ts'
import type { UserTarget } from '../audience/types.ts'
import type { UserCursor } from '../audience/walk/walk.ts'
import type { LookUps, Personalize } from '../personalization/request/parts.ts'
import type { Schedule } from '../schedules/schedule.ts'
import type { ContentDocument, Tag, TagValues } from '../templates/types.ts'

/** The contract's `status` of an in-app message. */
export const STATUS = { ...SEND_STATUS, withdrawn: CALLED_OFF } as const
export type Status = (typeof STATUS)[keyof typeof STATUS]

/** The sources that an in-app message can have. */
export type Source = (typeof SOURCE)['messages' | 'cli' | 'console'] | typeof TEST_SOURCE
export { SOURCE } from '../audience/sends.ts'
/** The source of a message to test devices. The contract has no number for it: nobody is told this one. */
export const TEST_SOURCE = 7

/** Moments at which a device shows the message by itself. */
export const PRESENTED_WHEN = ['immediately', 'next-open', 'never'] as const
export type PresentedWhen = (typeof PRESENTED_WHEN)[number]

/** The linked push as it was accepted. */
export interface Announcement {
  title: string
  message: string
  ios?: { media?: { pictureUrl?: string } }
  android?: { pictureUrl?: string }
  /** By language tag; a picture is for both platforms. */
  languages?: Readonly<Record<string, { title: string; message: string; pictureUrl?: string }>>
  /** The push template it was made of. It may say more than the texts here. */
  template?: { uid: string; version: number }
}

/** The linked push as a request has it. Without `template`, the uid of a push template, it has title and message. */
export interface Announcing extends Partial<Omit<Announcement, 'template'>> {
  template?: string
}

/** An inbox shows each text of an entry in one line: the most characters. */
export const MAX_LINE_LENGTH = 255

/** The texts of an entry in the app's inbox. */
export interface InboxTexts {
  title: string
  subtitle: string
  imageUrl?: string
}

/** The entry in the app's inbox, which is there between `from` and `to` (ms). */
export interface Inbox extends InboxTexts {
  from?: number
  to?: number
  /** By language tag. What is absent is taken from the entry itself. */
  languages?: Readonly<Record<string, Partial<InboxTexts>>>
}

/** The parts of a request that make a message differ between users. */
export interface PersonalParts {
  /** Present when the texts are template texts. */
  personalize?: Personalize
  lookup?: LookUps
  /** Values of dynamic tags by language tag. What is absent is taken from the content itself. */
  languages?: Readonly<Record<string, TagValues>>
}

/** Users who did not get a message because of what it says. */
export interface LeftOut {
  /** Users for whom a value was missing, and users for whom a text was too large. */
  missingValue: number
  tooLarge: number
  /** Users by expression without a value; one user may lack several. */
  missing: Readonly<Record<string, number>>
}

/** In-app messages, with the state of their fan-out. */
export const MESSAGES = table('in_app_messages', {
  id: integer('id'),
  appId: integer('app_id'),
  source: integer('source').as<Source>(),
  /** The series of which it is an occurrence; null: of none. */
  seriesId: integer('series_id').orNull,
  status: integer('status').as<Status>(),
  /** The reason why the status is `failed` or `withdrawn`, in words. */
  statusReason: text('status_reason').orNull,
  /** The targeting as the caller gave it, without empty and false fields. */
  filters: definition('filters').as<Record<string, unknown>>(),
  target: definition('target').as<UserTarget>(),
  /** The template's uid, and the version of it that was rendered. */
  template: text('template'),
  templateVersion: integer('template_version'),
  /** Values of the dynamic tags, as the caller gave them. */
  tagValues: definition('tag_values').as<TagValues>(),
  notification: definition('notification').as<Announcement>().orNull,
  /** The rendered document that devices show; with its tags when the message is personal. */
  content: definition('content').as<ContentDocument>(),
  /** Data for the app, in addition to the content. */
  data: definition('data').as<Record<string, unknown>>().orNull,
  inbox: definition('inbox').as<Inbox>().orNull,
  /** The parts that make it differ between users, and the tags of its document; null: all users get the same. */
  personal: definition('personal').as<PersonalParts & { tags: Tag[] }>().orNull,
  presentedWhen: text('presented_when').as<PresentedWhen>(),
  /** Short words by which lists and reports find it; null: none. */
  labels: definitionList('labels').as<string[]>().orNull,
  /** Time to live, counted from the moment a user gets the message; null: it never expires. */
  ttlMs: integer('ttl_ms').orNull,
  /** Due time; null: it was due at once. */
  schedule: definition('schedule').as<Schedule>().orNull,
  /** The uid of its purpose; null: it has none. */
  purpose: text('purpose').orNull,
  /** True when it ignores purposes, and its push also quiet hours and the frequency cap. */
  transactional: boolean('transactional'),
  /** The linked push; null when there is none. */
  notificationId: integer('notification_id').orNull,
  /** The time at which the next step of its fan-out is due; null when the fan-out is finished or cancelled. */
  nextAt: integer('next_at').orNull,
  /** The time at which the walk under way began (ms); null between walks. */
  walkedAt: integer('walked_at').orNull,
  cursor: json('cursor').as<Cursor>(),
  /** The time at which it was first given to users (ms); null: it was not yet, or by an earlier version. */
  sentAt: integer('sent_at').orNull,
  /** The time at which it was withdrawn; null: it was not. */
  withdrawnAt: integer('withdrawn_at').orNull,
  /**
   * Users who have it, and users skipped: because they do not want it, are on the suppression list, all of their
   * installs are excluded, or the time had passed in their zone.
   */
  recipients: integer('recipients'),
  skipped: integer('skipped'),
  notWanted: integer('not_wanted'),
  onSuppressionList: integer('on_suppression_list'),
  excluded: integer('excluded'),
  /** Users skipped because of what the message says to them; null: none. */
  leftOut: definition('left_out').as<LeftOut>().orNull,
  /** The number of users on whose devices it arrived, was shown, was closed, was read in the inbox, was removed from the inbox. */
  delivered: integer('delivered'),
  shown: integer('shown'),
  dismissed: integer('dismissed'),
  read: integer('read'),
  inboxDeleted: integer('inbox_deleted'),
  createdAt: integer('created_at'),
  /** The time of its last edit; null: it was never edited. */
  editedAt: integer('edited_at').orNull,
  updatedAt: integer('updated_at'),
})

/** The time (ms) from which its due times are computed. */
export const plannedAtOf = ({ cursor, createdAt, editedAt }: Planned): number =>
  cursor.plannedAt ?? editedAt ?? createdAt

type Planned = Pick<InAppMessage, 'createdAt' | 'editedAt'> & { cursor: Cursor }

/** A stored message without its target, which may list very many users. Times are milliseconds since the epoch. */
export type InAppMessage = Omit<Value<typeof MESSAGES>, 'target' | 'walkedAt' | 'cursor'>

/** Position of a message's fan-out: of the walk under way, or between two walks. Stored as JSON. */
export interface Cursor extends UserCursor {
  /** The last walk: it takes everybody who does not have the message yet. */
  last?: true
  /** The walk began more than `schedule.maxLateness` after it was due: users who were due then get no push. */
  late?: true
  /** Beginning of a walk (ms): of the one that runs, or between two walks, of the previous one. */
  since?: number
  /** During a walk: the time at which the previous one began (ms). */
  behind?: number
  /** The time (ms) from which due times are computed, where its last edit left them alone. */
  plannedAt?: number
}

/** The columns that the fan-out of a message reads. */
export const WALKS = MESSAGES.pick(
  'id',
  'appId',
  'status',
  'target',
  'schedule',
  'purpose',
  'transactional',
  'notificationId',
  'ttlMs',
  'nextAt',
  'walkedAt',
  'cursor',
  'recipients',
  'skipped',
  'notWanted',
  'onSuppressionList',
  'excluded',
  'personal',
  'leftOut',
  'createdAt',
  'editedAt',
)

/** The columns that say what a message shows. */
export const PERSONAL_CONTENT = MESSAGES.pick('content', 'tagValues', 'data', 'inbox', 'personal', 'editedAt')

/** The content of a message that differs between users. */
export type PersonalContent = Omit<Value<typeof PERSONAL_CONTENT>, 'editedAt' | 'personal'> & {
  personal: NonNullable<InAppMessage['personal']>
}

/** A message as its fan-out reads it. */
export type Walk = Value<typeof WALKS> & { nextAt: number }
