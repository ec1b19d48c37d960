import { expect } from 'chai'
import type { Platform } from '../../../../src/domain/gateways/registry.ts'
import { gateways } from '../../../../src/domain/gateways/registry.ts'
import type { NotificationRequest } from '../../../../src/domain/notifications/request/request.ts'
import { SOURCE, type Source, STATUS, type StoredContent } from '../../../../src/domain/notifications/types.ts'
import { AppError } from '../../../../src/platform/errors.ts'
import { addGateway, credential } from '../../../support/gateways.ts'
import { addInstall } from '../../../support/installs.ts'
import { onEachDatabase, openTestProgram, type TestProgram } from '../../../support/program.ts'
import { sharedDatabase } from '../../../support/shared-database.ts'

const DAY_MS = 86_400_000

function request(changes: Partial<NotificationRequest> = {}): NotificationRequest {
  const content = { title: 'T', message: 'M', background: false, ios: {}, android: {} }
  return { targeting: { broadcast: true }, content, contentPath: 'content', ...changes }
}

onEachDatabase('accepting a notification', (kind) => {
  let test: TestProgram
  let row: number

  const openShared = sharedDatabase(kind)
  beforeEach(async () => {
    test = await openShared()
    row = await addInstall(test.program, test.first.id, 'a')
    await addInstall(test.program, test.first.id, 'quiet', { subscribed: false })
  })
  afterEach(() => test.close())

  const accept = (given: NotificationRequest, source: Source = SOURCE.messages) =>
    test.program.inTransaction((tx) => tx.sends.accept(test.first.id, source, given))
  /** Configures a gateway as an operator does, with or without `--critical`. */
  const allowCritical = (critical = true) =>
    test.program.inTransaction((tx) =>
      tx.gateways.configure(test.first.id, {
        ios: credential({ critical }),
        android: credential(),
      }),
    )
  const runs = () =>
    test.program.kernel.db.read('runs').select('app_id', 'notification_id', 'due_at', 'state', 'cursor')

  it('stores it as queued, and one run that is due now', async () => {
    const now = test.clock.now()
    const { notification, errors } = await accept(request({ reportingMeta: { ref: 1 } }))
    expect(errors).to.deep.equal({})
    expect(notification).to.deep.include({
      appId: test.first.id,
      source: SOURCE.messages,
      status: STATUS.queued,
      statusReason: null,
      filters: { broadcast: true },
      target: { kind: 'broadcast', exclude: [] },
      reportingMeta: { ref: 1 },
      hasUserMeta: false,
      expiresAt: now + DAY_MS,
      createdAt: now,
      updatedAt: now,
    })
    const { target: _, ...record } = notification!
    expect(await test.program.notifications.get(test.first.id, record.id)).to.deep.equal(record)
    expect(await runs()).to.deep.equal([
      { app_id: test.first.id, notification_id: record.id, due_at: now, state: 'due', cursor: '{}' },
    ])
  })

  it('expires it after its own time to live, which may be zero', async () => {
    const ten = await accept(request({ ttl: 10 }))
    expect(ten.notification!.expiresAt).to.equal(test.clock.now() + 10_000)
    const none = await accept(request({ ttl: 0 }))
    expect(none.notification!.expiresAt).to.equal(test.clock.now())
  })

  it('expires it after the configured time to live if it has none', async () => {
    const other = await openTestProgram({ kind, settings: { 'delivery.ttl': '60' } })
    const { notification } = await other.program.inTransaction((tx) =>
      tx.sends.accept(other.first.id, SOURCE.messages, request()),
    )
    expect(notification!.expiresAt).to.equal(other.clock.now() + 60_000)
    await other.close()
  })

  it('shows the targeting as it was given, without empty fields', async () => {
    const targeting = { broadcast: false, installIds: ['a', 'z', 'a'], userIds: [], excludeInstallIds: ['q', 5] }
    const { notification, errors } = await accept(request({ targeting }))
    expect(notification!.filters).to.deep.equal({ installIds: ['a', 'z', 'a'], excludeInstallIds: ['q', 5] })
    expect(notification!.target).to.deep.equal({ kind: 'installs', rows: [row], exclude: [] })
    expect(errors).to.deep.equal({ unknownInstallIds: ['z'] })
  })

  for (const source of [SOURCE.messages, SOURCE.push]) {
    it(`stores nothing when nobody who was named can be reached (source ${source})`, async () => {
      const given = request({ targeting: { installIds: ['z', 'quiet'], userIds: ['nobody'] } })
      expect(await accept(given, source)).to.deep.equal({
        notification: null,
        errors: { unknownInstallIds: ['z'], unsubscribedInstallIds: ['quiet'], unknownUserIds: ['nobody'] },
      })
      expect((await test.program.notifications.list(test.first.id, { limit: 1 })).notifications).to.deep.equal([])
      expect(await runs()).to.deep.equal([])
    })
  }

  it('accepts a legacy one that reaches nobody: it is failed with a reason and has no run', async () => {
    const given = request({ targeting: { installIds: ['z', 'y', 'quiet'], userIds: ['nobody'] } })
    const { notification } = await accept(given, SOURCE.legacy)
    expect(notification).to.deep.include({
      status: STATUS.failed,
      statusReason:
        'nobody who was named can be reached (unknown installs: 2, unsubscribed installs: 1, unknown users: 1)',
    })
    expect(await runs()).to.deep.equal([])
  })

  it('accepts one whose whole audience is excluded', async () => {
    const { notification } = await accept(request({ targeting: { installIds: ['a'], excludeInstallIds: ['a'] } }))
    expect(notification!.target).to.deep.equal({ kind: 'installs', rows: [row], exclude: [row] })
    expect(await runs()).to.have.length(1)
  })

  it('stores the metadata of more users than fit in one statement', async () => {
    const userMeta = Object.fromEntries(Array.from({ length: 12_000 }, (_, i) => [`user ${i}`, { n: i }]))
    const { notification } = await accept(request({ userMeta }))
    expect(notification!.hasUserMeta).to.equal(true)
    const stored = await test.program.kernel.db
      .read('notification_user_meta')
      .where({ notification_id: notification!.id, app_id: test.first.id })
      .orderBy('identifier')
    expect(stored).to.have.length(12_000)
    const last = stored.find((one: { identifier: string }) => one.identifier === 'user 11999')
    expect(JSON.parse(last.meta)).to.deep.equal({ n: 11_999 })
  })

  it('refuses content that is too large for every platform, and says how large it is and what to shorten', async () => {
    const content = { ...request().content, data: { text: 'x'.repeat(4000) }, title: 'y'.repeat(500) }
    for (const contentPath of ['content', 'message']) {
      const error = await accept(request({ content, contentPath })).catch((thrown: unknown) => thrown)
      expect(error).to.be.instanceOf(AppError)
      const { fields } = (error as AppError).details
      expect(Object.keys(fields!)).to.deep.equal([contentPath])
      expect(fields![contentPath]).to.have.length(2)
      expect(fields![contentPath]![0]).to.match(
        /^is too large for ios: the payload has \d{4} bytes, 4096 are allowed; shorten data \(40\d\d bytes\) or title \(502 bytes\)$/,
      )
      expect(fields![contentPath]![1]).to.match(/^is too large for android: /)
    }
  })

  const longest: [string, Partial<StoredContent>, string, string][] = [
    ['the subtitle', { ios: { subtitle: 'x'.repeat(4000) } }, 'ios', 'ios.subtitle'],
    ['the picture', { ios: { pictureUrl: `https://example.com/${'x'.repeat(4000)}` } }, 'ios', 'ios.media.pictureUrl'],
    ['the critical sound', { ios: { sound: { critical: true, name: 'x'.repeat(4000) } } }, 'ios', 'ios.sound'],
    ['the channel', { android: { channelId: 'x'.repeat(4000) } }, 'android', 'android.channelId'],
    [
      'the icons',
      { buttons: Array.from({ length: 90 }, () => ({ id: 'b', text: 'b', icon: { type: 'system', id: 'x' } })) },
      'ios',
      'buttons',
    ],
  ]
  for (const [what, change, platform, name] of longest) {
    it(`says that ${what} is what is too long`, async () => {
      await allowCritical()
      const content = { ...request().content, ...change }
      const error = await accept(request({ content })).catch((thrown: unknown) => thrown as AppError)
      const sentence = (error as AppError).details.fields?.['content']?.find((one) => one.includes(`for ${platform}:`))
      expect(sentence).to.match(new RegExp(`4096 are allowed; shorten ${name} \\(\\d{4} bytes\\) or `))
    })
  }

  const critical: [string, StoredContent['ios'], string[]][] = [
    ['sound', { sound: { critical: true } }, ['ios.sound.critical']],
    ['interruption level', { interruptionLevel: 'critical' }, ['ios.interruptionLevel']],
    [
      'sound and interruption level',
      { sound: { critical: true }, interruptionLevel: 'critical' },
      ['ios.sound.critical', 'ios.interruptionLevel'],
    ],
  ]
  for (const [what, ios, fields] of critical) {
    it(`refuses a critical ${what} until the operator says that the app has the entitlement`, async () => {
      const given = request({ content: { ...request().content, ios } })
      const refused = () =>
        accept(given).then(
          () => undefined,
          (thrown: unknown) => thrown as AppError,
        )
      const error = await refused()
      expect(Object.keys(error!.details.fields!)).to.deep.equal(fields)
      expect(error!.details.fields![fields[0]!]![0]).to.include('gateways set --app APP ios --critical')
      await allowCritical(false)
      expect(await refused()).to.be.instanceOf(AppError)
      await allowCritical()
      expect((await accept(given)).notification!.content.ios).to.deep.equal(ios)
    })
  }

  const sizes: [string, Platform[], number, Platform[]][] = [
    ['without any gateway, phones of both kinds', [], 4000, ['ios', 'android']],
    ['an app that has iPhones only', ['ios'], 4000, ['ios']],
    ['browsers take less than phones', ['android', 'web'], 3900, ['web']],
    ['Huawei counts the whole request', ['hcm'], 3950, ['hcm']],
    ['an app without browsers', ['ios', 'android'], 3860, []],
  ]
  for (const [what, platforms, characters, refusing] of sizes) {
    it(`only the limits of gateways that the app has count: ${what}`, async () => {
      for (const platform of platforms) await addGateway(test, platform)
      const content = { ...request().content, data: { text: 'x'.repeat(characters) } }
      const error = await accept(request({ content })).then(
        () => undefined,
        (thrown: unknown) => thrown as AppError,
      )
      const named = error?.details.fields?.['content']?.map((sentence) => /for (\w+):/.exec(sentence)?.[1])
      expect(named ?? []).to.deep.equal(refusing)
    })
  }

  it('takes content right up to the limit', async () => {
    const content = { ...request().content, data: { text: '' } }
    const message = { content: { ...content, notificationId: 9_999_999_999 }, expiresAt: 0, replacementKey: 'n' }
    const room = 4096 - gateways.ios.preview(message).bytes
    const sized = (length: number) => request({ content: { ...content, data: { text: 'x'.repeat(length) } } })
    expect((await accept(sized(room))).notification).not.to.equal(null)
    const error = await accept(sized(room + 1)).catch((thrown: unknown) => thrown)
    expect(error).to.be.instanceOf(AppError)
  })

  describe('and reading it again', () => {
    it('is unknown to another app', async () => {
      const { notification } = await accept(request())
      const second = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Second' }))
      expect(await test.program.notifications.find(second.id, notification!.id)).to.equal(undefined)
      const error = await test.program.notifications
        .report(second.id, notification!.id)
        .catch((thrown: unknown) => thrown)
      expect(error).to.be.instanceOf(AppError).with.property('code', 'not_found')
      expect((await test.program.notifications.list(second.id, { limit: 10 })).notifications).to.deep.equal([])
    })

    it('lists the newest first, page by page', async () => {
      const ids: number[] = []
      for (let i = 0; i < 5; i++) ids.unshift((await accept(request())).notification!.id)
      const first = await test.program.notifications.list(test.first.id, { limit: 2 })
      expect(first.notifications.map(({ id }) => id)).to.deep.equal(ids.slice(0, 2))
      expect(first.next).to.equal(ids[1])
      const rest = await test.program.notifications.list(test.first.id, { after: first.next!, limit: 3 })
      expect(rest.notifications.map(({ id }) => id)).to.deep.equal(ids.slice(2))
      expect(rest.next).to.equal(null)
    })

    it('reports nothing before the first page is there', async () => {
      const { notification } = await accept(request())
      const { counts, failures } = await test.program.notifications.report(test.first.id, notification!.id)
      expect(Object.values(counts)).to.deep.equal(Object.values(counts).map(() => 0))
      expect(failures).to.deep.equal([])
    })

    it('adds up the reasons of failures, most frequent first', async () => {
      const { notification } = await accept(request())
      const page = { appId: test.first.id, notificationId: notification!.id }
      const failure = (reason: string, kind = 'token_dead') => ({ row, kind, reason })
      const failures = [failure('Unregistered'), failure('BadMessage', 'payload_error'), failure('Unregistered')]
      await test.program.inTransaction((tx) => tx.ledger.insertFailures(page, failures, test.clock.now()))
      expect((await test.program.notifications.report(test.first.id, notification!.id)).failures).to.deep.equal([
        { kind: 'token_dead', reason: 'Unregistered', count: 2 },
        { kind: 'payload_error', reason: 'BadMessage', count: 1 },
      ])
    })
  })
})
