import type { Accepted } from '../../domain/in-app/accept/accept.ts'
import type { MessagePreview, MessageSize } from '../../domain/in-app/accept/preview.ts'
import type { LinkedPushReport } from '../../domain/in-app/fan-out/linked-push.ts'
import { documentAsWritten, wordsOf } from '../../domain/in-app/personal/as-written.ts'
import type { InAppLanguageCount } from '../../domain/in-app/record/language-counts.repository.ts'
import type { InAppReport } from '../../domain/in-app/service.ts'
import { type InAppMessage, type InboxTexts, PRESENTED_WHEN, STATUS, TEST_SOURCE } from '../../domain/in-app/types.ts'
import { STATUS as PUSH_STATUS } from '../../domain/notifications/types.ts'
import type { SeriesAhead } from '../../domain/series/service.ts'
import {
  answer,
  answerOf,
  boolean,
  count,
  free,
  integer,
  list,
  nullable,
  number,
  oneOf,
  optional,
  pageOf,
  states,
  string,
  time,
  told,
  url,
  type Words,
  within,
} from '../schema.ts'
import {
  ALWAYS_NULL,
  APP_ID,
  COUNTS,
  CREATED_AT,
  DATA,
  DELIVERED,
  FILTERS,
  ID,
  LANGUAGE_GOT,
  MESSAGE,
  OPENED,
  STATUS_REASON,
  TITLE,
  UPDATED_AT,
  USERS_READ,
  USERS_SHOWN,
  USERS_WITH_IT,
} from '../words.ts'
import { labelsOfSend } from './labels.ts'
import {
  consentOfSend,
  editedAt,
  personalization,
  reasonCount,
  recipientCounts,
  scheduled,
  TEMPLATE_USED,
  targetErrors,
  usedTemplate,
} from './notifications.ts'
import { inAppPersonalization, takenDefaults } from './previews.ts'
import { MADE_SERIES, madeSeries, SERIES_ID } from './series.ts'

export const SHOWN_WHEN: Words = [
  'When a device shows it by itself: at once, when the app is next opened, or never (inbox only).',
  'next-open',
]
export const TAG_VALUES: Words = ['Values of the dynamic tags, by title.', { Title: 'Closed on Monday' }]
export const INBOX: Words = ['The entry in the inbox of the app; without one, the message is not in the inbox.']
export const SUBTITLE: Words = ['Second line.', 'What changes this week']
export const FROM: Words = ['When the entry appears; null: at once.', '2026-03-01T12:00:00+0000']
export const TO: Words = ['When the entry disappears; null: never.', '2026-03-08T12:00:00+0000']
export const IMAGE_PATH: Words = ['Address of a picture; null without one.', 'https://example.com/picture.png']

/** Body of a 202 and of a 400: `errors` stays out when everybody named can get it. */
export function presentAcceptedMessage({ message, errors, series }: Accepted & { series?: SeriesAhead | undefined }) {
  return {
    message: message && presentMessage(message),
    ...(message === null || Object.keys(errors).length > 0 ? { errors } : {}),
    ...(series && { series: madeSeries.present(series) }),
  }
}

/** Counts the users who were skipped, by reason; undefined when nobody was. */
function presentSkips({ notWanted, onSuppressionList, excluded, leftOut }: InAppMessage) {
  const skips = [
    { reason: 'not_wanted', count: notWanted },
    { reason: 'on_suppression_list', count: onSuppressionList },
    { reason: 'excluded', count: excluded },
    { reason: 'missing_value', count: leftOut?.missingValue ?? 0 },
    { reason: 'too_large', count: leftOut?.tooLarge ?? 0 },
  ].filter(({ count }) => count > 0)
  return skips.length > 0 ? skips : undefined
}

/** The expressions that were missing for users who were left out; undefined for a message without template texts. */
function presentMissing({ personal, leftOut }: InAppMessage) {
  if (!personal?.personalize) return undefined
  const missing = Object.entries(leftOut?.missing ?? {}).map(([expression, count]) => ({ expression, count }))
  return { missing: missing.sort((a, b) => b.count - a.count) }
}

