import { keeperOf } from '../../domain/channels/files/choice.ts'
import {
  createChannel,
  listPage,
  subscribers,
  subscriptionsPage,
  unsubscribers,
  updateChannel,
} from '../../domain/channels/schema.ts'
import { receiveSubscribersFile } from '../../domain/channels/subscribers-file.ts'
import type { Unsubscribers } from '../../domain/channels/types.ts'
import { idSegment } from '../../platform/values/parse.ts'
import {
  channel,
  channelPage,
  importPage,
  importReport,
  presentChannel,
  presentImport,
  presentImportReport,
  presentSubscription,
  queuedImport,
  subscriptionPage,
} from '../../present/api/channels.ts'
import { unknownSubscribers } from '../../present/errors.ts'
import { type Call, del, get, post, put, Reply, type Route } from '../routing/route.ts'

const ALL_IDS = 'Nothing changes if one of the ids is unknown (404).'
const THEIR_INSTALLS =
  'The subscriptions that the installs of these users have of their own end too, unless `keepInstalls` is true.'
const SOME_IDS = 'Unknown ids do not stop the others: they are returned with status 200. With 204 all ids were applied.'

const BOTH = { area: ['messages', 'push'], needs: 'server-key' } as const
const UNKNOWN = { 404: 'There is no such channel' }
/** Terms of lists that may be as long as those of a notification. */
const LISTS = { needs: 'server-key', bodyLimit: 'limits.notificationBody', status: 204 } as const
const ALL_OR_NOTHING = { 404: 'There is no such channel, install or user; nothing was changed' }
const SOME = {
  200: { says: 'Some of the ids are unknown; the others were applied', body: unknownSubscribers },
  ...UNKNOWN,
}

