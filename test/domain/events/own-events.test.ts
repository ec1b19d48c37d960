import { expect } from 'chai'
import { addInstall } from '../../support/installs.ts'
import { onEachDatabase, type TestProgram } from '../../support/program.ts'
import { sharedDatabase } from '../../support/shared-database.ts'

onEachDatabase('the event log shows what the server itself does', (kind) => {
  let test: TestProgram
  let appId: number
  const openShared = sharedDatabase(kind)
  beforeEach(async () => {
    test = await openShared()
    appId = test.first.id
  })
  afterEach(() => test.close())

  const log = async () => (await test.program.eventLog.read({ appId, limit: 100 })).events
  const created = async () =>
    (await log()).filter(({ type }) => type === 'user.created').map(({ userIdentifier }) => userIdentifier)

  it('a user whom a server or a device makes known, once, and no anonymous one', async () => {
    const { program, clock } = test
    await addInstall(program, appId, 'phone')
    await program.inTransaction(async ({ crm, serverEvents }) => {
      await crm.putAttributes(appId, 'by put', {})
      await crm.putAttributes(appId, 'by put', { a: 1 })
      await crm.patchAttributes(appId, 'by patch', {})
      await serverEvents.take(appId, [{ userId: 'by event', type: 'a', uuid: '1', timestamp: 1 }])
      const install = await crm.ensureInstall(appId, 'phone', clock.now())
      await crm.associate(appId, install, 'by device', { at: clock.now() })
      await crm.associate(appId, install, 'by device', { at: clock.now() })
    })
    expect(await created()).to.deep.equal(['by put', 'by patch', 'by event', 'by device'])
  })

  it('nothing of a user when the transaction is rolled back', async () => {
    const failed = test.program.inTransaction(async ({ crm }) => {
      await crm.putAttributes(appId, 'nobody', {})
      throw new Error('rolled back')
    })
    await failed.catch(() => {})
    expect(await log()).to.deep.equal([])
  })

  it('an install whose token a gateway reports as dead, and not one that has another token by now', async () => {
    const { program } = test
    const row = await addInstall(program, appId, 'phone', { user: 'anna' })
    await program.inTransaction(async ({ crm }) => {
      await crm.retireToken(appId, row, 'another token', 'Unregistered')
      await crm.retireToken(appId, row, 'token-phone', 'Unregistered')
    })
    const found = (await log()).filter(({ type }) => type === 'install.unreachable')
    expect(found).to.have.length(1)
    expect(found[0]).to.deep.include({ installId: 'phone', userIdentifier: 'anna', data: { reason: 'Unregistered' } })
  })
})
