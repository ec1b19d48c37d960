import { SOURCE } from '../../../src/domain/in-app/types.ts'
import { STARTERS } from '../../../src/domain/templates/starters/index.ts'
import { fillAudience } from './audience.ts'
import type { OpenConsole } from './console.ts'
import { fillPlaces } from './places.ts'

/**
 * Fills the first app so that every screen shows something. Returns what stands in addresses for the parameters of the patterns: a
 * page that shows one thing gets its thing here.
 */
export async function fillScreens(console: OpenConsole): Promise<Record<string, string>> {
  const { server, appId } = console
  const { channelId, segmentId } = await fillAudience(server)
  const { geofenceId, tableAlias } = await fillPlaces(server, appId)
  await sendWelcome(console)
  return {
    appId: String(appId),
    channelId: String(channelId),
    segmentId: String(segmentId),
    geofenceId: String(geofenceId),
    tableAlias,
    uid: 'welcome',
    messageId: '1',
  }
}

/** A template, and a message of it to everybody: number 1. */
async function sendWelcome({ server, appId }: OpenConsole): Promise<void> {
  await server.app.inTransaction((app) => app.templates.create(appId, { ...STARTERS.welcome, uid: 'welcome' }))
  await server.app.inTransaction((app) =>
    app.inApp.accept(appId, SOURCE.messages, {
      targeting: { broadcast: true },
      template: 'welcome',
      content: { Title: 'Hello', Text: 'Good to see you.' },
      presentedWhen: 'immediately',
      ttlMs: 86_400_000,
    }),
  )
}
