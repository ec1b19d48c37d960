import { deviceChannel, deviceSubscriptions, readDeviceChannel, readUuids } from '../../domain/channels/schema.ts'
import type { Change } from '../../domain/channels/subscriptions.service.ts'
import { isIdentifier } from '../../domain/crm/schema.ts'
import { presentSeenChannel } from '../present/channels.ts'
import { seenChannels } from '../present/examples.ts'
import { del, get, post, put, type Route } from '../route.ts'
import { namedUser, UNSIGNED } from './named-user.ts'

const UNKNOWN = { 404: 'There is no channel of one of these uuids; nothing was changed' }
const DEVICE = { needs: 'device-key', bodyLimit: 'limits.deviceBody', device: true } as const
const CHANGE = { ...DEVICE, body: deviceSubscriptions, status: 204, also: UNKNOWN } as const

const VERBS = [
  { declare: post, how: 'add', summary: 'Subscribe' },
  { declare: del, how: 'remove', summary: 'Unsubscribe' },
  { declare: put, how: 'replace', summary: 'Replace all subscriptions of' },
] as const satisfies { declare: unknown; how: Change; summary: string }[]

/** Channels as devices see them (device-protocol section 8, C1 to C6): by user on the CRM host, by install on the push host. */
export const deviceChannelRoutes: Route[] = [
  get('/v1/users/:userId/channels', {
    ...DEVICE,
    area: 'crm',
    summary: 'List public channels and those that the user is subscribed to',
    also: UNSIGNED,
    returns: seenChannels,
    run: async ({ app, appId, params }) =>
      (await app.subscriptions.seenByUser(appId, await namedUser({ app, appId, params }))).map(presentSeenChannel),
  }),
  ...VERBS.map(({ declare, how, summary }) =>
    declare('/v1/users/:userId/channels/subscriptions', {
      ...CHANGE,
      area: 'crm',
      summary: `${summary} a user`,
      also: { ...UNKNOWN, ...UNSIGNED },
      run: async ({ app, appId, params, body }) =>
        app.subscriptions.changeByUser(appId, await namedUser({ app, appId, params }), how, readUuids(body)),
    }),
  ),
  get('/v1/app-installs/:installId/channels', {
    ...DEVICE,
    area: 'push',
    summary: 'List public channels and those that the install is subscribed to; makes the install on first sight',
    returns: seenChannels,
    run: async ({ app, host, appId, params }) => {
      const installId = params.installId!
      const isKnown = isIdentifier(installId) && (await app.crm.lookupInstalls(appId, [installId])).size > 0
      if (!isKnown) await host.inTransaction((tx) => tx.crm.ensureInstall(appId, installId, host.kernel.clock.now()))
      return (await app.subscriptions.seenByInstall(appId, installId)).map(presentSeenChannel)
    },
  }),
  ...VERBS.map(({ declare, how, summary }) =>
    declare('/v1/app-installs/:installId/channels/subscriptions', {
      ...CHANGE,
      area: 'push',
      summary: `${summary} an install`,
      run: ({ app, appId, params, body }) =>
        app.subscriptions.changeByInstall(appId, params.installId!, how, readUuids(body)),
    }),
  ),
  // One route for both hosts: with one address for all areas the two calls are the same.
  post('/v1/channels', {
    ...DEVICE,
    area: ['push', 'crm'],
    summary: 'Create a channel unless it exists, and subscribe the user or install that is named',
    also: UNSIGNED,
    body: deviceChannel,
    // Also for a channel that was there: apps call this at every start, and the Flutter SDK takes anything but 201 for a failure.
    status: 201,
    run: async ({ app, appId, body }) => {
      const wanted = readDeviceChannel(body)
      const { userIdentifier: given } = wanted
      const named = given === undefined ? {} : { userIdentifier: await app.signedIds.nameForDevice(appId, given) }
      const { channel } = await app.channels.ensure(appId, wanted)
      return presentSeenChannel(await app.subscriptions.join(appId, channel, { ...wanted, ...named }))
    },
  }),
]
