import { readQuickstart } from '../../doctor/quickstart.ts'
import { deleteApp } from '../../domain/apps/deletion.ts'
import { createApp, renameApp } from '../../domain/apps/schema.ts'
import { adminApp, adminApps, newAdminApp, presentApp, presentNewApp } from '../../present/admin/apps.ts'
import { presentQuickstart, quickstart } from '../../present/admin/quickstart.ts'
import { del, get, patch, post, type Route } from '../routing/route.ts'

const ADMIN = { area: 'admin', needs: 'person' } as const
const UNKNOWN = { 404: 'There is no such app, or you have no role in it' }

export const appRoutes: readonly Route[] = [
  get('/v1/apps', {
    ...ADMIN,
    right: 'self',
    summary: 'List the apps that you have a role in',
    description: 'Apps in which you have no role are left out.',
    returns: adminApps,
    run: async ({ tx, person: { roles, tokenApp } }) => {
      const isAll = roles.some(({ appId }) => appId === null)
      const isSeen = (id: number) =>
        (isAll || roles.some(({ appId }) => appId === id)) && (tokenApp === undefined || tokenApp === id)
      return { items: (await tx.apps.list()).filter(({ id }) => isSeen(id)).map(presentApp) }
    },
  }),
  post('/v1/apps', {
    ...ADMIN,
    right: 'own',
    fresh: true,
    summary: 'Create an app; the answer alone has its keys',
    description: 'An `Idempotency-Key` has no effect here, because a stored answer would hold the keys.',
    takes: 'NewApp',
    sends: { name: 'Bakery' },
    audit: 'apps.create',
    body: createApp,
    status: 201,
    // A stored answer would hold the keys.
    transaction: false,
    returns: newAdminApp,
    run: async ({ program, body, note }) => {
      const made = await program.inTransaction((tx) => tx.apps.create(body))
      note({ appId: made.id, target: made.name })
      return presentNewApp(made)
    },
  }),
  get('/v1/apps/:appId', {
    ...ADMIN,
    right: 'see',
    summary: 'Read an app',
    description: 'Its name and when it was made.',
    also: UNKNOWN,
    returns: adminApp,
    run: async ({ tx, appId }) => presentApp(await tx.apps.get(appId)),
  }),
  patch('/v1/apps/:appId', {
    ...ADMIN,
    right: 'operate',
    summary: 'Rename an app',
    description: 'Its keys, its links and everything else of it stay as they are.',
    takes: 'AppChange',
    sends: { name: 'Bakery' },
    audit: 'apps.update',
    body: renameApp,
    also: UNKNOWN,
    returns: adminApp,
    async run({ tx, appId, body, note }) {
      const before = presentApp(await tx.apps.get(appId))
      const after = presentApp(await tx.apps.rename(appId, body.name))
      note({ target: body.name, before, after })
      return after
    },
  }),
  get('/v1/apps/:appId/quickstart', {
    ...ADMIN,
    right: 'see',
    summary: 'Read code to begin with, and the first install once it has reported',
    description:
      'Code for a web page, an Expo app, a server and a shell, with the address of this server and the API key.',
    also: UNKNOWN,
    returns: quickstart,
    run: async ({ tx, appId, address }) =>
      presentQuickstart(await readQuickstart(tx, appId, { url: new URL('/', address).origin })),
  }),
  del('/v1/apps/:appId', {
    ...ADMIN,
    right: 'own',
    fresh: true,
    summary: 'Delete an app with everything that belongs to it',
    description:
      'Its keys end and nothing more is sent for it. Then its rows are deleted in small steps, which takes minutes for a large app; the answer comes at the end. If it breaks off, repeat it.',
    audit: 'apps.delete',
    status: 204,
    also: UNKNOWN,
    // Many short transactions.
    transaction: false,
    run: async ({ program, appId, note }) => {
      const { name } = await program.apps.get(appId)
      note({ target: name })
      await deleteApp({ inTransaction: program.inTransaction, clock: program.kernel.clock }, appId)
    },
  }),
]
