import { shownPlatformOf } from '../../domain/crm/store/transport.ts'
import type { TestDevice } from '../../domain/crm/test-devices/repository.ts'
import { platforms } from '../../domain/gateways/registry.ts'
import type { InAppEstimate } from '../../domain/in-app/accept/estimate.ts'
import type { sendMessageAgain } from '../../domain/in-app/request/again.ts'
import { PRESENTED_WHEN } from '../../domain/in-app/types.ts'
import type { Estimate } from '../../domain/notifications/accept/estimate.ts'
import type { Payload } from '../../domain/notifications/accept/payloads.ts'
import type { PersonalPreview } from '../../domain/notifications/accept/personal-preview.ts'
import type { sendAgain } from '../../domain/notifications/request/again.ts'
import { isoOffset } from '../../platform/time/clock.ts'
import { INBOX, SHOWN_WHEN, TAG_VALUES } from '../api/in-app.ts'
import { LABELS } from '../api/labels.ts'
import { CONFIGURED, LEFT_OUT, NAMED_IN_VAIN, PURPOSE, payload } from '../api/notifications.ts'
import { inAppPersonalization, personalMembers } from '../api/previews.ts'
import {
  answer,
  answerOf,
  boolean,
  count,
  free,
  integer,
  list,
  nullable,
  object,
  oneOf,
  optional,
  string,
  time,
  told,
  type Words,
} from '../schema.ts'
import {
  ADDED_AT,
  BY_PLATFORM,
  DATA,
  DEVICE_MODEL,
  DEVICE_NAME,
  ITS_BUTTONS,
  ITS_NUMBER,
  LOCALE,
  OF_INSTALL,
  PLATFORM,
  TIMEZONE,
  TOKEN_PLATFORM,
  WHY,
} from '../words.ts'

const IS_COMPLETE: Words = ['False when the time to count was over: there are more.', true]
const ESTIMATED_LEFT_OUT_COUNT: Words = ['How many.', 20]

const platform = oneOf(platforms)

const { rendered: _, ...estimatedPersonal } = personalMembers

/** Recipients of a push before it is sent: their number, those left out with the reason, and the due times. */
export const estimateAnswer = answer<Estimate>()(
  'SendEstimate',
  'Who would get a push, who would not and why, and when. Counts are of installs.',
  {
    audience: told(count, 'Installs that are meant: what `confirm` is compared with.', 1260),
    recipients: told(count, 'Those of them who can be sent to.', 1240),
    isComplete: told(boolean, IS_COMPLETE),
    confirmAbove: told(nullable(count), 'Sends to a larger audience need `confirm`; null: none does.', 10_000),
    platforms: told(
      list(
        object('EstimatedPlatform', 'Installs of one platform that are meant.', {
          platform: told(platform, PLATFORM),
          recipients: told(count, 'How many are meant.', 800),
          configured: told(boolean, CONFIGURED),
        }),
      ),
      'The audience by platform.',
    ),
    leftOut: told(
      list(
        object('EstimatedLeftOut', 'A reason why some get nothing.', {
          reason: told(
            oneOf([...NAMED_IN_VAIN, 'no_gateway', 'not_wanted', 'on_suppression_list', 'time_passed']),
            WHY,
          ),
          count: told(count, ESTIMATED_LEFT_OUT_COUNT),
        }),
      ),
      LEFT_OUT,
    ),
    mayBeSkipped: told(
      list(oneOf(['quiet_hours', 'frequency_cap'])),
      'Rules of the app by which some may be skipped at the moment of sending.',
      [],
    ),
    sample: told(
      list(
        object('SampleRecipient', 'A recipient, as an example of who is meant.', {
          installId: told(string, OF_INSTALL),
          userId: told(nullable(string), 'Its user; null when it has none.', 'anna'),
          platform: told(platform, TOKEN_PLATFORM),
          deviceModel: told(nullable(string), DEVICE_MODEL),
          locale: told(nullable(string), LOCALE),
          timezone: told(nullable(string), TIMEZONE),
        }),
      ),
      'Up to ten recipients.',
    ),
    times: told(
      list(
        object('EstimatedTime', 'A time at which the push is due for some.', {
          at: told(time, 'When.', '2031-04-30T17:30:00+0000'),
          recipients: told(count, 'How many are due then.', 310),
          zones: told(list(nullable(string)), 'The first of their time zones; null for phones that told none.', [
            'Europe/Vienna',
          ]),
        }),
      ),
      'When it is due for how many, ascending. Empty when it is sent at once.',
      ({ times }) => times.map(({ at, recipients, zones }) => ({ at: isoOffset(at), recipients, zones })),
    ),
    ...estimatedPersonal,
  },
)
export const presentEstimate = estimateAnswer.present

/** Recipients of an in-app message before it is sent, and those left out with the reason. */
export const inAppEstimateAnswer = answer<InAppEstimate>()(
  'InAppEstimate',
  'Who would get an in-app message, who would not and why. Counts are of users.',
  {
    audience: told(count, 'Users who are meant: what `confirm` is compared with.', 1260),
    recipients: told(count, 'Those of them who would get it.', 1240),
    isComplete: told(boolean, IS_COMPLETE),
    confirmAbove: told(nullable(count), 'Messages to a larger audience need `confirm`; null: none does.', 10_000),
    leftOut: told(
      list(
        object('InAppLeftOut', 'A reason why some get nothing.', {
          reason: told(oneOf([...NAMED_IN_VAIN, 'not_wanted', 'on_suppression_list']), WHY, 'not_wanted'),
          count: told(count, ESTIMATED_LEFT_OUT_COUNT),
        }),
      ),
      LEFT_OUT,
    ),
    sample: told(list(string), 'Identifiers of up to ten recipients.', ['anna']),
    personalization: inAppPersonalization,
    warnings: optional(
      told(list(string), 'What the author may not have meant, in sentences; present with a template.', []),
    ),
  },
)
export const presentInAppEstimate = inAppEstimateAnswer.present