/** The contract's in-app message record. */
const record = {
  id: told(integer, ID),
  appId: told(integer, APP_ID),
  status: told(states(STATUS), 'State of the message.', 3),
  filters: told(free, FILTERS),
  template: told(string, 'The `uid` of the template.', 'opening-hours'),
  content: told(free, TAG_VALUES, ({ tagValues }: InAppMessage) => tagValues),
  notification: told(
    nullable(
      answer<NonNullable<InAppMessage['notification']>>()('Announcement', 'The push that announces the message.', {
        title: told(string, TITLE),
        message: told(string, MESSAGE),
        template: optional(told(usedTemplate, TEMPLATE_USED)),
      }),
    ),
    'The push that announces the message; null without one.',
  ),
  createdAt: told(time, CREATED_AT),
  updatedAt: told(time, UPDATED_AT),
  ...consentOfSend,
  seriesId: SERIES_ID,
  ...labelsOfSend,
}
const inAppMessage = answer<InAppMessage>()('InAppMessage', 'An in-app message as it was accepted.', record)
const presentMessage = inAppMessage.present

const title = told(
  string,
  'The first words that devices show, as they are written; empty for a message without words.',
  'Closed on Monday',
  (message: InAppMessage) => wordsOf(documentAsWritten(message)).title,
)
const nextAt = told(nullable(time), 'When its next step is due; null when all its recipients are found.', null)
const sentAt = optional(
  told(
    time,
    'When users first got it; absent before.',
    '2026-03-02T07:30:01+0000',
    ({ sentAt }: InAppMessage) => sentAt ?? undefined,
  ),
)
const isTest = optional(
  told({ const: true }, 'Present when somebody sent it to test devices.', ({ source }: InAppMessage) =>
    source === TEST_SOURCE ? (true as const) : undefined,
  ),
)
const listedMessage = answer<InAppMessage>()('ListedInAppMessage', 'An in-app message of a list.', {
  ...record,
  title,
  isTest,
  nextAt,
  sentAt,
})
export const presentListedMessage = listedMessage.present
export const inAppPage = pageOf('messages', 'One page of in-app messages.', 'The messages of this page.', listedMessage)

export const acceptedMessage = answerOf<typeof presentAcceptedMessage>(
  'AcceptedInAppMessage',
  'The message, and who of its target does not get it.',
  {
    message: told(inAppMessage, 'The message.'),
    errors: optional(told(targetErrors, 'Members of the target that do not get it; absent when everyone named does.')),
    series: optional(told(madeSeries, MADE_SERIES)),
  },
)
export const rejectedMessage = answerOf<() => Omit<ReturnType<typeof presentAcceptedMessage>, 'series'>>(
  'RejectedInAppMessage',
  'Nobody in the target can get it, so nothing was stored.',
  {
    message: told({ type: 'null' }, ALWAYS_NULL),
    errors: told(targetErrors, 'Why nobody can get it.'),
  },
)

const inbox = answer<NonNullable<InAppMessage['inbox']>>()('ShownInbox', 'The entry in the inbox of the app.', {
  title: told(string, TITLE),
  subtitle: told(string, SUBTITLE),
  from: told(nullable(time), FROM),
  to: told(nullable(time), TO),
  imageUrl: told(nullable(url), IMAGE_PATH, ({ imageUrl }) => imageUrl ?? null),
})

const counts = answer<InAppMessage>()('InAppMessageCounts', 'Users by what became of the message.', {
  recipients: told(count, USERS_WITH_IT),
  skipped: told(count, 'Users left out because the time had passed where they are.', 0),
  delivered: told(count, 'Users on whose devices it arrived.', 200),
  shown: told(count, USERS_SHOWN),
  dismissed: told(count, 'Users who closed it.', 170),
  read: told(count, USERS_READ),
  inboxDeleted: told(count, 'Users who removed it from the inbox.', 4),
  skips: optional(
    told(
      list(reasonCount),
      'Skipped users by reason; absent when none was skipped for a reason.',
      (message: InAppMessage) => presentSkips(message),
    ),
  ),
})

const pushCounts = answer<LinkedPushReport>()('LinkedPushCounts', 'Recipients of the push by what became of them.', {
  ...within(({ counts }: LinkedPushReport) => counts, recipientCounts),
  delivered: told(count, DELIVERED),
  opened: told(count, OPENED),
})

const linkedPush = answer<LinkedPushReport>()('LinkedPush', 'What became of the push that announces the message.', {
  notificationId: told(integer, 'The `id` of the notification.', 13, ({ id }: LinkedPushReport) => id),
  status: told(states(PUSH_STATUS), 'State of the push.', 3),
  counts: told(pushCounts, COUNTS, (push: LinkedPushReport) => push),
})

