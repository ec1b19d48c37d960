import type { AppRecord, NewApp } from '../../domain/apps/types.ts'
import { isoOffset } from '../../platform/time/clock.ts'
import { answerOf, integer, list, object, string, time } from '../schema.ts'

export function presentApp({ id, name, linkHostLabel, createdAt, updatedAt }: AppRecord) {
  return { id, name, linkHostLabel, created: isoOffset(createdAt), updated: isoOffset(updatedAt) }
}

/** The one answer that has the keys. */
export function presentNewApp(app: NewApp) {
  return { ...presentApp(app), apiKey: app.apiKey, serverKey: app.serverKey, secretKey: app.secretKey }
}

const members = { id: integer, name: string, linkHostLabel: string, created: time, updated: time }
export const adminApp = answerOf<typeof presentApp>('AdminApp', members)
export const adminApps = object({ items: list(adminApp) }, 'AdminApps')
export const newAdminApp = answerOf<typeof presentNewApp>('CreatedApp', {
  ...members,
  apiKey: string,
  serverKey: string,
  secretKey: string,
})
