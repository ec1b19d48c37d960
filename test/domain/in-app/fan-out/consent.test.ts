import { expect } from 'chai'
import { STATUS } from '../../../../src/domain/in-app/types.ts'
import { presentInAppReport } from '../../../../src/present/api/in-app.ts'
import { deliverDue, scriptedSender, withAndroids } from '../../../support/delivery.ts'
import { accept, addTemplates, addUser, handOut, holders } from '../../../support/in-app.ts'
import { onEachDatabase, type TestProgram } from '../../../support/program.ts'
import { sharedDatabase } from '../../../support/shared-database.ts'

onEachDatabase('the fan-out of an in-app message with consent', (kind) => {
  let test: TestProgram

  const openShared = sharedDatabase(kind)
  beforeEach(async () => {
    test = await openShared()
    await addTemplates(test)
    const { program, first } = test
    const news = { name: 'News', description: null, default: true, required: false }
    await program.inTransaction((tx) => tx.purposes.put(first.id, 'news', news))
  })
  afterEach(() => test.close())

  const refuse = (name: string, news: boolean | null = false) =>
    test.program.inTransaction((tx) => tx.purposes.choose(test.first.id, name, { news }, 'device'))
  const suppress = (name: string) => test.program.inTransaction((tx) => tx.suppressions.put(test.first.id, name, null))
  async function send(extra: object): Promise<number> {
    const { message } = await accept(test, extra)
    await handOut(test)
    return message!.id
  }
  const countsOf = async (id: number) => presentInAppReport(await test.program.inApp.report(test.first.id, id)).counts

  it('gives nothing to who refused the purpose or is on the suppression list, and counts both', async () => {
    for (const name of ['ann', 'bob', 'cat', 'dan']) await addUser(test, name)
    await refuse('ann')
    await refuse('bob')
    await suppress('bob')
    const id = await send({ purpose: 'news' })
    expect(await holders(test, id)).to.deep.equal(['cat', 'dan'])
    expect(await countsOf(id)).to.deep.include({
      recipients: 2,
      skipped: 2,
      skips: [
        { reason: 'not_wanted', count: 1 },
        { reason: 'on_suppression_list', count: 1 },
      ],
    })
    const plain = await send({})
    expect(await holders(test, plain)).to.deep.equal(['ann', 'cat', 'dan'])
    const code = await send({ purpose: 'news', priority: 'transactional' })
    expect(await holders(test, code)).to.deep.equal(['ann', 'cat', 'dan'])
    expect(await countsOf(code)).to.include({ recipients: 3, skipped: 1 })
  })

  it('shows no reasons when there are none, and says so when nobody wants it', async () => {
    await addUser(test, 'ann')
    expect(await countsOf(await send({ purpose: 'news' }))).to.not.have.property('skips')
    await refuse('ann')
    const id = await send({ purpose: 'news' })
    expect(await test.program.inApp.get(test.first.id, id)).to.include({
      status: STATUS.failed,
      statusReason: 'nobody who is meant wants it or may get it',
    })
  })

  it('counts a user once whom several named installs lead to, however far apart', async () => {
    await addUser(test, 'ann')
    await refuse('ann')
    const { program, first, clock } = test
    const { row } = await program.inTransaction((tx) => tx.crm.ensureInstall(first.id, 'ann-tablet', clock.now()))
    const tablet = { row, installId: 'ann-tablet' }
    await program.inTransaction((tx) => tx.crm.associate(first.id, tablet, 'ann', { at: clock.now() }))
    const { message } = await accept(test, { purpose: 'news', target: { installIds: ['ann-phone', 'ann-tablet'] } })
    // As far apart as if two thousand others were named between them.
    const phone = (await program.inAppRecipients.namedInstalls(first.id, ['ann-phone']))[0]!.id
    const between = Array.from({ length: 2000 }, (_, i) => 1_000_000 + i)
    const target = JSON.stringify({ kind: 'named', users: [], installs: [phone, ...between, row], exclude: [] })
    await program.kernel.db.write((trx) => trx('in_app_messages').where({ id: message!.id }).update({ target }))
    await handOut(test)
    expect(await countsOf(message!.id)).to.include({ recipients: 0, skipped: 1 })
  })

  it('asks when the time has come, and once more in the last walk, which counts', async () => {
    await addUser(test, 'ann', { timezone: 'Asia/Tokyo' })
    await addUser(test, 'bob', { timezone: 'Asia/Tokyo' })
    await addUser(test, 'cat', { timezone: 'America/New_York' })
    for (const name of ['ann', 'bob', 'cat']) await refuse(name)
    const { message } = await accept(test, {
      purpose: 'news',
      schedule: { sendAt: '2026-03-02 09:00', strategy: 'local', pastTimes: 'ignore' },
    })
    test.clock.set(Date.parse('2026-03-02T00:00:00Z'))
    await handOut(test)
    expect(await countsOf(message!.id)).to.include({ recipients: 0, skipped: 0 })
    await refuse('bob', true)
    test.clock.set(Date.parse('2026-03-02T14:00:00Z'))
    await handOut(test)
    expect(await holders(test, message!.id)).to.deep.equal(['bob'])
    expect(await countsOf(message!.id)).to.include({ recipients: 1, skipped: 2 })
  })

  it('hands purpose and priority on to its push, which asks for itself when it is sent', async () => {
    await withAndroids(test, 2)
    const { program, first, clock } = test
    for (const i of [0, 1]) {
      const name = `install-${i}`
      const { row } = await program.crm.showInstall(first.id, name)
      await program.inTransaction((tx) =>
        tx.crm.setInAppEnabled(first.id, { row, installId: name }, name, true, clock.now()),
      )
    }
    const id = await send({ purpose: 'news', notification: { title: 'T', message: 'M' } })
    await refuse('install-1')
    const { sender, sent } = scriptedSender(() => ({ kind: 'accepted' }))
    await deliverDue(test, sender)
    expect(sent).to.deep.equal(['token-0'])
    const { push } = await program.inApp.report(first.id, id)
    expect(push!.counts).to.include({ audience: 2, accepted: 1, skipped: 1, pending: 0 })
  })
})
