import { expect } from 'chai'
import { sharedWrites } from '../../src/cli/notify/shared-writes.ts'
import { invalid, isAppError } from '../../src/platform/errors.ts'
import type { Areas, Program } from '../../src/program.ts'
import { onEachDatabase, type TestProgram } from '../support/program.ts'
import { sharedDatabase } from '../support/shared-database.ts'

onEachDatabase('many values in one transaction', (kind) => {
  const open = sharedDatabase(kind)
  let test: TestProgram
  beforeEach(async () => {
    test = await open()
  })
  afterEach(() => test.close())

  /** A program that counts its transactions. Its clock stands still, so that a transaction takes aboard whatever waits. */
  function counting() {
    const { program } = test
    let begun = 0
    const inTransaction: Program['inTransaction'] = (work, options) => {
      begun++
      return program.inTransaction(work, options)
    }
    const kernel = { ...program.kernel, clock: { ...program.kernel.clock, monotonic: () => 0 } }
    return { parts: { inTransaction, kernel }, begun: () => begun }
  }

  async function create(tx: Areas, name: string): Promise<string> {
    await tx.apps.create({ name })
    if (name.startsWith('bad')) throw invalid({ name: ['is bad'] })
    return name
  }
  const stored = async () => (await test.program.kernel.db.read('apps').pluck('name')) as string[]

  it('one begins it, and those that arrive meanwhile come aboard', async () => {
    const { parts, begun } = counting()
    const take = sharedWrites(parts, { isServed: false, accept: create })
    const names = Array.from({ length: 40 }, (_, i) => `good ${i}`)
    expect(await Promise.all(names.map(take))).to.deep.equal(names)
    // On PostgreSQL four are under way at a time.
    expect(begun()).to.be.at.most(4)
    expect(await stored()).to.include.members(names)
  })

  it('one that is refused behind its first statement undoes itself and no other', async () => {
    const { parts } = counting()
    const take = sharedWrites(parts, { isServed: true, accept: create })
    const names = Array.from({ length: 20 }, (_, i) => `${i % 6 === 4 ? 'bad' : 'fine'} ${i}`)
    const results = await Promise.all(
      names.map((name) =>
        take(name).catch((error: unknown) => {
          if (isAppError(error)) return error.details.fields
          throw error
        }),
      ),
    )
    const expected = names.map((name) => (name.startsWith('bad') ? { name: ['is bad'] } : name))
    expect(results).to.deep.equal(expected)
    const kept = await stored()
    expect(kept).to.include.members(names.filter((name) => name.startsWith('fine')))
    expect(kept.filter((name) => name.startsWith('bad'))).to.deep.equal([])
  })
})
