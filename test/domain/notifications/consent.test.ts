import { expect } from 'chai'
import type { Outcome } from '../../../src/domain/gateways/gateway.ts'
import { STATUS } from '../../../src/domain/notifications/types.ts'
import { isAppError } from '../../../src/platform/errors.ts'
import { broadcast, deliverDue, fanOut, scriptedSender, withAndroids } from '../../support/delivery.ts'
import { onEachDatabase, type TestProgram } from '../../support/program.ts'
import { sharedDatabase } from '../../support/shared-database.ts'

const ACCEPTED: Outcome = { kind: 'accepted' }

onEachDatabase('delivering with consent', (kind) => {
  let test: TestProgram

  const openShared = sharedDatabase(kind)
  beforeEach(async () => {
    test = await openShared({ settings: { 'delivery.pageSize': '20' } })
    await withAndroids(test, 6)
  })
  afterEach(() => test.close())

  const report = (id: number) => test.program.notifications.report(test.first.id, id)
  const purpose = (uid: string, more: { default?: boolean; required?: boolean } = {}) =>
    test.program.inTransaction((tx) =>
      tx.purposes.put(test.first.id, uid, { name: uid, description: null, default: true, required: false, ...more }),
    )
  const choose = (i: number, changes: Record<string, boolean | null>) =>
    test.program.inTransaction((tx) => tx.purposes.choose(test.first.id, `install-${i}`, changes, 'device'))
  const suppress = (...is: number[]) =>
    test.program.inTransaction((tx) =>
      tx.suppressions.putAll(
        test.first.id,
        is.map((i) => `install-${i}`),
        null,
      ),
    )
  async function deliver(): Promise<string[]> {
    const { sender, sent } = scriptedSender(() => ACCEPTED)
    await deliverDue(test, sender, { chunk: 4 })
    return sent.sort()
  }

  it('leaves out who refused the purpose, counts them, and sends to all without one', async () => {
    await purpose('news')
    await choose(1, { news: false })
    await choose(2, { news: true })
    const id = await broadcast(test, { purpose: 'news' })
    expect(await deliver()).to.deep.equal([0, 2, 3, 4, 5].map((i) => `token-${i}`))
    const { counts, skips, notification } = await report(id)
    expect(counts).to.include({ audience: 6, accepted: 5, skipped: 1, pending: 0, failed: 0 })
    expect(skips).to.deep.equal([{ reason: 'not_wanted', count: 1 }])
    expect(notification.purpose).to.equal('news')
    await broadcast(test)
    expect(await deliver()).to.have.lengthOf(6)
  })

  it('asks for a choice where the default is to refuse, and for none where the purpose is required', async () => {
    await purpose('offers', { default: false })
    await choose(3, { offers: true })
    await broadcast(test, { purpose: 'offers' })
    expect(await deliver()).to.deep.equal(['token-3'])
    await purpose('offers', { required: true })
    await broadcast(test, { purpose: 'offers' })
    expect(await deliver()).to.have.lengthOf(6)
  })

  it('asks whoever has the install now, and asks when it sends: a refusal after the fan-out counts', async () => {
    await purpose('news')
    const id = await broadcast(test, { purpose: 'news' })
    await choose(0, { news: false })
    await test.program.inTransaction(async (tx) => {
      const { row } = await tx.crm.showInstall(test.first.id, 'install-1')
      await tx.purposes.choose(test.first.id, 'anna', { news: false }, 'server')
      const install = { row, installId: 'install-1' }
      await tx.crm.associate(test.first.id, install, 'anna', { at: test.clock.now() })
    })
    expect(await deliver()).to.deep.equal([2, 3, 4, 5].map((i) => `token-${i}`))
    expect((await report(id)).skips).to.deep.equal([{ reason: 'not_wanted', count: 2 }])
  })

  it('asks again before it tries again, and then not for quiet hours', async () => {
    await purpose('news')
    const id = await broadcast(test, { purpose: 'news' })
    await deliverDue(test, scriptedSender(() => ({ kind: 'gateway_down', reason: '503' })).sender, { chunk: 10 })
    await choose(4, { news: false })
    await test.program.inTransaction((tx) => tx.apps.restrain(test.first.id, { quiet: { from: 0, to: 1439 } }))
    test.clock.advance(15 * 60_000)
    expect(await deliver()).to.deep.equal([0, 1, 2, 3, 5].map((i) => `token-${i}`))
    expect((await report(id)).counts).to.include({ audience: 6, accepted: 5, skipped: 1, pending: 0 })
  })

  it('sends nothing at all to who is on the suppression list, whatever they allow', async () => {
    await purpose('news')
    await suppress(0, 5)
    await choose(0, { news: true })
    await choose(1, { news: false })
    const named = await broadcast(test, { purpose: 'news' })
    expect(await deliver()).to.deep.equal([2, 3, 4].map((i) => `token-${i}`))
    expect((await report(named)).skips).to.deep.equal([
      { reason: 'on_suppression_list', count: 2 },
      { reason: 'not_wanted', count: 1 },
    ])
    const code = await broadcast(test, { priority: 'transactional' })
    expect(await deliver()).to.deep.equal([1, 2, 3, 4].map((i) => `token-${i}`))
    expect((await report(code)).counts).to.include({ audience: 6, accepted: 4, skipped: 2, pending: 0 })
    await test.program.inTransaction((tx) => tx.suppressions.remove(test.first.id, 'install-5'))
    await broadcast(test)
    expect(await deliver()).to.have.lengthOf(5)
  })

  it('keeps the list when the user goes, and a user of the same name gets nothing again', async () => {
    await suppress(0)
    const { db } = test.program.kernel
    await db.write(async (trx) => {
      await trx('installs').where({ install_id: 'install-0' }).delete()
      await trx('users').where({ identifier: 'install-0' }).delete()
    })
    expect(JSON.stringify(await db.read('suppressions'))).not.to.include('install-0')
    await withAndroids(test, 1)
    await broadcast(test)
    expect(await deliver()).not.to.include('token-0')
  })

  it('lets a transactional one through quiet hours, cap and purposes, and does not count it for the cap', async () => {
    await purpose('news')
    await choose(1, { news: false })
    await test.program.inTransaction((tx) =>
      tx.apps.restrain(test.first.id, { quiet: { from: 0, to: 1439 }, cap: { count: 1, hours: 24 } }),
    )
    const id = await broadcast(test, { priority: 'transactional', purpose: 'news' })
    expect(await deliver()).to.have.lengthOf(6)
    expect((await report(id)).notification).to.include({ transactional: true, purpose: 'news' })
    await broadcast(test, { priority: 'transactional' })
    expect(await deliver()).to.have.lengthOf(6)
    await test.program.inTransaction((tx) => tx.apps.restrain(test.first.id, { quiet: null }))
    await broadcast(test, { priority: 'normal' })
    expect(await deliver()).to.have.lengthOf(6)
    await broadcast(test)
    expect(await deliver()).to.have.lengthOf(0)
  })

  it('sends to nobody when the purpose is gone, which cannot happen while something waits under it', async () => {
    await purpose('news')
    const id = await broadcast(test, { purpose: 'news' })
    const remove = () => test.program.inTransaction((tx) => tx.purposes.delete(test.first.id, 'news'))
    const refusal = await remove().catch((error: unknown) => error)
    expect(isAppError(refusal) && [refusal.code, refusal.message]).to.deep.equal([
      'conflict',
      `purpose "news" is named by notification ${id}, which is not sent yet`,
    ])
    await test.program.kernel.db.write((trx) => trx('purposes').delete())
    expect(await deliver()).to.deep.equal([])
    expect((await report(id)).counts).to.include({ skipped: 6, pending: 0 })
    expect((await report(id)).notification.status).to.equal(STATUS.failed)
  })

  it('refuses a purpose that there is not, and stores nothing', async () => {
    const refusal = await broadcast(test, { purpose: 'nwes' }).catch((error: unknown) => error)
    expect(isAppError(refusal) && refusal.details.fields).to.deep.equal({ purpose: ['there is no purpose "nwes"'] })
    expect(await test.program.kernel.db.read('notifications')).to.have.lengthOf(0)
    await fanOut(test)
  })

  it('asks in as many statements for a thousand recipients as for ten, and in none without purpose and list', async () => {
    await purpose('news')
    const asked: string[] = []
    const rules = await test.program.refusals.rulesOf(test.first.id, { purpose: null, transactional: false })
    expect(rules).to.equal(undefined)
    await suppress(5)
    const { read } = test.program.kernel.db
    const listen = ({ sql }: { sql: string }) => void asked.push(sql)
    const both = await test.program.refusals.rulesOf(test.first.id, { purpose: 'news', transactional: false })
    const counts: number[] = []
    for (const many of [10, 1000]) {
      asked.length = 0
      read.on('query', listen)
      const refused = await test.program.refusals.installs(
        test.first.id,
        both!,
        Array.from({ length: many }, (_, i) => i + 1),
      )
      read.removeListener('query', listen)
      expect([...refused.values()]).to.deep.equal(['on_suppression_list'])
      counts.push(asked.length)
    }
    expect(counts).to.deep.equal([3, 3])
  })
})
