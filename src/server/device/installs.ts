import { CRM_EVENTS } from '../../domain/events/event-types.ts'
import { legacyData } from '../../domain/events/schema.ts'
import type { EventData } from '../../domain/events/types.ts'
import { newUuid } from '../../platform/crypto/ids.ts'
import { invalid } from '../../platform/errors.ts'
import { hasText } from '../../platform/json/numbers.ts'
import { MEETING } from '../limits/caps.ts'
import { type Area, type Call, del, post, put, type Route } from '../routing/route.ts'
import { type InstallCall, takeEvents } from './taking.ts'

const OLDER =
  'The earlier form of an event; newer SDKs upload events instead. Read leniently: unusable fields are ignored.'

/**
 * Calls of older SDKs (docs/reference/device-protocol.md section 17, L1 to L5). Each stores the event that newer SDKs
 * send, with the same effect.
 */
export const installRoutes: Route[] = [
  put('/v1/app-installs/:installId', {
    ...device('events', 'Report the details of an install (earlier form)'),
    takes: 'InstallDetails',
    sends: { app: { version: '4.12.0' }, tz: 'Europe/Berlin' },
    run: (call) => send(call, CRM_EVENTS.installTracked, call.body),
  }),
  put('/v1/app-installs/:installId/location', {
    ...device('events', 'Report the position of an install (earlier form)'),
    takes: 'InstallLocation',
    sends: { lat: 52.5, lng: 13.4 },
    run: (call) => send(call, 'k.engage.locationUpdated', call.body),
  }),
  put('/v1/app-installs/:installId/user-id', {
    ...device('events', 'Associate an install with a user (earlier form)'),
    takes: 'InstallUser',
    sends: { id: 'user-17' },
    run: (call) => send(call, CRM_EVENTS.userAssociated, call.body),
  }),
  put('/v1/app-installs/:installId/push-token', {
    ...device('push', 'Register a push token (earlier form)'),
    takes: 'InstallPushToken',
    sends: { token: '1f6ed2f5c1f3a1b0', type: 1 },
    run: (call) => send(call, CRM_EVENTS.deviceRegistered, call.body),
  }),
  del('/v1/app-installs/:installId/push-token', {
    area: 'push',
    deprecated: true,
    summary: 'Remove the push token (earlier form)',
    description: OLDER,
    needs: 'device-key',
    device: true,
    status: 204,
    transaction: 'shared',
    also: MEETING,
    run: (call) => send(call, CRM_EVENTS.deviceUnsubscribed, {}),
  }),
  post('/v1/app-installs/:installId/opens', {
    ...device('push', 'Report that a notification was opened (earlier form)'),
    takes: 'InstallOpened',
    sends: { id: 12 },
    run: (call) => send(call, 'k.push.opened', call.body),
  }),
]

function device(area: Area, summary: string) {
  return {
    area,
    deprecated: true,
    summary,
    description: OLDER,
    needs: 'device-key',
    body: legacyData,
    bodyLimit: 'limits.deviceBody',
    device: true,
    status: 204,
    unkept: { asText: hasText, byRun: true },
    transaction: 'shared',
    also: MEETING,
  } as const
}

async function send(
  call: InstallCall & Pick<Call<unknown, unknown>, 'params'>,
  type: string,
  data: EventData,
): Promise<void> {
  const timestamp = call.program.kernel.clock.now()
  const unkept = call.unkept.map((one) => ({ ...one, at: [0, 'data', ...one.at] }))
  const events = [{ type, uuid: newUuid(), timestamp, data }]
  const { refused } = await takeEvents({ ...call, unkept }, call.params.installId!, events)
  // The call is one event, so its refusal is the answer.
  if (refused[0]) {
    const errors = Object.entries(refused[0].errors)
    throw invalid(Object.fromEntries(errors.map(([path, problems]) => [path.replace(/^data\./, ''), problems])))
  }
}
