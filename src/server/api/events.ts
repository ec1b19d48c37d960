import { MAX_BATCH } from '../../domain/events/ingest/envelope.ts'
import { serverEventBatch } from '../../domain/events/schema.ts'
import { requireCursor } from '../../domain/followers/position.ts'
import { readOn } from '../../domain/followers/read-on.ts'
import { eventsQuery, latestQuery, logSettings as logSettingsForm } from '../../domain/followers/schema.ts'
import { AppError } from '../../platform/errors.ts'
import {
  eventPage,
  latestEvents,
  logSettings,
  presentEvent,
  presentLatest,
  presentLogSettings,
  presentNext,
} from '../../present/api/events.ts'
import { presentRefused, serverEventsAnswer } from '../../present/errors.ts'
import type { Areas } from '../../program.ts'
import { get, NDJSON, post, put, Reply, type Route, Text } from '../routing/route.ts'

const DEFAULT_LIMIT = 100
const DEFAULT_LATEST = 50

/** The event log, for servers. */
export const eventLogRoutes: Route[] = [
  get('/v1/events', {
    area: 'messages',
    summary: 'Read events in the order in which they were stored',
    description:
      'The events of devices, of servers and of this server, each once, in the order in which they were committed. Keep `next` and send ' +
      'it as `after` of the next call. It moves on also when no event was found. With `wait` the call waits for an event; it ' +
      'may answer earlier, without one. With `Accept: application/x-ndjson` the answer is one event a line, and `next` is in the ' +
      'header `Next-After`. Without `after` it begins with the oldest event that is kept.',
    scope: 'read',
    needs: 'server-key',
    query: eventsQuery,
    returns: eventPage,
    alsoProduces: NDJSON,
    headers: { 'Next-After': ['The `after` of the next call.', '000000000000000000000cz'] },
    also: {
      409: 'The app does not keep `deliveries` in its log',
      410: 'Events behind `after` were forgotten (`events.retentionDays`)',
      429: 'Too many readers wait for events already',
    },
    run: async ({ tx, program, appId, query, header, gone }) => {
      const { after, types, include, limit = DEFAULT_LIMIT, wait = 0 } = query
      const deliveries = include !== undefined
      if (deliveries && !(await keepsDeliveries(tx, appId))) throw new AppError('conflict', NO_DELIVERIES)
      const asked = {
        appId,
        after: after === undefined ? undefined : requireCursor(after, 'after'),
        types: types?.split(','),
        deliveries,
        limit,
      }
      const { events, next, missed } = await readOn(program, asked, { waitMs: wait * 1000, gone })
      if (missed) throw new AppError('gone', MISSED)
      const found = events.map(presentEvent)
      const headers = { 'Next-After': presentNext(next), 'Cache-Control': 'no-store' }
      if (!header('accept').includes(NDJSON)) return new Reply(200, { events: found, next: presentNext(next) }, headers)
      const lines = found.map((event) => `${JSON.stringify(event)}\n`).join('')
      return new Reply(200, new Text(lines, NDJSON), headers)
    },
  }),
  get('/v1/events/latest', {
    area: 'messages',
    summary: 'Look at the newest events, of some types, of a user or of an install',
    description:
      'For looking, not for keeping up: the newest first, without pages of notifications. Events of a user are those that devices or ' +
      'servers reported under this identifier. With `types`, `userId` or `q` a read looks at 2000 events, so a page may hold few, or none: go on with `next`. ' +
      'Send `end` as `after` of `GET /v1/events` to get what comes.',
    scope: 'read',
    needs: 'server-key',
    query: latestQuery,
    returns: latestEvents,
    run: async ({ program, appId, query }) => {
      const { before, types, userId, installId, q, limit = DEFAULT_LATEST } = query
      const place = before === undefined ? undefined : requireCursor(before, 'before')
      const asked = { appId, before: place, types: types?.split(','), userId, installId, q, limit }
      return presentLatest(await program.eventLog.latest(asked))
    },
  }),
  get('/v1/events/settings', {
    area: 'messages',
    summary: 'Read what enters the event log besides events',
    description: 'Without a setting, only events enter the log.',
    scope: 'read',
    needs: 'server-key',
    returns: logSettings,
    run: async ({ tx, appId }) => presentLogSettings(await tx.apps.logSettings(appId)),
  }),
  put('/v1/events/settings', {
    area: 'messages',
    summary: 'Say what enters the event log besides events',
    description:
      'With `deliveries` each page of a notification enters the log as it closes, for readers that ask with `include=deliveries`. ' +
      'A webhook that includes deliveries has the same effect.',
    takes: 'LogSettingsChange',
    sends: { deliveries: true },
    scope: 'admin',
    needs: 'server-key',
    body: logSettingsForm,
    returns: logSettings,
    run: async ({ tx, appId, body }) => presentLogSettings(await tx.apps.setLogSettings(appId, body)),
  }),
  post('/v1/events', {
    area: 'events',
    summary: 'Report events of users',
    description:
      'An event is stored once, however often it is sent: by `uuid`. Events that cannot be used are listed in `refused`; the others are ' +
      'accepted. An unknown user is created. What a server reports is no activity of the user.',
    sends: [
      {
        userId: 'user-17',
        type: 'order.paid',
        uuid: '8f14e45f-ceea-4a7e-9d5b-2f1b3c4d5e6f',
        timestamp: 1_772_366_400_000,
        data: { amount: 49.9, currency: 'EUR' },
      },
    ],
    scope: 'crm',
    needs: 'server-key',
    body: serverEventBatch,
    unkept: { asText: () => false, byRun: true },
    status: 202,
    returns: serverEventsAnswer,
    also: { 413: `More than ${MAX_BATCH} events, or a body beyond limits.body` },
    run: async ({ tx, appId, body, unkept }) => {
      return presentRefused(await tx.serverEvents.take(appId, body, unkept))
    },
  }),
]

/** Tells whether pages of notifications enter the log of the app: because it says so, or a webhook gets them. */
async function keepsDeliveries(tx: Pick<Areas, 'apps' | 'webhooks'>, appId: number): Promise<boolean> {
  return (await tx.apps.logSettings(appId)).deliveries || tx.webhooks.anyWithDeliveries(appId)
}

const NO_DELIVERIES =
  'the app does not keep deliveries in its log: switch them on with PUT /v1/events/settings {"deliveries": true}, or leave include out'

const MISSED =
  'events behind this cursor were forgotten (events.retentionDays): leave after out to begin with the oldest that is kept'
