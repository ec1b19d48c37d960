import { expect } from 'chai'
import type { Areas } from '../../src/program.ts'
import { hear } from '../support/hear.ts'
import { newLink } from '../support/links.ts'
import { openTestProgram, type TestProgram } from '../support/program.ts'

/** Two transactions that change the same rows wait for each other in turn, and end in a deadlock unless both take them in one order. */
describe('rows that several transactions may change', () => {
  let test: TestProgram
  let secondId: number
  before(async () => {
    test = await openTestProgram()
    secondId = (await test.program.inTransaction((tx) => tx.apps.create({ name: 'Second' }))).id
  })
  after(() => test.close())

  /** Records what a call binds to the statements that begin so, in their order. */
  async function bound(statement: RegExp, call: (tx: Areas) => Promise<unknown>): Promise<(readonly unknown[])[]> {
    const found: (readonly unknown[])[] = []
    const end = hear(test.program.kernel.db, ({ sql, bindings }) => void (statement.test(sql) && found.push(bindings)))
    try {
      await test.program.inTransaction(call)
    } finally {
      end()
    }
    return found
  }

  it('are taken by app and by link when clicks are counted, in totals and in days', async () => {
    const { first } = test
    const [one, two] = await test.program.inTransaction((tx) => tx.links.create(first.id, [newLink({}), newLink({})]))
    const [theirs] = await test.program.inTransaction((tx) => tx.links.create(secondId, [newLink({})]))
    const click = (appId: number, linkId: number) => ({
      appId,
      linkId,
      at: 1,
      data: { platform: 'ios', route: 'jump' },
    })
    const clicks = [click(secondId, theirs!.id), click(first.id, two!.id), click(first.id, one!.id)]
    const counted = await bound(/^UPDATE deep_link_counts/i, (tx) => tx.links.recordClicks(clicks))
    expect(counted.map(([, link, app]) => [app, link])).to.deep.equal([
      [first.id, one!.id],
      [first.id, two!.id],
      [secondId, theirs!.id],
    ])
    const days = await bound(/^INSERT INTO link_days/i, (tx) => tx.links.recordClicks(clicks.slice(1)))
    expect(days.map(([, link]) => link)).to.deep.equal([0, one!.id, two!.id])
  })

  it('are taken by digest when identifiers are put on the suppression list, each once', async () => {
    const names = Array.from({ length: 9 }, (_, i) => `user ${i}`)
    const [[list]] = (
      await bound(/^INSERT INTO suppressions/i, (tx) =>
        tx.suppressions.putAll(test.first.id, [...names, ...names.toReversed()], null),
      )
    ).map((bindings) => [JSON.parse(String(bindings.at(-1))) as [string][]]) as [[[string][]]]
    const digests = list.map(([digest]) => digest)
    expect(digests).to.have.length(9)
    expect(digests).to.deep.equal(digests.toSorted())
  })

  it('are taken by id when installs and their users are made', async () => {
    const list = ['c', 'a', 'b'].map((installId) => ({ installId, at: 5, since: 5 }))
    const ensure = (tx: Areas) => tx.crm.ensureInstalls(test.first.id, list)
    const made = await bound(/^INSERT INTO (?:users|installs) /i, ensure)
    expect(made.map(([, name]) => name)).to.deep.equal(['a', 'b', 'c', 'a', 'b', 'c'])
  })

  it('are taken by id when a user chooses for several purposes', async () => {
    const purpose = { description: null, default: true, required: false }
    for (const uid of ['b', 'a'])
      await test.program.inTransaction((tx) => tx.purposes.put(test.first.id, uid, { name: uid, ...purpose }))
    const ids = await test.program.kernel.db.read('purposes').orderBy('id').pluck('id')
    for (const changes of [
      { a: false, b: false },
      { b: true, a: true },
    ]) {
      const chosen = await bound(/^insert into .user_purposes/i, (tx) =>
        tx.purposes.choose(test.first.id, 'anna', changes, 'server'),
      )
      // Columns in the order of their names: allowed, app_id, at, purpose_id.
      expect(chosen.map((bindings) => bindings[3])).to.deep.equal(ids)
    }
  })
})
