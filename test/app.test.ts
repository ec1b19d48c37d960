import { expect } from 'chai'
import { openTestApp, type TestApp } from './support/app.ts'

describe('the areas', () => {
  let test: TestApp
  beforeEach(async () => {
    // However slow the machine is, writes that arrive together share a transaction.
    test = await openTestApp({ boardingMs: 600_000 })
  })
  afterEach(() => test.close())

  it('are built once for a database handle, which nobody can use between transactions', async () => {
    const { app } = test
    expect(app.crm).to.equal(app.crm)
    // docs/decisions/measurements.md: one handle for all transactions.
    const [one, other] = [
      await app.inTransaction(async ({ crm }) => ({ crm })),
      await app.inTransaction(async ({ crm }) => ({ crm })),
    ]
    expect(one.crm === other.crm, 'the writer keeps its handle').to.equal(true)
    expect(one.crm === app.crm, 'the reader has another one').to.equal(false)
    await app.inTransaction(async (tx) => expect(tx.crm).to.equal(tx.crm))
    const late = await one.crm.putAttributes(1, 'anna', {}).catch((error: Error) => error.message)
    expect(late).to.include('the transaction has ended')
  })

  it('tell of changed link settings after the commit, and never when it is rolled back', async () => {
    const { app, first } = test
    const { changes } = app.kernel
    const before = changes.count('linkSettings')
    await app.inTransaction(async (tx) => {
      await tx.links.configure(first.id, { fingerprintWindow: 60 })
      expect(changes.count('linkSettings')).to.equal(before)
    })
    expect(changes.count('linkSettings')).to.equal(before + 1)
    const failed = app.inTransaction(async (tx) => {
      await tx.links.configure(first.id, { fingerprintWindow: 120 })
      throw new Error('rolled back')
    })
    expect(await failed.catch((error: Error) => error.message)).to.equal('rolled back')
    expect(changes.count('linkSettings')).to.equal(before + 1)
  })

  it('are shared by writes that share a transaction, and tell only of those that were not rolled back', async () => {
    const { app, first } = test
    const { changes } = app.kernel
    const before = changes.count('linkSettings')
    const areas = new Set<object>()
    const write = (fingerprintWindow: number, fails: boolean) =>
      app.inTransaction(async (tx) => {
        areas.add(tx)
        await tx.links.configure(first.id, { fingerprintWindow })
        if (fails) throw new Error('rolled back')
      })
    // The first one of a transaction takes all of it with it when it fails.
    const settled = await Promise.allSettled([write(60, false), write(61, true), write(62, false)])
    expect(settled.map(({ status }) => status)).to.eql(['fulfilled', 'rejected', 'fulfilled'])
    expect(areas.size).to.equal(1)
    expect(changes.count('linkSettings')).to.equal(before + 2)
    expect((await app.links.site(first.id)).settings.fingerprintWindow).to.equal(62)
  })
})
