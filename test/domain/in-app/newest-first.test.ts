import { expect } from 'chai'
import { hear, touchesRows } from '../../support/hear.ts'
import { onEachDatabase, openTestProgram, type TestProgram } from '../../support/program.ts'
import { addMessage } from '../../support/user-messages.ts'

onEachDatabase('the list of in-app messages', (kind) => {
  let test: TestProgram
  before(async () => {
    test = await openTestProgram({ kind })
  })
  after(() => test.close())

  const list = (after?: number, appId = test.first.id) => test.program.inApp.list(appId, { limit: 2, after })
  const refusalOf = async (after: number, appId?: number) =>
    list(after, appId).then(
      () => undefined,
      (error) => error.details?.fields,
    )

  it('goes on behind the place of the last message, with one statement more only at its end', async () => {
    const { program, clock, first } = test
    const at: Record<number, number> = {}
    // The clock of another server is behind: the third message is the oldest. Two have one time.
    for (const ms of [1000, 3000, 500, 1000, 2000]) {
      const id = await addMessage(program, first.id, {})
      at[id] = clock.now() + ms
      await program.kernel.db.write((trx) => trx('in_app_messages').where({ id }).update({ created_at: at[id]! }))
    }
    const ids = Object.keys(at).map(Number)
    const wanted = ids.toSorted((a, b) => at[b]! - at[a]! || b - a)
    // The first list of a program asks for more.
    await list()
    const got: number[] = []
    const counts: number[] = []
    let next: number | null | undefined
    while (next !== null) {
      let statements = 0
      const end = hear(program.kernel.db, (heard) => {
        if (touchesRows(heard)) statements++
      })
      const page = await list(next)
      end()
      got.push(...page.messages.map(({ id }) => id))
      counts.push(statements)
      next = page.next
      // One that comes meanwhile is in front of all of them.
      await addMessage(program, first.id, { createdAt: clock.now() + 9000 })
    }
    expect(got).to.deep.equal(wanted)
    expect(counts).to.deep.equal([2, 2, 2])
    expect(await list(wanted.at(-1))).to.deep.equal({ messages: [], next: null })
  })

  it('does not go on behind a message that is gone, or of another app', async () => {
    const other = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))
    const theirs = await addMessage(test.program, other.id, {})
    await addMessage(test.program, other.id, {})
    const gone = { after: [`in-app message ${theirs} is not there any more: begin the list again without after`] }
    expect(await refusalOf(theirs)).to.deep.equal(gone)
    expect((await refusalOf(2 ** 40))!.after).to.have.length(1)
    expect(await refusalOf(theirs, other.id)).to.equal(undefined)
  })
})