/** Channels and their subscribers, for servers. */
export const channelRoutes: Route[] = [
  post('/channels', {
    ...BOTH,
    summary: 'Create a channel',
    description:
      'A channel with a name is public and shown to every install. One without is private and shown to its subscribers only.',
    takes: 'NewChannel',
    sends: { uuid: 'news', name: 'News', showInPortal: true, meta: { icon: 'news.png' } },
    scope: 'admin',
    body: createChannel,
    status: 201,
    returns: channel,
    run: async ({ tx, appId, body }) => presentChannel(await tx.channels.create(appId, body)),
  }),
  get('/channels', {
    ...BOTH,
    summary: 'List channels in the order of their creation',
    description: 'Returns public and private channels in the order of their creation.',
    scope: 'read',
    query: listPage,
    returns: channelPage,
    run: async ({ tx, appId, query }) => {
      const { channels, next } = await tx.channels.list(appId, query)
      return { channels: channels.map(presentChannel), next }
    },
  }),
  get('/channels/:id', {
    ...BOTH,
    summary: 'Read a channel',
    description: 'Also returns private channels.',
    scope: 'read',
    also: UNKNOWN,
    returns: channel,
    run: async ({ tx, appId, params }) => presentChannel(await tx.channels.get(appId, { id: channelId(params) })),
  }),
  put('/channels/:id', {
    ...BOTH,
    summary: 'Change a channel',
    description: 'An absent field stays as it is; null clears `name` and `meta`.',
    takes: 'ChannelChange',
    sends: { name: 'Daily news', meta: null },
    scope: 'admin',
    body: updateChannel,
    also: UNKNOWN,
    returns: channel,
    run: async ({ tx, appId, params, body }) =>
      presentChannel(await tx.channels.update(appId, channelId(params), body)),
  }),
  del('/channels/:id', {
    ...BOTH,
    summary: 'Delete a channel with its subscriptions',
    description: 'Its subscriptions are deleted with it. Notifications already sent stay.',
    scope: 'admin',
    status: 204,
    also: UNKNOWN,
    run: ({ tx, appId, params }) => tx.channels.delete(appId, channelId(params)),
  }),

  post('/channels/:id/subscriptions', {
    ...LISTS,
    body: subscribers,
    area: 'push',
    deprecated: true,
    summary: 'Subscribe installs or users (earlier form)',
    description: ALL_IDS,
    takes: 'Subscribers',
    sends: { userIds: ['user-17'] },
    scope: 'crm',
    also: ALL_OR_NOTHING,
    run: (call) => changeAll(call, true),
  }),
  del('/channels/:id/subscriptions', {
    ...LISTS,
    body: unsubscribers,
    area: 'push',
    deprecated: true,
    summary: 'Unsubscribe installs or users (earlier form)',
    description: `${ALL_IDS} ${THEIR_INSTALLS}`,
    takes: 'Unsubscribers',
    sends: { userIds: ['user-17'] },
    scope: 'crm',
    also: ALL_OR_NOTHING,
    run: (call) => changeAll(call, false),
  }),
  post('/v2/channels/:uuid/subscriptions', {
    ...LISTS,
    body: subscribers,
    area: 'messages',
    summary: 'Subscribe installs or users',
    description: SOME_IDS,
    takes: 'Subscribers',
    sends: { installIds: ['7f0c3b1e-96b6-4f0e-a2b5-3a1c6a1b7d10'] },
    scope: 'crm',
    also: SOME,
    run: (call) => changeKnown(call, true),
  }),
  del('/v2/channels/:uuid/subscriptions', {
    ...LISTS,
    body: unsubscribers,
    area: 'messages',
    summary: 'Unsubscribe installs or users',
    description: `${SOME_IDS} ${THEIR_INSTALLS}`,
    takes: 'Unsubscribers',
    sends: { userIds: ['user-17'] },
    scope: 'crm',
    also: SOME,
    run: (call) => changeKnown(call, false),
  }),

  get('/v2/channels/:uuid/subscriptions', {
    area: 'messages',
    summary: 'List the subscriptions to a channel: users first, then installs',
    description:
      'First the users, then the installs that are subscribed themselves or opted out, each in the order of their creation. ' +
      'Who joins or leaves meanwhile may be missing or listed.',
    scope: 'crm',
    needs: 'server-key',
    query: subscriptionsPage,
    also: UNKNOWN,
    returns: subscriptionPage,
    run: async ({ tx, appId, params, query }) => {
      const { id } = await tx.channels.get(appId, { uuid: params.uuid! })
      const { subscriptions, next } = await tx.subscriptions.list(appId, id, query)
      return { subscriptions: subscriptions.map(presentSubscription), next }
    },
  }),

  post('/v2/channels/:uuid/subscribers-file', {
    area: 'messages',
    summary: 'Subscribe the users in a CSV file',
    description:
      'The file is UTF-8 text named `*.csv` with the type `text/csv` (`application/csv`, `application/vnd.ms-excel`, `application/octet-stream` and no type are taken too): one user identifier a line, no header. It is applied in the background.',
    scope: 'crm',
    needs: 'server-key',
    status: 202,
    wakes: true,
    also: UNKNOWN,
    returns: queuedImport,
    upload: async ({ tx, program, appId, params }) => {
      await tx.channels.get(appId, { uuid: params.uuid! })
      return receiveSubscribersFile(keeperOf(program, appId), program.kernel.disk.takeIn)
    },
    run: async ({ tx, appId, params, file }) => {
      const into = await tx.channels.get(appId, { uuid: params.uuid! })
      return { import: presentImport(await tx.channelImports.queue(into, file)) }
    },
  }),
  get('/v2/channels/:uuid/imports', {
    area: 'messages',
    summary: 'List the subscriber files of a channel, newest first',
    description: 'Returns the newest file first.',
    scope: 'crm',
    needs: 'server-key',
    query: listPage,
    also: UNKNOWN,
    returns: importPage,
    run: async ({ tx, appId, params, query }) => {
      const { imports, next } = await tx.channelImports.list(
        await tx.channels.get(appId, { uuid: params.uuid! }),
        query,
      )
      return { imports: imports.map(presentImport), next }
    },
  }),
  get('/v2/channels/:uuid/imports/:id', {
    area: 'messages',
    summary: 'Read the progress of a subscriber file',
    description: 'Includes the first lines whose user does not exist.',
    scope: 'crm',
    needs: 'server-key',
    also: { 404: 'There is no such channel or file' },
    returns: importReport,
    run: async ({ tx, appId, params }) => {
      const into = await tx.channels.get(appId, { uuid: params.uuid! })
      return { import: presentImportReport(await tx.channelImports.get(into, params.id!)) }
    },
  }),
]

type SubscribersCall = Pick<Call<Unsubscribers, unknown>, 'tx' | 'appId' | 'params' | 'body'>

async function changeAll({ tx, appId, params, body }: SubscribersCall, subscribe: boolean): Promise<void> {
  await tx.subscriptions.changeSubscribers(appId, channelId(params), body, { subscribe, all: true })
}

async function changeKnown({ tx, appId, params, body }: SubscribersCall, subscribe: boolean): Promise<unknown> {
  const { id } = await tx.channels.get(appId, { uuid: params.uuid! })
  const errors = await tx.subscriptions.changeSubscribers(appId, id, body, { subscribe, all: false })
  return Object.keys(errors).length > 0 ? new Reply(200, { errors }) : undefined
}

function channelId(params: Record<string, string>): number {
  return idSegment(params.id!, 'channel')
}