/** Requests that a send would make, one for each kind of gateway, and the push as one person gets it. */
export const payloadsAnswer = answer<{ payloads: readonly Payload[] } & PersonalPreview>()(
  'Payloads',
  'What each kind of gateway would be sent.',
  {
    items: told(list(payload), BY_PLATFORM, ({ payloads }) =>
      payloads.map(({ platform, configured, request }) => ({ platform, configured, request })),
    ),
    rendered: personalMembers.rendered,
    warnings: personalMembers.warnings,
  },
)
export const presentPayloads = payloadsAnswer.present

/** A device that people send tests to. */
export const testDevice = answer<TestDevice>()('TestDevice', 'A device to which people of the app send tests.', {
  id: told(integer, ITS_NUMBER, 3),
  name: told(string, 'What people call it.', 'Phone of Anna'),
  installId: told(string, OF_INSTALL),
  userId: told(nullable(string), 'Its user now; null when it has none.', 'anna'),
  platform: told(nullable(platform), 'Its platform; null while it has no push token.', 'ios', (one) =>
    shownPlatformOf(one),
  ),
  subscribed: told(boolean, 'Whether a push reaches it now.', true),
  deviceModel: told(nullable(string), DEVICE_MODEL),
  deviceName: told(nullable(string), DEVICE_NAME),
  created: told(time, ADDED_AT, ({ createdAt }) => createdAt),
})
export const presentTestDevice = testDevice.present
export const testDevices = object('TestDevices', 'The devices for tests.', {
  items: told(list(testDevice), 'The devices, oldest first.'),
})

/** Body of a send, as `sendAgain` makes it from an earlier notification. */
const IS_PERSONALISED: Words = ['How its texts are personalised.', { missing: 'skip' }]
const LOOKED_UP: Words = [
  'Records of data tables that its texts show.',
  { product: { table: '1_products', by: 'sku', value: '{{ meta.sku }}' } },
]
const ITS_PURPOSE = optional(told(string, PURPOSE))
const ITS_PRIORITY = optional(
  told(
    { const: 'transactional' },
    '`transactional` ignores quiet hours, frequency cap and purposes; the suppression list still counts. ' +
      'Default `normal`.',
  ),
)

const ITS_TARGET = told(free, 'To whom it goes.', { segmentUuid: 'regulars' })

export const sendRequest = answerOf<typeof sendAgain>('SendRequest', 'The body that sends a notification once more.', {
  target: ITS_TARGET,
  content: told(free, 'What it says.', { title: 'Fresh bread', message: 'Out of the oven until six.' }),
  personalize: optional(told(free, IS_PERSONALISED)),
  lookup: optional(told(free, LOOKED_UP)),
  collapseId: optional(
    told(string, 'A later notification with the same id replaces this one on the device.', 'score-1007'),
  ),
  runBackgroundHandler: optional(told({ const: true }, 'The app handles it in the background.')),
  ios: optional(told(free, 'What only iOS gets.', { subtitle: 'Today' })),
  android: optional(told(free, 'What only Android gets.', { channelId: 'offers' })),
  buttons: optional(told(list(free), ITS_BUTTONS, [{ id: 'order', text: 'Order' }])),
  labels: optional(told(list(string), LABELS)),
  reportingMeta: optional(told(free, 'Metadata for events.', { campaign: 'spring' })),
  userMeta: optional(told(free, 'Metadata for events of single users, by identifier.', { anna: { seat: 12 } })),
  ttl: optional(told(count, 'For how many seconds it lived, from each due time.', 3600)),
  rateLimit: optional(told(count, 'Maximum number of recipients a second.', 500)),
  purpose: ITS_PURPOSE,
  priority: ITS_PRIORITY,
})

export const messageRequest = answerOf<typeof sendMessageAgain>(
  'InAppSendRequest',
  'The body that sends an in-app message once more.',
  {
    target: ITS_TARGET,
    template: told(string, 'The `uid` of its template.', 'opening-hours'),
    content: optional(told(free, TAG_VALUES)),
    presentedWhen: told(oneOf(PRESENTED_WHEN), SHOWN_WHEN),
    ttl: optional(told(free, 'For how long a user can see it.', { expiresIn: 7, units: 'd' })),
    notification: optional(
      told(free, 'The push that announces it; one of a push template as its `template` alone.', {
        title: 'Fresh bread',
        message: 'Look inside.',
      }),
    ),
    data: optional(told(free, DATA)),
    inbox: optional(told(free, INBOX)),
    personalize: optional(told(free, IS_PERSONALISED)),
    lookup: optional(told(free, LOOKED_UP)),
    languages: optional(
      told(free, 'Values of dynamic tags by BCP 47 language tag, then by title.', {
        de: { Title: 'Am Montag geschlossen' },
      }),
    ),
    labels: optional(told(list(string), LABELS)),
    purpose: ITS_PURPOSE,
    priority: ITS_PRIORITY,
  },
)
