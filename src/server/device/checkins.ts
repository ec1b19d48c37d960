import { deviceKeyQuery, newCheckin, readCheckin } from '../../domain/checkins/schema.ts'
import type { Holder } from '../../domain/checkins/types.ts'
import { idSegment } from '../../platform/values/parse.ts'
import { checkin, presentCheckin } from '../../present/api/checkins.ts'
import { list } from '../../present/schema.ts'
import { CAPPED, takeNewcomers } from '../limits/caps.ts'
import { type Call, del, get, post, type Route, streamOf } from '../routing/route.ts'
import { namedUser, UNSIGNED } from './named-user.ts'

const DEVICE = { area: 'crm', needs: 'device-key', bodyLimit: 'limits.deviceBody', device: true } as const
const UNKNOWN = { 404: 'This device has no such check-in of the user' }

/**
 * Check-ins of people at places (docs/reference/device-protocol.md section 16, V1 to V4). The user is named by the
 * path.
 */
export const checkinRoutes: Route[] = [
  post('/v1/users/:userId/checkins', {
    ...DEVICE,
    summary: 'Check a group of people in',
    description: 'The `deviceKey` opens the check-in again; only the device that chose it can read it or check it out.',
    takes: 'NewCheckin',
    sends: {
      location: 'cafe',
      partySize: 3,
      contacts: [{ lastName: 'Kelly', firstName: 'Anna' }],
      tz: 'Europe/Berlin',
      deviceKey: 'q8Zr1m3o5c7v9b2n4k6j',
    },
    body: newCheckin,
    status: 201,
    returns: checkin,
    also: { ...CAPPED, ...UNSIGNED },
    run: async (call) => {
      const { tx, appId, body } = call
      const user = await namedUser(call)
      await takeNewcomers(call, 1)
      return presentCheckin(await tx.checkins.checkIn(appId, user, readCheckin(body)))
    },
  }),
  get('/v1/users/:userId/open-checkins', {
    ...DEVICE,
    summary: 'List the open check-ins that this device made',
    description: 'Groups that were checked out are not returned.',
    query: deviceKeyQuery,
    returns: list(checkin),
    also: UNSIGNED,
    run: async (call) => streamOf(call.tx.checkins.open(await holderOf(call)), presentCheckin),
  }),
  del('/v1/users/:userId/checkins/:checkinId', {
    ...DEVICE,
    summary: 'Check a whole group out',
    description: 'Returns the check-in as it is now.',
    query: deviceKeyQuery,
    returns: checkin,
    also: { ...UNKNOWN, ...UNSIGNED },
    run: async (call) =>
      presentCheckin(
        await call.tx.checkins.checkOut(await holderOf(call), idSegment(call.params.checkinId!, 'check-in')),
      ),
  }),
  del('/v1/users/:userId/checkins/:checkinId/contacts/:contactId', {
    ...DEVICE,
    summary: 'Check one person of a group out',
    description: 'Returns the check-in as it is now. It is closed with the last of its contacts.',
    query: deviceKeyQuery,
    returns: checkin,
    also: { ...UNKNOWN, ...UNSIGNED },
    run: async (call) => {
      const { checkinId, contactId } = call.params
      const ids = [idSegment(checkinId!, 'check-in'), idSegment(contactId!, 'contact')] as const
      return presentCheckin(await call.tx.checkins.checkOutContact(await holderOf(call), ...ids))
    },
  }),
]

async function holderOf({
  tx,
  appId,
  params,
  query,
}: Pick<Call<unknown, { deviceKey: string }>, 'tx' | 'appId' | 'params' | 'query'>): Promise<Holder> {
  return { appId, userIdentifier: await namedUser({ tx, appId, params }), deviceKey: query.deviceKey }
}
