import { broadcast, deliverDue, scriptedSender } from './delivery.ts'
import { addGateway } from './gateways.ts'
import type { TestProgram } from './program.ts'

/** A small world of users. */
export interface ProfileWorld {
  /** The number of Alice, who has two installs; that of Bob, whose notifications are off; that of Carol, who is suppressed. */
  alice: number
  bob: number
  carol: number
  /** A push to everybody, and one to a channel to which only Alice is subscribed. */
  toAll: number
  toNews: number
  crash: number
}

const APP = { appVersion: '3.1' }

/** Three users with installs, two pushes that were sent, a crash and two check-ins. */
export async function makeProfileWorld(test: TestProgram): Promise<ProfileWorld> {
  const { program, first, clock } = test
  const now = clock.now()
  let told = 0
  const event = (type: string, data: object, at = now) => ({ type, uuid: `world-${++told}`, timestamp: at, data })
  const install = async (id: string, user: string, { token = true, enabled = true } = {}) =>
    program.inTransaction((tx) =>
      tx.events.ingest(first.id, id, [
        event('k.stats.installTracked', { app: { version: APP.appVersion }, platform: { name: 'Android' } }),
        event('k.stats.userAssociated', { id: user }),
        ...(token ? [event('k.push.deviceRegistered', { token: `token-${id}`, type: 2 })] : []),
        ...(enabled ? [] : [event('k.push.notificationEnablementChanged', { notificationsEnabled: false })]),
        event('k.fg', {}),
      ]),
    )
  await addGateway(test)
  await install('alice-phone', 'alice@example.com')
  await install('alice-tablet', 'alice@example.com', { token: false })
  await install('bob-phone', 'bob@example.com', { enabled: false })
  await install('carol-phone', 'carol@example.com')
  await program.inTransaction(async (tx) => {
    await tx.crm.putAttributes(first.id, 'alice@example.com', { plan: 'gold', visits: 12, address: { city: 'Berlin' } })
    await tx.crm.putAttributes(first.id, 'bob@example.com', { plan: 'basic' })
    await tx.suppressions.put(first.id, 'carol@example.com', 'asked by letter')
    await tx.purposes.put(first.id, 'news', { name: 'News', description: null, default: true, required: false })
    const channel = await tx.channels.create(first.id, { uuid: 'news', name: 'News' })
    await tx.channels.create(first.id, { uuid: 'offers', name: 'Offers' })
    const how = { subscribe: true, all: true }
    await tx.subscriptions.changeSubscribers(first.id, channel.id, { userIds: ['alice@example.com'] }, how)
  })
  clock.advance(60_000)
  const toAll = await broadcast(test)
  const toNews = await broadcast(test, {
    target: { channelUuids: ['news'] },
    content: { title: 'Fresh bread', message: 'Until six' },
  })
  await deliverDue(test, scriptedSender(() => ({ kind: 'accepted' })).sender)
  clock.advance(60_000)
  await program.inTransaction((tx) =>
    tx.events.ingest(first.id, 'alice-phone', [event('k.push.opened', { id: toAll }, clock.now())]),
  )
  const crashed = {
    installId: 'alice-phone',
    source: 'acra',
    reports: [
      {
        REPORT_ID: 'r1',
        APP_VERSION_NAME: '3.1',
        ANDROID_VERSION: '15',
        PHONE_MODEL: 'Pixel 8',
        STACK_TRACE:
          'java.lang.IllegalStateException: the basket is empty\n\tat com.example.Basket.total(Basket.kt:12)\n\tat com.example.Main.run(Main.kt:3)',
      },
    ],
  } as const
  await program.inTransaction((tx) => tx.crashes.accept(first.id, crashed))
  const group = {
    location: 'Bakery',
    partySize: 2,
    timezone: 'Europe/Berlin',
    deviceKey: 'a2V5',
    contacts: [
      {
        lastName: 'Miller',
        firstName: 'Alice',
        emailAddress: 'alice@example.com',
        smsNumber: null,
        meta: { seat: '4' },
      },
    ],
  }
  await program.inTransaction((tx) => tx.checkins.checkIn(first.id, 'alice@example.com', group))
  const numberOf = async (name: string) => (await program.crm.showUser(first.id, name)).id
  const [crash] = await program.crashes.list(first.id, {}, undefined, 1)
  return {
    alice: await numberOf('alice@example.com'),
    bob: await numberOf('bob@example.com'),
    carol: await numberOf('carol@example.com'),
    toAll,
    toNews,
    crash: crash!.id,
  }
}
