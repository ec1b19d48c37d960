import { LARGEST_BATCH } from '../../domain/events/envelope.ts'
import { eventBatch } from '../../domain/events/schema.ts'
import { post, type Route } from '../route.ts'

/** E1 of the device protocol: everything that devices tell. */
export const eventRoutes: Route[] = [
  post('/v1/app-installs/:installId/events', {
    area: 'events',
    summary: 'Upload events of an install; unusable ones are refused one by one and the rest is taken',
    needs: 'device-key',
    body: eventBatch,
    bodyLimit: 'limits.deviceBody',
    device: true,
    status: 202,
    transaction: 'shared',
    also: { 413: `More than ${LARGEST_BATCH} events, or a body beyond limits.deviceBody` },
    run: async ({ app, host, appId, params, body }) => {
      const { ingest } = app === host ? host.uploads : app.events
      const { refused } = await ingest(appId, params.installId!, body)
      return refused.length > 0 ? { refused } : {}
    },
  }),
]
