import { deviceChannel, deviceSubscriptions, readDeviceChannel, readUuids } from '../../domain/channels/schema.ts'
import type { Change } from '../../domain/channels/subscriptions.service.ts'
import { isIdentifier } from '../../domain/crm/schema.ts'
import { hasText } from '../../platform/json/numbers.ts'
import { presentSeenChannel, seenChannel } from '../../present/api/channels.ts'
import { list } from '../../present/schema.ts'
import { CAPPED, MEETING, takeChannel, takeNewcomers } from '../limits/caps.ts'
import { del, get, post, put, type Route, streamOf } from '../routing/route.ts'
import { namedUser, UNSIGNED } from './named-user.ts'
import { meetInstall } from './taking.ts'

const UNKNOWN = { 404: 'There is no channel of one of these uuids; nothing was changed' }
const DEVICE = { needs: 'device-key', bodyLimit: 'limits.deviceBody', device: true } as const
const CHANGE = {
  ...DEVICE,
  body: deviceSubscriptions,
  status: 204,
  also: { ...MEETING, ...UNKNOWN },
  takes: 'ChannelUuids',
  sends: { uuids: ['news'] },
} as const

const VERBS = [
  { declare: post, how: 'add', summary: 'Subscribe' },
  { declare: del, how: 'remove', summary: 'Unsubscribe' },
  { declare: put, how: 'replace', summary: 'Replace all subscriptions of' },
] as const satisfies { declare: unknown; how: Change; summary: string }[]

/**
 * Channels as devices see them (docs/reference/device-protocol.md section 8, C1 to C6): by user on the CRM host, by
 * install on the push host.
 */
export const deviceChannelRoutes: Route[] = [
  get('/v1/users/:userId/channels', {
    ...DEVICE,
    area: 'crm',
    summary: 'List public channels and those that the user is subscribed to',
    description: 'Includes private channels that the user is subscribed to.',
    also: UNSIGNED,
    returns: list(seenChannel),
    run: async ({ tx, appId, params }) =>
      streamOf(await tx.subscriptions.seenByUser(appId, await namedUser({ tx, appId, params })), presentSeenChannel),
  }),
  ...VERBS.map(({ declare, how, summary }) =>
    declare('/v1/users/:userId/channels/subscriptions', {
      ...CHANGE,
      area: 'crm',
      summary: `${summary} a user`,
      description: 'Applies to all installs of the user.',
      // Removing subscriptions does not create the user.
      also: how === 'remove' ? { ...UNKNOWN, ...UNSIGNED } : { ...CHANGE.also, ...UNSIGNED },
      run: async (call) => {
        const { tx, appId, body } = call
        const isNew = await tx.subscriptions.changeByUser(appId, await namedUser(call), how, readUuids(body))
        await takeNewcomers(call, Number(isNew))
      },
    }),
  ),
  get('/v1/app-installs/:installId/channels', {
    ...DEVICE,
    area: 'push',
    summary: 'List public channels and those that the install is subscribed to',
    description: 'Includes private channels that the install is subscribed to.',
    also: MEETING,
    returns: list(seenChannel),
    run: async (call) => {
      const { tx, program, appId } = call
      const installId = call.params.installId!
      const isKnown = isIdentifier(installId) && (await tx.crm.lookupInstalls(appId, [installId])).size > 0
      if (!isKnown) await program.inTransaction((tx) => meetInstall({ ...call, tx: tx }, installId))
      return streamOf(await tx.subscriptions.seenByInstall(appId, installId), presentSeenChannel)
    },
  }),
  ...VERBS.map(({ declare, how, summary }) =>
    declare('/v1/app-installs/:installId/channels/subscriptions', {
      ...CHANGE,
      area: 'push',
      summary: `${summary} an install`,
      description: 'Creates the install on first sight.',
      run: async (call) => {
        const { tx, appId, params, body } = call
        const isNew = await tx.subscriptions.changeByInstall(appId, params.installId!, how, readUuids(body))
        await takeNewcomers(call, Number(isNew))
      },
    }),
  ),
  // One route for both hosts: where all areas share one address, the two calls are the same.
  post('/v1/channels', {
    ...DEVICE,
    area: ['push', 'crm'],
    summary: 'Create a channel unless it exists, and subscribe a user or install',
    description:
      'Also answers 201 if the channel exists: apps call this at every start. An existing channel stays as it is.',
    takes: 'DeviceChannel',
    sends: { uuid: 'run-club', name: 'Run club', userIdentifier: 'user-17' },
    also: { ...CAPPED, ...UNSIGNED },
    body: deviceChannel,
    unkept: { asText: (one) => hasText(one) && one.at.length > 1 && one.at[0] === 'meta' },
    returns: seenChannel,
    // Also for an existing channel: apps call this at every start, and the Flutter SDK treats anything but 201 as a
    // failure.
    status: 201,
    run: async (call) => {
      const { tx, appId } = call
      const wanted = readDeviceChannel(call.body)
      const { userIdentifier: given } = wanted
      const named = given === undefined ? {} : { userIdentifier: await tx.signedIds.nameForDevice(appId, given) }
      const { channel, created } = await tx.channels.ensure(appId, wanted)
      const { seen, made } = await tx.subscriptions.join(appId, channel, { ...wanted, ...named })
      await takeNewcomers(call, made + Number(created))
      if (created) await takeChannel(call)
      return presentSeenChannel(seen)
    },
  }),
]
