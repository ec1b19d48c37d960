import { countSegment, createSegment, segmentKey, segmentsPage, updateSegment } from '../../domain/segments/schema.ts'
import {
  presentSegment,
  presentSegmentPreview,
  segment,
  segmentPage,
  segmentPreview,
} from '../../present/api/segments.ts'
import { measureSegment, previewSegment } from '../calls/long-reads.ts'
import { FILTER } from '../openapi/words/audience.ts'
import { del, get, post, put, type Route } from '../routing/route.ts'

const OURS = { area: 'messages', needs: 'server-key' } as const
const UNKNOWN = { 404: 'There is no such segment' }

/** Segments, for servers and the console; `:id` is their id or their uuid. Not in the contract. */
export const segmentRoutes: Route[] = [
  post('/v1/segments', {
    ...OURS,
    summary: 'Create a segment',
    description:
      'The filter is evaluated each time the segment is used. `docs/segments.md` lists its fields and operators.',
    takes: 'NewSegment',
    sends: { name: 'On iOS', filter: FILTER },
    scope: 'admin',
    body: createSegment,
    status: 201,
    returns: segment,
    run: async ({ tx, appId, body }) => presentSegment(await tx.segments.create(appId, body)),
  }),
  get('/v1/segments', {
    ...OURS,
    summary: 'List segments in the order of their creation',
    description: 'Returns segments in the order of their creation.',
    scope: 'read',
    query: segmentsPage,
    returns: segmentPage,
    run: async ({ tx, appId, query }) => {
      const { segments, next } = await tx.segments.list(appId, query)
      return { segments: segments.map(presentSegment), next }
    },
  }),
  get('/v1/segments/:id', {
    ...OURS,
    summary: 'Read a segment by its id or uuid',
    description: 'The path takes the `id` or the `uuid` of the segment.',
    scope: 'read',
    also: UNKNOWN,
    returns: segment,
    run: async ({ tx, appId, params }) => presentSegment(await tx.segments.get(appId, segmentKey(params.id!))),
  }),
  get('/v1/segments/:id/preview', {
    ...OURS,
    summary: 'Count the subscribed installs that match now, and show the first of them',
    description: 'Evaluates the filter now. Sends nothing.',
    scope: 'read',
    also: UNKNOWN,
    returns: segmentPreview,
    run: async (call) => presentSegmentPreview(await previewSegment(call, segmentKey(call.params.id!))),
  }),
  post('/v1/segments/:id/count', {
    ...OURS,
    summary: 'Count the installs of a segment and keep the number for the list',
    description:
      'Answers within about a second. Above 50,000 subscribed installs it checks a sample of 30,000 and estimates the rest; ' +
      'with `isWhole` it checks all of them, for at most a minute. 503 when there was no time. The number stays until the filter changes.',
    takes: 'SegmentToCount',
    sends: { isWhole: true },
    scope: 'admin',
    body: countSegment,
    // The count takes long; what it found is stored in a transaction of its own.
    transaction: false,
    also: UNKNOWN,
    returns: segment,
    run: async (call) => presentSegment(await measureSegment(call, segmentKey(call.params.id!), call.body.isWhole)),
  }),
  put('/v1/segments/:id', {
    ...OURS,
    summary: 'Change a segment',
    description: 'An absent field stays as it is. Notifications that are due later use the new filter.',
    takes: 'SegmentChange',
    sends: { name: 'On iPhones' },
    scope: 'admin',
    body: updateSegment,
    also: UNKNOWN,
    returns: segment,
    run: async ({ tx, appId, params, body }) =>
      presentSegment(await tx.segments.update(appId, segmentKey(params.id!), body)),
  }),
  del('/v1/segments/:id', {
    ...OURS,
    summary: 'Delete a segment',
    description: 'Refused while a notification that is not sent yet targets it.',
    scope: 'admin',
    status: 204,
    also: { ...UNKNOWN, 409: 'A notification that is not sent yet targets it' },
    run: ({ tx, appId, params }) => tx.segments.delete(appId, segmentKey(params.id!)),
  }),
]
