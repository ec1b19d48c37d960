import { expect } from 'chai'
import type { InstallRef } from '../../../src/domain/crm/types.ts'
import { isAppError } from '../../../src/platform/errors.ts'
import { usersPage } from '../../support/installs.ts'
import { onEachDatabase, type TestProgram } from '../../support/program.ts'
import { sharedDatabase } from '../../support/shared-database.ts'

onEachDatabase('an install', (kind) => {
  let test: TestProgram
  let appId: number
  let now: number
  const openShared = sharedDatabase(kind)
  beforeEach(async () => {
    test = await openShared()
    appId = test.first.id
    now = test.clock.now()
  })
  afterEach(() => test.close())

  const ensure = (installId: string, at = now) =>
    test.program.inTransaction((tx) => tx.crm.ensureInstall(appId, installId, at))
  const associate = (install: InstallRef, identifier: string, at: number, attributes?: Record<string, unknown>) =>
    test.program.inTransaction((tx) => tx.crm.associate(appId, install, identifier, { at, attributes }))
  const clear = (install: InstallRef, at: number) =>
    test.program.inTransaction((tx) => tx.crm.clearAssociation(appId, install, at))
  const show = (installId: string) => test.program.crm.showInstall(appId, installId)
  const user = (identifier: string) => test.program.crm.showUser(appId, identifier)

  it('is made on first sight with an anonymous user of the same name', async () => {
    const { row } = await ensure('I1', now - 60_000)
    expect(await show('I1')).to.include({
      row,
      installId: 'I1',
      userIdentifier: 'I1',
      subscribed: false,
      lastActive: now - 60_000,
      createdAt: now,
      os: null,
    })
    expect(await user('I1')).to.include({ anonymous: true, firstActive: now - 60_000, installCount: 1 })
  })

  it('seen again is the same one', async () => {
    const first = await ensure('I1')
    expect(first.isNew).to.equal(true)
    const { row, installId, userIdentifier } = first
    expect(await ensure('I1')).to.include({ row, installId, userIdentifier, isNew: false })
    expect((await ensure('i1')).row).to.not.equal(first.row)
  })

  it('seen ten times at once is made once', async () => {
    const all = await Promise.all(Array.from({ length: 10 }, () => ensure('I1')))
    expect(new Set(all.map((one) => one.row)).size).to.equal(1)
    expect(await user('I1')).to.include({ installCount: 1 })
  })

  it('takes over a user who already has that name', async () => {
    await test.program.inTransaction((tx) => tx.crm.putAttributes(appId, 'I1', { a: 1 }))
    await ensure('I1')
    expect(await user('I1')).to.deep.include({ anonymous: false, attributes: { a: 1 }, installCount: 1 })
  })

  for (const installId of ['', 'a\0b', 'x'.repeat(256)]) {
    it(`cannot be called ${JSON.stringify(installId.slice(0, 10))}`, async () => {
      const error = await ensure(installId).catch((thrown: unknown) => thrown)
      expect(isAppError(error) && error.details.fields).to.have.all.keys('installId')
    })
  }

  it('is active from the future only until now, and never goes back', async () => {
    await ensure('I1', now + 3_600_000)
    expect(await show('I1')).to.include({ lastActive: now })
    await ensure('I1', now - 1000)
    expect(await show('I1')).to.include({ lastActive: now })
  })

  it('belongs to the user whom the app names, who then is known', async () => {
    const install = await ensure('I1')
    await associate(install, 'anna', now - 10, { level: 1 })
    expect(await show('I1')).to.include({ userIdentifier: 'anna' })
    expect(await user('anna')).to.deep.include({ anonymous: false, attributes: { level: 1 }, installCount: 1 })
    expect(await user('I1')).to.include({ anonymous: true, installCount: 0 })
  })

  it('that is associated without attributes leaves them alone, with attributes replaces them', async () => {
    const install = await ensure('I1')
    await associate(install, 'anna', now - 10, { a: 1, b: 2 })
    await associate(install, 'anna', now - 9)
    expect((await user('anna')).attributes).to.deep.equal({ a: 1, b: 2 })
    await associate(install, 'anna', now - 8, { c: 3 })
    expect((await user('anna')).attributes).to.deep.equal({ c: 3 })
  })

  it('that was offline keeps the attributes that a server has written since', async () => {
    const install = await ensure('I1')
    await test.program.inTransaction((tx) => tx.crm.putAttributes(appId, 'anna', { server: true }))
    await associate(install, 'anna', now - 3_600_000, { device: 'an hour ago' })
    expect(await show('I1')).to.include({ userIdentifier: 'anna' })
    expect((await user('anna')).attributes).to.deep.equal({ server: true })
    // Its clock may be a little behind ours.
    await associate(install, 'anna', now - 60_000, { device: 'now' })
    expect((await user('anna')).attributes).to.deep.equal({ device: 'now' })
  })

  it('is not given back to an earlier user by a late upload', async () => {
    const install = await ensure('I1')
    await associate(install, 'new', now - 10)
    await associate(install, 'old', now - 20, { late: true })
    expect(await show('I1')).to.include({ userIdentifier: 'new' })
    expect(await user('old')).to.deep.include({ anonymous: false, installCount: 0, attributes: { late: true } })
    await associate(install, 'old', now - 15, { again: true })
    expect((await user('old')).attributes).to.deep.equal({ late: true })
    await clear(install, now - 12)
    expect(await show('I1')).to.include({ userIdentifier: 'new' })
  })

  it('whose clock is ahead can still change its user afterwards', async () => {
    const install = await ensure('I1')
    await associate(install, 'anna', now + 3_600_000)
    test.clock.advance(1000)
    await associate(install, 'ben', now + 500)
    expect(await show('I1')).to.include({ userIdentifier: 'ben' })
  })

  it('follows the order of the batch when times are equal', async () => {
    const install = await ensure('I1')
    await associate(install, 'anna', now)
    await associate(install, 'ben', now)
    expect(await show('I1')).to.include({ userIdentifier: 'ben' })
  })

  it('goes back to its anonymous user when the association is cleared', async () => {
    const install = await ensure('I1')
    await associate(install, 'anna', now - 10)
    await clear(install, now - 5)
    expect(await show('I1')).to.include({ userIdentifier: 'I1' })
    expect(await user('I1')).to.include({ anonymous: true, installCount: 1 })
    expect(await user('anna')).to.include({ anonymous: false, installCount: 0 })
  })

  it('associated with its own id stays anonymous', async () => {
    const install = await ensure('I1')
    await associate(install, 'I1', now, { theme: 'dark' })
    expect(await user('I1')).to.deep.include({ anonymous: true, attributes: { theme: 'dark' }, installCount: 1 })
  })

  it('moves the last activity of its user forward only', async () => {
    const install = await ensure('I1', now - 1000)
    await associate(install, 'anna', now - 1000)
    await associate(install, 'anna', now + 1000)
    await test.program.inTransaction((tx) => tx.crm.touchUsers(appId, new Map([['anna', now - 500]])))
    expect(await user('anna')).to.include({ firstActive: now - 1000, lastActive: now })
  })

  it('keeps the newest details it told', async () => {
    const install = await ensure('I1')
    const track = (version: string, at: number) =>
      test.program.inTransaction((tx) =>
        tx.crm.trackInstall(
          appId,
          install,
          { app: { version }, os: { id: 1, version: '15.4' }, device: { tz: 'Europe/Rome' } },
          at,
        ),
      )
    await track('2', now - 10)
    await track('1', now - 20)
    expect(await show('I1')).to.include({ appVersion: '2', os: 'iOS', osVersion: '15.4', timezone: 'Europe/Rome' })
    await track('3', now - 10)
    expect(await show('I1')).to.include({ appVersion: '3' })
  })

  it('lets its user consent to in-app messages; the newest word counts', async () => {
    const install = await ensure('I1')
    const consent = (identifier: string, enabled: boolean, at: number) =>
      test.program.inTransaction((tx) => tx.crm.setInAppEnabled(appId, install, identifier, enabled, at))
    await consent('I1', true, now - 10)
    await consent('I1', false, now - 20)
    await consent('anna', true, now)
    expect(await user('I1')).to.include({ inAppEnabled: true, anonymous: true })
    expect(await user('anna')).to.include({ inAppEnabled: true, anonymous: false })
  })

  it('is listed in the order of creation, page by page', async () => {
    for (const id of ['c', 'a', 'b']) await ensure(id)
    const first = await test.program.crm.listInstalls(appId, 0, 2)
    expect(first.map((one) => one.installId)).to.deep.equal(['c', 'a'])
    const rest = await test.program.crm.listInstalls(appId, first.at(-1)!.row, 2)
    expect(rest.map((one) => one.installId)).to.deep.equal(['b'])
  })

  it('of another app is unknown', async () => {
    const install = await ensure('I1')
    const second = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Second' }))
    await test.program.inTransaction((tx) => tx.crm.associate(second.id, install, 'thief', { at: now }))
    await test.program.inTransaction((tx) => tx.crm.registerToken(second.id, install, { type: 2, token: 't' }, now))
    expect(await show('I1')).to.include({ userIdentifier: 'I1', subscribed: false })
    expect(await usersPage(test.program, second.id, 1, 10)).to.deep.equal({ users: [], total: 0 })
    expect(
      await test.program.crm.showInstall(second.id, 'I1').catch((error: unknown) => isAppError(error) && error.code),
    ).to.equal('not_found')
  })
})
