import { readQuickstart } from '../../doctor/quickstart.ts'
import { deleteApp } from '../../domain/apps/deletion.ts'
import { changeApp, createApp, fromAppForm } from '../../domain/apps/schema.ts'
import type { AppRecord } from '../../domain/apps/types.ts'
import { adminApp, adminApps, newAdminApp, presentApp, presentNewApp } from '../../present/admin/apps.ts'
import { presentQuickstart, quickstart } from '../../present/admin/quickstart.ts'
import type { Areas } from '../../program.ts'
import { del, get, type Person, patch, post, type Route } from '../routing/route.ts'

const ADMIN = { area: 'admin', needs: 'person' } as const
const UNKNOWN = { 404: 'There is no such app, or you have no role in it' }
const TAKEN = { 409: 'Another app has this name, and `allowDuplicate` is false' }
const REMEDY = 'leave allowDuplicate away'

/** Tells which apps a person has a role in. */
const seenBy =
  ({ roles, tokenApp }: Pick<Person, 'roles' | 'tokenApp'>) =>
  (id: number): boolean =>
    roles.some(({ appId }) => appId === null || appId === id) && (tokenApp === undefined || tokenApp === id)

const withIcon = async (tx: Pick<Areas, 'pictures'>, app: AppRecord) => ({
  ...app,
  iconUrl: await tx.pictures.iconUrl(app.id),
})

export const appRoutes: readonly Route[] = [
  get('/v1/apps', {
    ...ADMIN,
    right: 'self',
    summary: 'List the apps that you have a role in',
    description: 'Apps in which you have no role are left out.',
    returns: adminApps,
    run: async ({ tx, person }) => {
      const isSeen = seenBy(person)
      const seen = (await tx.apps.list()).filter(({ id }) => isSeen(id))
      const icons = await tx.pictures.iconUrls(seen.map(({ id }) => id))
      return { items: seen.map((app) => presentApp({ ...app, iconUrl: icons.get(app.id) ?? null })) }
    },
  }),
  post('/v1/apps', {
    ...ADMIN,
    right: 'own',
    fresh: true,
    summary: 'Create an app; the answer alone has its keys',
    description:
      'A name that another app has is refused where `allowDuplicate` is false. An `Idempotency-Key` has no effect here, because a stored answer would hold the keys.',
    also: TAKEN,
    takes: 'NewApp',
    sends: { name: 'Bakery' },
    audit: 'apps.create',
    body: createApp,
    status: 201,
    // A stored answer would hold the keys.
    transaction: false,
    returns: newAdminApp,
    run: async ({ program, body: { allowDuplicate = true, ...body }, note }) => {
      const made = await program.inTransaction(async (tx) => {
        if (!allowDuplicate) await tx.apps.refuseTaken(body.name, { remedy: REMEDY })
        return tx.apps.create(fromAppForm(body))
      })
      note({ appId: made.id, target: made.name })
      return presentNewApp(made)
    },
  }),
  get('/v1/apps/:appId', {
    ...ADMIN,
    right: 'see',
    summary: 'Read an app',
    description: 'Its name, time zone and icon, and when it was made.',
    also: UNKNOWN,
    returns: adminApp,
    run: async ({ tx, appId }) => presentApp(await withIcon(tx, await tx.apps.get(appId))),
  }),
  patch('/v1/apps/:appId', {
    ...ADMIN,
    right: 'operate',
    summary: 'Change the name, the time zone and the icon of an app',
    description:
      'Absent members stay as they are, null clears. The console plans sends in the time zone and shows days in it; schedules of requests ' +
      'keep naming their own. The icon is one of the pictures of the app, which counts as used then. A name that another app of yours has is ' +
      'refused where `allowDuplicate` is false. Keys, links and everything else stay as they are.',
    takes: 'AppChange',
    sends: { name: 'Bakery', timezone: 'Europe/Berlin' },
    audit: 'apps.update',
    body: changeApp,
    also: { ...UNKNOWN, ...TAKEN },
    returns: adminApp,
    async run({ tx, appId, body: { allowDuplicate = true, iconUrl, ...change }, person, note }) {
      // Locks the names of all apps: before the app itself, as the command does.
      if (change.name !== undefined && !allowDuplicate) {
        await tx.apps.get(appId)
        await tx.apps.refuseTaken(change.name, { itself: appId, sees: seenBy(person), remedy: REMEDY })
      }
      await tx.apps.lock(appId)
      const before = presentApp(await withIcon(tx, await tx.apps.get(appId)))
      if (iconUrl !== undefined) await tx.pictures.setIcon(appId, iconUrl)
      const after = presentApp(await withIcon(tx, await tx.apps.change(appId, fromAppForm(change))))
      note({ target: after.name, before, after })
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
