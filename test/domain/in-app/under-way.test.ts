import { expect } from 'chai'
import { STATUS } from '../../../src/domain/in-app/types.ts'
import { onSqliteDaily, openTestProgram, type TestProgram } from '../../support/program.ts'
import { addMessage } from '../../support/user-messages.ts'

onSqliteDaily('in-app messages that are under way', (kind) => {
  let test: TestProgram
  before(async () => {
    test = await openTestProgram({ kind })
  })
  after(() => test.close())

  /** Messages in this state, the next of them due one minute earlier; their ids. */
  async function add(count: number, status: keyof typeof STATUS, appId = test.first.id): Promise<number[]> {
    const ids: number[] = []
    for (let i = 0; i < count; i++) {
      const nextAt = status === 'sent' ? null : test.clock.now() - i * 60_000
      const id = await addMessage(test.program, appId, { nextAt })
      await test.program.kernel.db.write((trx) =>
        trx('in_app_messages').where({ id }).update({ status: STATUS[status] }),
      )
      ids.push(id)
    }
    return ids
  }

  it('are ten of each kind: what is given and what is next by when it is due, what has ended newest first', async () => {
    const other = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))
    const [ended, scheduled, running] = [await add(12, 'sent'), await add(11, 'scheduled'), await add(11, 'sending')]
    for (const status of ['sent', 'scheduled', 'sending'] as const) await add(1, status, other.id)
    const shown = await test.program.inApp.underWay(test.first.id)
    const idsOf = (list: readonly { id: number }[]) => list.map(({ id }) => id)
    expect(idsOf(shown.ended)).to.deep.equal(ended.slice(-10).toReversed())
    expect(idsOf(shown.scheduled)).to.deep.equal(scheduled.slice(-10).toReversed())
    expect(idsOf(shown.running)).to.deep.equal(running.slice(-10).toReversed())
  })
})
