import type { ChannelCounts, Subscription, UnknownLine } from '../../domain/channels/types.ts'
import { PLATFORM_TYPES } from '../../domain/gateways/registry.ts'
import type { Suggestions } from '../../domain/segments/suggestions/service.ts'
import type { Segment, SegmentEstimate, SegmentPreview, Use } from '../../domain/segments/types.ts'
import { writeRecord } from '../../platform/text/csv-text.ts'
import { subscription } from '../api/channels.ts'
import { INSTALL_IDS, OPTED_OUT_INSTALL_IDS } from '../api/crm.ts'
import { TYPE } from '../api/templates.ts'
import {
  answer,
  answerOf,
  boolean,
  count,
  integer,
  list,
  nullable,
  object,
  oneOf,
  string,
  time,
  told,
  type Words,
} from '../schema.ts'
import { BUILD_KIND, ITS_NUMBER, KIND, OF_INSTALL, OF_USER, TOKEN_PLATFORM } from '../words.ts'

const SENDS: Words = ['Notifications, then in-app messages, each by id.']

/** Counts the matching installs; `isEstimate` tells that only a part of all installs was examined. */
export function presentCount(found: SegmentPreview | SegmentEstimate) {
  const { total, platforms, first } = found
  const isEstimate = 'isEstimate' in found && found.isEstimate
  return {
    total,
    platforms,
    isEstimate,
    examined: 'examined' in found ? found.examined : null,
    of: 'of' in found ? found.of : null,
    first: first.map(({ installId, userIdentifier, platform }) => ({ installId, userId: userIdentifier, platform })),
  }
}

export const segmentCount = answerOf<typeof presentCount>('SegmentCount', 'How many subscribed installs match.', {
  total: told(count, 'How many match.', 1240),
  platforms: told({ type: 'object', additionalProperties: count }, 'How many match on each platform.', {
    ios: 700,
    android: 540,
  }),
  isEstimate: told(boolean, 'Whether that is estimated from a sample.', false),
  examined: told(nullable(count), 'How many installs were checked. Null: all of them.', 5210),
  of: told(nullable(count), 'How many subscribed installs there are. Null when all were checked.', 5210),
  first: told(
    list(
      object('MatchingInstall', 'An install that matches.', {
        installId: told(string, OF_INSTALL),
        userId: told(string, OF_USER),
        platform: told(oneOf(Object.keys(PLATFORM_TYPES)), TOKEN_PLATFORM),
      }),
    ),
    'Some of those that match.',
  ),
})

const texts = list(string)
const VALUE_KINDS = ['text', 'number', 'boolean', 'list'] as const
const VALUES = 'The most frequent values first; long texts are left out.'
const SCALARS = list({ type: ['string', 'number', 'boolean'] })
const seenType = answer<Suggestions['events'][number]>()('SeenEventType', 'A type of events that users have.', {
  type: told(string, 'The type.', 'order.paid'),
  events: told(count, 'How many of the events are of this type.', 120),
  lastAt: told(time, 'When the newest of them was received.', '2026-03-01T12:00:00+0000'),
  properties: told(
    list(
      object('SeenProperty', 'A value in the data of events.', {
        field: told(string, 'As `where` and `value` of a metric name it.', 'data.amount'),
        kinds: told(list(oneOf(VALUE_KINDS)), TYPE, ['number']),
        values: told(SCALARS, VALUES, [12.5]),
      }),
    ),
    'What their data has, the most frequent first.',
  ),
})
export const segmentSuggestions = answer<Suggestions>()('SegmentSuggestions', 'What a filter can name.', {
  examined: told(
    object('ExaminedPeople', 'How many were looked at.', {
      users: told(count, 'Users.', 1000),
      installs: told(count, 'Installs.', 600),
      events: told(count, 'Events.', 5000),
    }),
    'How many were looked at.',
  ),
  attributes: told(
    list(
      object('SuggestedAttribute', 'An attribute that users have.', {
        field: told(string, 'As a filter names it.', 'attributes.plan'),
        kinds: told(list(oneOf(VALUE_KINDS)), TYPE, ['text']),
        users: told(count, 'How many of the users have it.', 812),
        values: told(SCALARS, VALUES, ['free', 'gold']),
      }),
    ),
    'What most users have comes first.',
  ),
  fields: told(
    object('SuggestedFields', 'Values of the fields of installs, the most frequent first.', {
      os: told(texts, 'Operating systems.', ['iOS', 'Android']),
      sdkType: told(texts, 'SDKs.', ['swift']),
      appVersion: told(texts, 'Versions of the app.', ['2.4.0']),
      buildKind: told(texts, BUILD_KIND),
      locale: told(texts, 'Locales.', ['en-GB']),
      countryIsoCode: told(texts, 'Countries.', ['DE']),
      timezone: told(texts, 'Time zones.', ['Europe/Berlin']),
    }),
    'Values of the fields of installs.',
  ),
  events: told(list(seenType), 'Types of events, the most frequent first.'),
})
export const presentSuggestions = segmentSuggestions.present

const use = object('AudienceUse', 'A send that is not over.', {
  kind: told(oneOf(['notification', 'in-app message']), KIND),
  id: told(integer, ITS_NUMBER),
})
export const segmentUses = answer<Use[]>()('SegmentUses', 'What waits to be sent to a segment.', {
  sends: told(list(use), SENDS, (sends) => sends),
})
export const presentSegmentUses = segmentUses.present
export const channelUses = answer<{ segments: Segment[]; sends: Use[] }>()('ChannelUses', 'What names a channel.', {
  segments: told(
    list(
      object('NamedSegment', 'A segment.', {
        id: told(integer, 'Number of the segment.', 3),
        name: told(string, 'Its name.', 'Gold on iOS'),
      }),
    ),
    'Segments whose filter names it.',
    ({ segments }) => segments.map(({ id, name }) => ({ id, name })),
  ),
  sends: told(list(use), SENDS),
})
export const presentChannelUses = channelUses.present
export const channelCounts = answer<ChannelCounts[]>()('ChannelCountsList', 'Channels and their counts.', {
  items: told(
    list(
      object('ChannelCounts', 'How many subscriptions a channel has.', {
        channelId: told(integer, 'Number of the channel.', 4),
        users: told(count, 'Users, with all of their installs.', 5210),
        installs: told(count, INSTALL_IDS),
        optedOut: told(count, OPTED_OUT_INSTALL_IDS),
        isWhole: told(boolean, 'False when the time was over: then there are more.', true),
      }),
    ),
    'In the order of the ids that were given.',
    (counts) => counts,
  ),
})
export const presentChannelCounts = channelCounts.present
export const foundMembers = answer<{ subscriptions: Subscription[]; isWhole: boolean }>()(
  'FoundMembers',
  'Members that a search found.',
  {
    subscriptions: told(list(subscription), 'Users in the order of their identifiers, then the install.'),
    isWhole: told(boolean, 'Whether all users whose identifier begins like this were looked at.', true),
  },
)
export const presentMembers = foundMembers.present

/** The unknown lines of a file as a file that can be imported again: one identifier a line. */
export function csvOf(lines: readonly UnknownLine[]): string {
  return lines.map(({ identifier }) => writeRecord([identifier])).join('')
}
