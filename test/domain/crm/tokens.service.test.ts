import { expect } from 'chai'
import { transportOf } from '../../../src/domain/crm/store/transport.ts'
import type { InstallRef } from '../../../src/domain/crm/types.ts'
import { onEachDatabase, openTestProgram, type TestProgram } from '../../support/program.ts'
import { sharedDatabase } from '../../support/shared-database.ts'

const HEX = '0a'.repeat(32)

onEachDatabase('a push token', (kind) => {
  let test: TestProgram
  let appId: number
  let now: number
  let install: InstallRef
  const openShared = sharedDatabase(kind)
  beforeEach(async () => {
    test = await openShared()
    appId = test.first.id
    now = test.clock.now()
    install = await ensure('I1')
  })
  afterEach(() => test.close())

  const ensure = (installId: string) => test.program.inTransaction((tx) => tx.crm.ensureInstall(appId, installId, now))
  const register = (data: unknown, at = now, on = install) =>
    test.program.inTransaction((tx) => tx.crm.registerToken(appId, on, data, at))
  const unregister = (at = now) => test.program.inTransaction((tx) => tx.crm.unregisterToken(appId, install, at))
  const enable = (enabled: boolean, at = now) =>
    test.program.inTransaction((tx) => tx.crm.setNotificationsEnabled(appId, install, enabled, at))
  const retire = (token: string, reason: string) =>
    test.program.inTransaction((tx) => tx.crm.retireToken(appId, install.row, token, reason))
  const recipient = async (on = install) => (await test.program.crm.deliveryRecipients(appId, [on.row]))[0]!

  it('makes its install subscribed and says where messages go', async () => {
    await register({ type: 1, token: HEX.toUpperCase(), iosTokenType: 2, bundleId: 'com.example' }, now - 5)
    expect(await recipient()).to.deep.equal({
      row: install.row,
      platform: 1,
      token: HEX,
      tokenKeys: null,
      environment: 'sandbox',
      topic: 'com.example',
      subscribed: true,
      tokenAt: now - 5,
      refusals: 0,
      runsIn: null,
    })
    expect((await test.program.crm.showInstall(appId, 'I1')).subscribed).to.equal(true)
  })

  it('of a browser must be at a known push service or at one that the settings name', async () => {
    const keys = { p256dh: Buffer.alloc(65, 4).toString('base64url'), auth: Buffer.alloc(16).toString('base64url') }
    const browser = (endpoint: string) => register({ type: 3, token: { endpoint, keys } })
    await browser('https://fcm.googleapis.com/fcm/send/a')
    for (const endpoint of ['https://push.example/a', 'https://10.0.0.1/a', 'https://fcm.googleapis.com.example/a']) {
      const error = await browser(endpoint).catch((thrown: unknown) => thrown)
      expect(error, endpoint)
        .to.have.nested.property('details.fields.token\\.endpoint[0]')
        .that.includes('webPush.extraHosts')
    }
    expect(await recipient()).to.include({ token: 'https://fcm.googleapis.com/fcm/send/a' })
    const settings = [
      { 'webPush.extraHosts': 'push.example' },
      { 'webPush.anyHost': 'true' },
      { 'webPush.unifiedPush': 'true' },
      { 'outbound.allowPrivate': 'https://push.example' },
    ]
    for (const one of settings) {
      await test.close()
      test = await openTestProgram({ kind, settings: one })
      appId = test.first.id
      install = await ensure('I1')
      await browser('https://push.example/a')
      expect(await recipient()).to.include({ token: 'https://push.example/a' })
    }
  })

  it('of a phone without Google may be at any public host, where the settings want it', async () => {
    await test.close()
    test = await openTestProgram({ kind, settings: { 'webPush.unifiedPush': 'true' } })
    appId = test.first.id
    install = await ensure('I1')
    const keys = { p256dh: Buffer.alloc(65, 4).toString('base64url'), auth: Buffer.alloc(16).toString('base64url') }
    const phone = (endpoint: string) => register({ type: 3, token: { endpoint, keys } })
    await phone('https://ntfy.example/upABC?up=1')
    const transport = async () => transportOf(await test.program.crm.showInstall(appId, 'I1'))
    expect(await transport()).to.equal('web')
    await test.program.inTransaction((tx) => tx.crm.trackInstall(appId, install, { os: { id: 3 } }, now))
    expect(await transport()).to.equal('unifiedpush')
    expect(await recipient()).to.include({ token: 'https://ntfy.example/upABC?up=1', runsIn: 'app' })
    const refused = ['https://10.0.0.1/a', 'https://[::1]/a', 'https://0x7f.1/a', 'https://ntfy.example:8443/a']
    for (const endpoint of refused) {
      const error = await phone(endpoint).catch((thrown: unknown) => thrown)
      expect(error, endpoint).to.have.nested.property('details.fields.token\\.endpoint')
    }
    expect(await recipient()).to.include({ token: 'https://ntfy.example/upABC?up=1' })
  })

  it('replaces the one before, unless it is older', async () => {
    await register({ type: 2, token: 'new' }, now - 5)
    await register({ type: 2, token: 'old' }, now - 10)
    expect(await recipient()).to.include({ token: 'new' })
    await register({ type: 5, token: 'newest' }, now - 5)
    expect(await recipient()).to.include({ token: 'newest', platform: 5 })
  })

  it('registered in the future counts as registered now', async () => {
    await register({ type: 2, token: 't' }, now + 9_999_999)
    expect(await recipient()).to.include({ tokenAt: now })
  })

  it('that comes from another install moves there', async () => {
    await register({ type: 2, token: 't' })
    const other = await ensure('I2')
    await register({ type: 2, token: 't' }, now, other)
    expect(await recipient(other)).to.include({ token: 't', subscribed: true })
    expect(await recipient()).to.include({ token: null, platform: null, subscribed: false })
  })

  it('of the same text in another app is another token', async () => {
    await register({ type: 2, token: 't' })
    const second = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Second' }))
    await test.program.inTransaction(async (tx) => {
      const theirs = await tx.crm.ensureInstall(second.id, 'I1', now)
      await tx.crm.registerToken(second.id, theirs, { type: 2, token: 't' }, now)
    })
    expect(await recipient()).to.include({ token: 't', subscribed: true })
    expect(await test.program.crm.deliveryRecipients(second.id, [install.row])).to.deep.equal([])
  })

  it('is dropped when the device unsubscribes, unless it registered later', async () => {
    await register({ type: 2, token: 't' }, now - 5)
    await unregister(now - 10)
    expect(await recipient()).to.include({ token: 't', subscribed: true })
    await unregister(now - 5)
    expect(await recipient()).to.include({ token: null, subscribed: false })
    await register({ type: 2, token: 'late' }, now - 6)
    expect(await recipient()).to.include({ token: null, subscribed: false })
  })

  it('is kept and not used while the system shows no notifications', async () => {
    await register({ type: 2, token: 't', areNotificationsEnabled: true }, now - 10)
    await enable(false, now - 5)
    expect(await recipient()).to.include({ token: 't', subscribed: false })
    await enable(true, now - 7)
    expect(await recipient()).to.include({ subscribed: false })
    await register({ type: 2, token: 't2' }, now - 4)
    expect(await recipient()).to.include({ token: 't2', subscribed: false })
    await enable(true, now - 3)
    expect(await recipient()).to.include({ token: 't2', subscribed: true })
  })

  it('registered with notifications off is not used', async () => {
    await register({ type: 2, token: 't', areNotificationsEnabled: false })
    expect(await recipient()).to.include({ token: 't', subscribed: false })
  })

  it('is not there just because notifications are on', async () => {
    await enable(false)
    await enable(true)
    expect(await recipient()).to.include({ token: null, subscribed: false })
  })

  it('that the gateway calls dead is retired and kept aside', async () => {
    await register({ type: 1, token: HEX, iosTokenType: 1, bundleId: 'b' }, now - 5)
    await retire(HEX, 'Unregistered')
    expect(await recipient()).to.include({ token: null, platform: null, subscribed: false })
    const [kept] = await test.program.kernel.db.read('retired_tokens').select('*')
    expect(kept).to.include({
      app_id: appId,
      install_row: install.row,
      platform: 1,
      token: HEX,
      token_topic: 'b',
      token_environment: 'production',
      token_at: now - 5,
      reason: 'Unregistered',
      retired_at: now,
    })
  })

  it('that was replaced meanwhile is not retired', async () => {
    await register({ type: 2, token: 'old' }, now - 5)
    await register({ type: 2, token: 'new' })
    await retire('old', 'UNREGISTERED')
    expect(await recipient()).to.include({ token: 'new', subscribed: true })
    expect(await test.program.kernel.db.read('retired_tokens').select('*')).to.deep.equal([])
  })

  it('counts its own refusals until it is accepted or registered again', async () => {
    await register({ type: 1, token: HEX })
    const refuse = (token: string) => test.program.inTransaction((tx) => tx.crm.countRefusal(appId, install.row, token))
    expect([await refuse(HEX), await refuse(HEX), await refuse('other')]).to.deep.equal([1, 2, 0])
    expect(await recipient()).to.include({ refusals: 2 })
    await test.program.inTransaction((tx) => tx.crm.clearRefusals(appId, install.row))
    expect(await recipient()).to.include({ refusals: 0 })
    await refuse(HEX)
    await register({ type: 1, token: HEX })
    expect(await recipient()).to.include({ refusals: 0 })
  })

  it('remembers in which of the environments it works', async () => {
    await register({ type: 1, token: HEX })
    await test.program.inTransaction((tx) => tx.crm.rememberEnvironment(appId, install.row, HEX, 'sandbox'))
    expect(await recipient()).to.include({ environment: 'sandbox' })
    await test.program.inTransaction((tx) => tx.crm.rememberEnvironment(appId, install.row, 'other', 'production'))
    expect(await recipient()).to.include({ environment: 'sandbox' })
  })

  it('is looked up by install and by user, also for tens of thousands of ids', async () => {
    const other = await ensure('I2')
    const third = await ensure('I3')
    await register({ type: 2, token: 'a' })
    await register({ type: 2, token: 'b' }, now, other)
    await test.program.inTransaction(async (tx) => {
      for (const one of [install, other, third]) await tx.crm.associate(appId, one, 'anna', { at: now })
      await tx.crm.putAttributes(appId, 'ben', {})
    })
    const noise = Array.from({ length: 25_000 }, (_, i) => `unknown-${i}`)
    expect(await test.program.crm.lookupInstalls(appId, ['I3', ...noise, 'I1'])).to.deep.equal(
      new Map([
        ['I1', { row: install.row, subscribed: true, platform: 'android' }],
        ['I3', { row: third.row, subscribed: false, platform: undefined }],
      ]),
    )
    const users = await test.program.crm.lookupUsers(appId, ['ben', ...noise, 'anna', 'I1'])
    expect([...users.keys()].sort()).to.deep.equal(['I1', 'anna', 'ben'])
    expect(users.get('anna')!.installs.map(({ row }) => row)).to.deep.equal([install.row, other.row])
    expect(users.get('ben')!.installs).to.deep.equal([])
    expect(users.get('I1')!.installs).to.deep.equal([])
  })

  it("is handed out in the order of the rows, without those that are not the app's", async () => {
    const other = await ensure('I2')
    const rows = (await test.program.crm.deliveryRecipients(appId, [other.row, 999_999, install.row])).map(
      (one) => one.row,
    )
    expect(rows).to.deep.equal([install.row, other.row])
    expect(await test.program.crm.deliveryRecipients(appId, [])).to.deep.equal([])
  })
})
