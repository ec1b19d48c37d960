import type { Words } from './types.ts'

export const FILTER = { field: 'attributes.plan', op: 'equals', value: 'gold' }
const IMPORT = '3f0c1c54-6d1c-4d59-9a1c-0a5d5a0f3c11'

/** The admin interface: segments and channels. */
export const ADMIN_AUDIENCE: Words = {
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