/** The record, how it is shown and until when, what became of it on devices, and its linked push. */
export const inAppReport = answer<InAppReport>()('InAppMessageReport', 'An in-app message with what became of it.', {
  ...within(({ message }: InAppReport) => message, {
    ...record,
    statusReason: told(nullable(string), STATUS_REASON),
    title,
    isTest,
    document: told(
      free,
      'The document that devices show; where users get different texts, with those of the default content as they are written.',
      { ver: 1, frame: { type: 'alert', nodes: [{ type: 'heading', text: 'Closed on Monday' }] } },
      (message: InAppMessage) => documentAsWritten(message),
    ),
    templateVersion: told(integer, 'The version of the template that it was made from.', 2),
    presentedWhen: told(oneOf(PRESENTED_WHEN), SHOWN_WHEN),
    ttlSeconds: told(
      nullable(number),
      'Seconds during which a user can see it; null if it never expires.',
      604_800,
      ({ ttlMs }: InAppMessage) => (ttlMs === null ? null : ttlMs / 1000),
    ),
    data: told(nullable(free), DATA),
    inbox: told(nullable(inbox), INBOX),
    ...scheduled,
    nextAt,
    sentAt,
    editedAt: editedAt<InAppMessage>(),
    withdrawnAt: told(nullable(time), 'When it was withdrawn; null otherwise.', null),
    counts: told(counts, 'Users by what became of the message.', (message: InAppMessage) => message),
  }),
  personalization: optional(
    told(
      personalization,
      'What was missing; absent when the message is not personalised.',
      ({ message }: InAppReport) => presentMissing(message),
    ),
  ),
  languages: optional(
    told(
      list(
        answer<InAppLanguageCount>()('InAppLanguageCount', 'The users who got one language.', {
          language: told(string, LANGUAGE_GOT),
          recipients: told(count, USERS_WITH_IT),
          shown: told(count, USERS_SHOWN),
          read: told(count, USERS_READ),
        }),
      ),
      'Users by the language that they got, the most frequent first; absent when there is only one.',
      ({ message, languages }: InAppReport) => (message.personal?.languages ? languages : undefined),
    ),
  ),
  push: told(nullable(linkedPush), 'The push that announces it; null without one.'),
})
export const presentInAppReport = inAppReport.present

/** A message that is still being written, as a user would get it. */
export const messagePreview = answer<MessagePreview>()('InAppPreview', 'An in-app message as one user would get it.', {
  content: told(
    nullable(free),
    'The document that devices would show; null when the user would get nothing.',
    { ver: 1, frame: { type: 'alert', nodes: [{ type: 'heading', text: 'Hello Anna' }] } },
    ({ shown }) => shown?.content ?? null,
  ),
  data: told(nullable(free), DATA, ({ shown }) => shown?.data ?? null),
  inbox: told(
    nullable(
      answer<InboxTexts>()('PreviewedInbox', 'The texts of the entry in the inbox.', {
        title: told(string, TITLE),
        subtitle: told(string, SUBTITLE),
        imageUrl: told(nullable(url), IMAGE_PATH, ({ imageUrl }) => imageUrl || null),
      }),
    ),
    INBOX,
    ({ shown }) => shown?.inbox ?? null,
  ),
  language: told(
    nullable(string),
    'The tag of the variant that is shown, or `default`; null when there is only one, or neither a user nor a language was asked for.',
    'de',
  ),
  notification: told(
    nullable(
      answer<NonNullable<MessagePreview['push']>>()('PreviewedAnnouncement', 'What the linked push would say.', {
        title: told(string, TITLE),
        message: told(string, MESSAGE),
        pictureUrl: told(nullable(url), 'Address of its picture; null without one.', 'https://example.com/bread.png'),
      }),
    ),
    'What the linked push would say on the install that was asked for, else on that of the user that was active last; null without one, or when it would not be sent.',
    ({ push }) => push,
  ),
  missing: told(
    list(string),
    'Expressions of the message or of its push that have no value for the user. Unless `personalize` says `empty`, one is enough to leave the user out.',
    ['user.attributes.firstName'],
  ),
  defaults: told(takenDefaults, 'Expressions of the message in which a default stands for the user.', []),
  tooLarge: told(boolean, 'Whether a text would be too large for the user, who would then get nothing.', false),
  size: told(
    nullable(
      answer<MessageSize>()('PreviewedSize', 'The bytes of a part of an in-app message, as JSON.', {
        part: told(
          oneOf(['document', 'texts']),
          'The document that devices show, or the texts that differ between users, which are kept for each.',
          'texts',
        ),
        bytes: told(count, 'How many it has for this user.', 1200),
        limit: told(count, 'How many it may have.', 4096),
      }),
    ),
    'The part that is nearest to its limit; null when the user would get nothing.',
  ),
  warnings: told(list(string), 'What is probably not meant.', []),
  personalization: inAppPersonalization,
})
export const presentMessagePreview = messagePreview.present
