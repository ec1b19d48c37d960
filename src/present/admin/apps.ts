import type { AppRecord, NewApp } from '../../domain/apps/types.ts'
import { isoOffset } from '../../platform/time/clock.ts'
import { answerOf, integer, list, object, string, time, told } from '../schema.ts'
import { ADMIN_APP_ID, CREATED, ITEMS } from '../words.ts'

export function presentApp({ id, name, linkHostLabel, createdAt, updatedAt }: AppRecord) {
  return { id, name, linkHostLabel, created: isoOffset(createdAt), updated: isoOffset(updatedAt) }
}

/** The one answer that has the keys. */
export function presentNewApp(app: NewApp) {
  return { ...presentApp(app), apiKey: app.apiKey, serverKey: app.serverKey, secretKey: app.secretKey }
}

const members = {
  id: told(integer, ADMIN_APP_ID),
  name: told(string, 'Name of the app, for people.', 'Bakery'),
  linkHostLabel: told(string, 'The first label of the host of its links.', 'a1f4c05d2e'),
  created: told(time, CREATED),
  updated: told(time, 'When it was last changed.', '2026-11-23T10:00:00+0000'),
}
export const adminApp = answerOf<typeof presentApp>('AdminApp', 'An app.', members)
export const adminApps = object('AdminApps', 'Apps that you have a role in.', { items: told(list(adminApp), ITEMS) })
export const newAdminApp = answerOf<typeof presentNewApp>('CreatedApp', 'An app with its keys.', {
  ...members,
  apiKey: told(string, 'Names the app in every call; it is public.', 'ak_…'),
  serverKey: told(string, 'For servers. It is not shown again.', 'sk_…'),
  secretKey: told(string, 'For the app on devices. It is not shown again.', 'dk_…'),
})
