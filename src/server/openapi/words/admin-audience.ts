import type { Words } from './types.ts'

const FILTER = { field: 'attributes.plan', op: 'equals', value: 'gold' }
const IMPORT = '3f0c1c54-6d1c-4d59-9a1c-0a5d5a0f3c11'

/** The admin interface: segments and channels. */
export const ADMIN_AUDIENCE: Words = {
  operations: {
    'get /admin/v1/apps/:appId/segment-suggestions': {
      description:
        'From the newest 1000 users and the newest 300 installs of each platform: an attribute that only others have is missing. ' +
        'A filter may name it all the same.',
    },
    'post /admin/v1/apps/:appId/segment-counts': {
      description:
        'Answers within about a second. Above 50,000 subscribed installs it checks a sample of 30,000 and estimates the rest; ' +
        'with `isWhole` it checks all of them, for at most a minute. 503 when there was no time.',
      takes: 'FilterToCount',
      sends: { filter: FILTER },
    },
    'get /admin/v1/apps/:appId/segments/:id/uses': {
      description: 'At most 20 of each kind. While there are any, the segment cannot be deleted.',
    },
    'get /admin/v1/apps/:appId/channel-counts': {
      description:
        'Counts for about a second. A channel that was not counted to its end has `isWhole: false`; those after it are left out: ask for them again.',
    },
    'get /admin/v1/apps/:appId/channels/:id/uses': {
      description: 'At most 20 of each kind. A deleted channel means nobody in a filter, and reaches nobody.',
    },
    'get /admin/v1/apps/:appId/channels/:uuid/members': {
      description:
        'Looks at the next 200 identifiers from there on; capitals matter. `isWhole` is false when there are more: write more of the identifier.',
    },
    'get /admin/v1/apps/:appId/channels/:uuid/imports/:id/events': {
      description: 'Server-sent events named `progress`, each with the whole state. Ends when the file is through.',
    },
    'get /admin/v1/apps/:appId/channels/:uuid/imports/:id/unknown-users': {
      description: 'One identifier a line, so that the file can be imported again. At most the first 1000 are kept.',
    },
  },
  schemas: {
    SegmentSuggestions: ['What a filter can name.'],
    ExaminedPeople: ['How many were looked at.'],
    SuggestedAttribute: ['An attribute that users have.'],
    SuggestedFields: ['Values of the fields of installs, the most frequent first.'],
    FilterToCount: ['A filter that is not stored.'],
    SegmentCount: ['How many subscribed installs match.'],
    SegmentUses: ['What waits to be sent to a segment.'],
    AudienceUse: ['A send that is not over.'],
    ChannelUses: ['What names a channel.'],
    NamedSegment: ['A segment.'],
    ChannelCountsList: ['Channels and their counts.'],
    ChannelCounts: ['How many subscriptions a channel has.'],
    FoundMembers: ['Members that a search found.'],
  },
  fields: {
    'SegmentSuggestions.examined': ['How many were looked at.'],
    'SegmentSuggestions.attributes': ['What most users have comes first.'],
    'SegmentSuggestions.fields': ['Values of the fields of installs.'],
    'ExaminedPeople.users': ['Users.', 1000],
    'ExaminedPeople.installs': ['Installs.', 600],
    'SuggestedAttribute.field': ['As a filter names it.', 'attributes.plan'],
    'SuggestedAttribute.kinds': ['What its values are.', ['text']],
    'SuggestedAttribute.users': ['How many of the users have it.', 812],
    'SuggestedAttribute.values': ['The most frequent values first; long texts are left out.', ['free', 'gold']],
    'SuggestedFields.os': ['Operating systems.', ['iOS', 'Android']],
    'SuggestedFields.sdkType': ['SDKs.', ['swift']],
    'SuggestedFields.appVersion': ['Versions of the app.', ['2.4.0']],
    'SuggestedFields.buildKind': ['How the app was built.', ['release']],
    'SuggestedFields.locale': ['Locales.', ['en-GB']],
    'SuggestedFields.countryIsoCode': ['Countries.', ['DE']],
    'SuggestedFields.timezone': ['Time zones.', ['Europe/Berlin']],
    'FilterToCount.filter': ['The filter; see `docs/segments.md`.', FILTER],
    'FilterToCount.isWhole': ['Check every install, however long it takes. Default: false.', false],
    'SegmentCount.total': ['How many match.', 1240],
    'SegmentCount.platforms': ['How many match on each platform.', { ios: 700, android: 540 }],
    'SegmentCount.isEstimate': ['Whether that is estimated from a sample.', false],
    'SegmentCount.examined': ['How many installs were checked. Null: all of them.', 5210],
    'SegmentCount.of': ['How many subscribed installs there are. Null when all were checked.', 5210],
    'SegmentCount.first': ['Some of those that match.'],
    'SegmentUses.sends': ['Notifications, then in-app messages, each by id.'],
    'AudienceUse.kind': ['What it is.', 'notification'],
    'AudienceUse.id': ['Its number.', 12],
    'ChannelUses.segments': ['Segments whose filter names it.'],
    'ChannelUses.sends': ['Notifications, then in-app messages, each by id.'],
    'NamedSegment.id': ['Number of the segment.', 3],
    'NamedSegment.name': ['Its name.', 'Gold on iOS'],
    'ChannelCountsList.items': ['In the order of the ids that were given.'],
    'ChannelCounts.channelId': ['Number of the channel.', 4],
    'ChannelCounts.users': ['Users, with all of their installs.', 5210],
    'ChannelCounts.installs': ['Installs that are subscribed themselves.', 318],
    'ChannelCounts.optedOut': ['Installs that opted out.', 12],
    'ChannelCounts.isWhole': ['False when the time was over: then there are more.', true],
    'FoundMembers.subscriptions': ['Users in the order of their identifiers, then the install.'],
    'FoundMembers.isWhole': ['Whether all users whose identifier begins like this were looked at.', true],
    '/v1/apps/:appId/segments/:id/uses.path.id': ['The `id` or the `uuid` of the segment.', '7'],
    '/v1/apps/:appId/channels/:id/uses.path.id': ['Number of the channel.', 4],
    '/v1/apps/:appId/channel-counts.query.ids': ['Ids of channels with commas between them: at most 100.', '1,4'],
    '/v1/apps/:appId/channels/:uuid/members.query.q': ['How the identifier begins, or a whole install id.', 'anna'],
    '/v1/apps/:appId/channels/:uuid/imports/:id/events.path.id': ['Id of the import.', IMPORT],
    '/v1/apps/:appId/channels/:uuid/imports/:id/unknown-users.path.id': ['Id of the import.', IMPORT],
  },
}
