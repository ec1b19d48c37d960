import type { ChannelCounts, Subscription, UnknownLine } from '../../domain/channels/types.ts'
import { PLATFORM_TYPES } from '../../domain/gateways/registry.ts'
import type { Suggestions } from '../../domain/segments/suggestions/service.ts'
import type { Segment, SegmentEstimate, SegmentPreview, Use } from '../../domain/segments/types.ts'
import { writeRecord } from '../../platform/text/csv-text.ts'
import { presentSubscription } from '../api/channels.ts'
import { answerOf, boolean, count, integer, list, nullable, object, oneOf, string } from '../schema.ts'

/** How many installs match, and how sure that is. */
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

export const segmentCount = answerOf<typeof presentCount>('SegmentCount', {
  total: count,
  platforms: { type: 'object', additionalProperties: count },
  isEstimate: boolean,
  examined: nullable(count),
  of: nullable(count),
  first: list(
    object({ installId: string, userId: string, platform: oneOf(Object.keys(PLATFORM_TYPES)) }, 'MatchingInstall'),
  ),
})

export function presentSuggestions({ examined, attributes, fields }: Suggestions) {
  return { examined, attributes, fields }
}

const texts = list(string)
export const segmentSuggestions = answerOf<typeof presentSuggestions>('SegmentSuggestions', {
  examined: object({ users: count, installs: count }, 'ExaminedPeople'),
  attributes: list(
    object(
      {
        field: string,
        kinds: list(oneOf(['text', 'number', 'boolean', 'list'])),
        users: count,
        values: list({ type: ['string', 'number', 'boolean'] }),
      },
      'SuggestedAttribute',
    ),
  ),
  fields: object(
    {
      os: texts,
      sdkType: texts,
      appVersion: texts,
      buildKind: texts,
      locale: texts,
      countryIsoCode: texts,
      timezone: texts,
    },
    'SuggestedFields',
  ),
})

const use = object({ kind: oneOf(['notification', 'in-app message']), id: integer }, 'AudienceUse')

export function presentSegmentUses(sends: Use[]) {
  return { sends }
}
export const segmentUses = answerOf<typeof presentSegmentUses>('SegmentUses', { sends: list(use) })

export function presentChannelUses({ segments, sends }: { segments: Segment[]; sends: Use[] }) {
  return { segments: segments.map(({ id, name }) => ({ id, name })), sends }
}
export const channelUses = answerOf<typeof presentChannelUses>('ChannelUses', {
  segments: list(object({ id: integer, name: string }, 'NamedSegment')),
  sends: list(use),
})

export function presentChannelCounts(counts: ChannelCounts[]) {
  return { items: counts }
}
export const channelCounts = answerOf<typeof presentChannelCounts>('ChannelCountsList', {
  items: list(
    object({ channelId: integer, users: count, installs: count, optedOut: count, isWhole: boolean }, 'ChannelCounts'),
  ),
})

export function presentMembers({ subscriptions, isWhole }: { subscriptions: Subscription[]; isWhole: boolean }) {
  return { subscriptions: subscriptions.map(presentSubscription), isWhole }
}
export const foundMembers = answerOf<typeof presentMembers>('FoundMembers', {
  subscriptions: list(object({ userId: string, installId: nullable(string), subscribed: boolean }, 'Subscription')),
  isWhole: boolean,
})

/** The unknown lines of a file as a file that can be imported again: one identifier a line. */
export function csvOf(lines: readonly UnknownLine[]): string {
  return lines.map(({ identifier }) => writeRecord([identifier])).join('')
}
