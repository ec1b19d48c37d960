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
    FilterToCount: ['A filter that is not stored.'],
  },
  fields: {
    'FilterToCount.filter': ['The filter; see `docs/segments.md`.', FILTER],
    'FilterToCount.isWhole': ['Check every install, however long it takes. Default: false.', false],
  },
  parameters: {
    '/v1/apps/:appId/segments/:id/uses.path.id': ['The `id` or the `uuid` of the segment.', '7'],
    '/v1/apps/:appId/channels/:id/uses.path.id': ['Number of the channel.', 4],
    '/v1/apps/:appId/channel-counts.query.ids': ['Ids of channels with commas between them: at most 100.', '1,4'],
    '/v1/apps/:appId/channels/:uuid/members.query.q': ['How the identifier begins, or a whole install id.', 'anna'],
    '/v1/apps/:appId/channels/:uuid/imports/:id/events.path.id': ['Id of the import.', IMPORT],
    '/v1/apps/:appId/channels/:uuid/imports/:id/unknown-users.path.id': ['Id of the import.', IMPORT],
  },
}
