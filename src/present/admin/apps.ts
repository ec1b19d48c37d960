import type { AppRecord, NewApp } from '../../domain/apps/types.ts'
import { answer, integer, list, nullable, object, string, time, told, url } from '../schema.ts'
import { APP_NUMBER, CREATED, ITEMS } from '../words.ts'

/** An app with the address of its icon. */
export type IconedApp = AppRecord & { iconUrl: string | null }

const members = {
  id: told(integer, APP_NUMBER),
  name: told(string, 'Name of the app, for people.', 'Bakery'),
  linkHostLabel: told(string, 'The first label of the host of its links.', 'a1f4c05d2e'),
  timezone: told(
    nullable(string),
    'IANA time zone in which people plan for the app and read its days; null: that of whoever looks.',
    'Europe/Berlin',
  ),
  created: told(time, CREATED, ({ createdAt }: AppRecord) => createdAt),
  updated: told(time, 'When it was last changed.', '2026-11-23T10:00:00+0000', ({ updatedAt }: AppRecord) => updatedAt),
}
export const adminApp = answer<IconedApp>()('AdminApp', 'An app.', {
  ...members,
  iconUrl: told(
    nullable(url),
    'Address of the picture that is its icon; null when it has none.',
    'https://push.example.com/pictures/4f9c2b7e8d1a4c53b6e0f7a912d8c3e4.png',
  ),
})
export const presentApp = adminApp.present
export const adminApps = object('AdminApps', 'Apps that you have a role in.', { items: told(list(adminApp), ITEMS) })
/** The one answer that has the keys. */
export const newAdminApp = answer<NewApp>()('CreatedApp', 'An app with its keys.', {
  ...members,
  apiKey: told(string, 'Names the app in every call; it is public.', 'ak_…'),
  serverKey: told(string, 'For servers. It is not shown again.', 'sk_…'),
  secretKey: told(string, 'For the app on devices. It is not shown again.', 'dk_…'),
})
export const presentNewApp = newAdminApp.present
