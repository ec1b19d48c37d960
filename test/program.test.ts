import { expect } from 'chai'
import { openTestProgram, type TestProgram } from './support/program.ts'

describe('the areas', () => {
  let test: TestProgram
  beforeEach(async () => {
    // However slow the machine is, writes that arrive together share a transaction.
    test = await openTestProgram({ boardingMs: 600_000 })
  })
  afterEach(() => test.close())

  it('are built once for a database handle, which nobody can use between transactions', async () => {
    const { program } = test
    expect(program.crm).to.equal(program.crm)
    // docs/decisions/measurements.md: one handle for all transactions.
    const [one, other] = [
      await program.inTransaction(async ({ crm }) => ({ crm })),
      await program.inTransaction(async ({ crm }) => ({ crm })),
    ]
    expect(one.crm === other.crm, 'the writer keeps its handle').to.equal(true)
    expect(one.crm === program.crm, 'the reader has another one').to.equal(false)
    await program.inTransaction(async (tx) => expect(tx.crm).to.equal(tx.crm))
    const late = await one.crm.putAttributes(1, 'anna', {}).catch((error: Error) => error.message)
    expect(late).to.include('the transaction has ended')
  })

  it('tell of changed link settings after the commit, and never when it is rolled back', async () => {
    const { program, first } = test
    const { changes } = program.kernel
    const before = changes.count('linkSettings')
    await program.inTransaction(async (tx) => {
      await tx.links.configure(first.id, { fingerprintWindow: 60 })
      expect(changes.count('linkSettings')).to.equal(before)
    })
    expect(changes.count('linkSettings')).to.equal(before + 1)
    const failed = program.inTransaction(async (tx) => {
      await tx.links.configure(first.id, { fingerprintWindow: 120 })
      throw new Error('rolled back')
    })
    expect(await failed.catch((error: Error) => error.message)).to.equal('rolled back')
    expect(changes.count('linkSettings')).to.equal(before + 1)
  })

  it('are shared by writes that share a transaction, and tell only of those that were not rolled back', async () => {
    const { program, first } = test
    const { changes } = program.kernel
    const before = changes.count('linkSettings')
    const areas = new Set<object>()
    const write = (fingerprintWindow: number, fails: boolean) =>
      program.inTransaction(async (tx) => {
        areas.add(tx)
        await tx.links.configure(first.id, { fingerprintWindow })
        if (fails) throw new Error('rolled back')
      })
    // The first one of a transaction takes all of it with it when it fails.
    const settled = await Promise.allSettled([write(60, false), write(61, true), write(62, false)])
    expect(settled.map(({ status }) => status)).to.eql(['fulfilled', 'rejected', 'fulfilled'])
    expect(areas.size).to.equal(1)
    expect(changes.count('linkSettings')).to.equal(before + 2)
    expect((await program.links.site(first.id)).settings.fingerprintWindow).to.equal(62)
  })
})
