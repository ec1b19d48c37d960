import { SOURCE } from '../../../src/domain/in-app/types.ts'
import { loadRepository } from '../../../src/domain/load/repository.ts'
import { readPicture } from '../../../src/domain/pictures/schema.ts'
import { STARTERS } from '../../../src/domain/templates/starters/index.ts'
import { broadcast, deliverDue, scriptedSender, withAndroids } from '../../support/delivery.ts'
import { smallPng } from '../../support/pictures.ts'
import { makeProfileWorld } from '../../support/profile-world.ts'
import { pushSeries } from '../../support/series.ts'
import { fillAudience } from './audience.ts'
import type { OpenConsole } from './console.ts'
import { addLinks } from './links.ts'
import { fillPlaces } from './places.ts'

/** A word that no line of a phone holds. */
const LONG = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft'

/**
 * Fills the first app so that every screen shows something. Returns what stands in addresses for the parameters of the patterns: a
 * page that shows one thing gets its thing here.
 */
export async function fillScreens(console: OpenConsole): Promise<Record<string, string>> {
  const { server, appId } = console
  const { channelId, segmentId } = await fillAudience(server)
  const { geofenceId, tableAlias } = await fillPlaces(server, appId)
  await sendWelcome(console)
  const users = await makeProfileWorld(server)
  const links = await addLinks(console)
  await addLoad(console)
  return {
    appId: String(appId),
    channelId: String(channelId),
    segmentId: String(segmentId),
    geofenceId: String(geofenceId),
    tableAlias,
    uid: 'welcome',
    messageId: '1',
    profileId: String(users.alice),
    crashId: String(users.crash),
    notificationId: await sendToMost(console),
    platform: 'ios',
    webhookId: await addWebhook(console),
    pushTemplateUid: await addPushTemplate(console),
    pictureUid: await addPicture(console),
    seriesId: String(await pushSeries(server, { content: { title: LONG, message: 'M' } })),
    ...links,
  }
}

/** The load of a day, with a night, a gap and a large send. */
async function addLoad({ server }: OpenConsole): Promise<void> {
  const now = server.clock.now()
  await server.program.kernel.db.write(async (trx) => {
    const load = loadRepository(trx)
    for (let i = 95; i > 0; i--) {
      if (i > 30 && i < 34) continue
      const wave = Math.round(50 + 45 * Math.sin(i / 12))
      await load.add(now - i * 900_000, {
        serverCalls: 3 * wave,
        deviceCalls: 120 * wave,
        errors: i % 17 === 0 ? 4 : 0,
        accepted: i === 12 ? 1_571_000 : 10 * wave,
        failed: i === 12 ? 12_000 : 0,
        cpuMs: 4 * wave,
        cpuRoomMs: 2000,
        queueMs: i === 12 ? 95_000 : 400,
        memoryBytes: 180_000_000 + 400_000 * wave,
        databaseBytes: 1_000_000_000 + (95 - i) * 1_000_000,
        diskFreeBytes: 52_000_000_000 - (95 - i) * 30_000_000,
      })
    }
  })
}

/** A template, and a message of it to everybody: number 1. */
async function sendWelcome({ server, appId }: OpenConsole): Promise<void> {
  await server.program.inTransaction((tx) => tx.templates.create(appId, { ...STARTERS.welcome, uid: 'welcome' }))
  await server.program.inTransaction((tx) =>
    tx.inApp.accept(appId, SOURCE.messages, {
      targeting: { broadcast: true },
      template: 'welcome',
      content: { Title: 'Hello', Text: 'Good to see you.' },
      presentedWhen: 'immediately',
      ttlMs: 86_400_000,
    }),
  )
}

/** A picture that a link shows; its uid. */
async function addPicture({ server, appId }: OpenConsole): Promise<string> {
  return server.program.inTransaction(async (tx) => {
    const { name, picture: clean } = readPicture(`${LONG}.png`, smallPng({ width: 40, height: 30, green: 128 }))
    const { picture } = await tx.pictures.add(appId, name, clean)
    await tx.links.create(appId, [{ ...LINK, pictureUrl: tx.pictures.urlOf(picture) }])
    return picture.uid
  })
}

const FALLBACK = 'https://example.com/orange'
const LINK = { slug: 'orange', linkData: {}, desktopWebFallbackUrl: FALLBACK, mobileWebFallbackUrl: FALLBACK }

/** A notification that reached most of its recipients, so that its report is full; its id. */
async function sendToMost({ server }: OpenConsole): Promise<string> {
  await withAndroids(server, 12)
  const id = await broadcast(server)
  const { sender } = scriptedSender((token) =>
    token.endsWith('1') ? { kind: 'token_dead', reason: 'UNREGISTERED' } : { kind: 'accepted' },
  )
  await deliverDue(server, sender)
  return String(id)
}

async function addPushTemplate({ server, appId }: OpenConsole): Promise<string> {
  const content = { title: 'Ready', message: 'Your order waits for you.' }
  const template = { uid: 'order-ready', name: `Order ready ${LONG}`, body: { content } }
  return (await server.program.inTransaction((tx) => tx.pushTemplates.create(appId, template))).uid
}

async function addWebhook({ server, appId }: OpenConsole): Promise<string> {
  const hook = { url: 'https://hooks.example/events' }
  const { webhook } = await server.program.inTransaction((tx) => tx.webhooks.create(appId, hook))
  return String(webhook.id)
}
