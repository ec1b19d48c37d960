import { expect } from 'chai'
import { openTestApp, type TestApp } from './support/app.ts'

describe('the areas', () => {
  let test: TestApp
  beforeEach(async () => {
    test = await openTestApp()
  })
  afterEach(() => test.close())

  it('are built once for a database handle, and anew for each transaction', async () => {
    const { app } = test
    expect(app.crm).to.equal(app.crm)
    const [one, other] = [
      await app.inTransaction(async ({ crm }) => ({ crm })),
      await app.inTransaction(async ({ crm }) => ({ crm })),
    ]
    expect(one.crm).not.to.equal(other.crm)
    expect(one.crm).not.to.equal(app.crm)
    await app.inTransaction(async (tx) => expect(tx.crm).to.equal(tx.crm))
  })

  it('tell of changed link settings after the commit, and never when it is rolled back', async () => {
    const { app, first } = test
    const told: string[] = []
    app.kernel.linkSettingsChanged.add(() => told.push('changed'))
    await app.inTransaction(async (tx) => {
      await tx.links.configure(first.id, { fingerprintWindow: 60 })
      expect(told).to.deep.equal([])
    })
    expect(told).to.deep.equal(['changed'])
    const failed = app.inTransaction(async (tx) => {
      await tx.links.configure(first.id, { fingerprintWindow: 120 })
      throw new Error('rolled back')
    })
    expect(await failed.catch((error: Error) => error.message)).to.equal('rolled back')
    expect(told).to.deep.equal(['changed'])
  })
})
