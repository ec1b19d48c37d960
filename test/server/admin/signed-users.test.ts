import { expect } from 'chai'
import { openTestServer, type TestServer } from '../../support/http.ts'
import { addPerson } from '../../support/people.ts'
import { onEachDatabase } from '../../support/program.ts'
import { raceAgainst } from '../../support/race.ts'

onEachDatabase('a change of how devices name users', (kind) => {
  let test: TestServer
  before(async () => {
    test = await openTestServer({ kind })
  })
  after(() => test.close())

  it('notes the mode that it replaced, also when another change was under way', async () => {
    const { token } = await addPerson(test.program)
    const appId = test.first.id
    const { two, hadToWait } = await raceAgainst(
      test.program,
      async ({ signedIds }, meet) => {
        const before = await signedIds.lockMode(appId)
        await signedIds.setMode(appId, 'optional')
        await meet()
        return before
      },
      () =>
        test.call('PUT', `/admin/v1/apps/${appId}/signed-users`, {
          auth: `Bearer ${token}`,
          body: { mode: 'require' },
        }),
    )
    expect(two).to.have.nested.property('value.status', 200)
    expect(hadToWait).to.equal(true)
    const { entries } = await test.program.audit.list({ action: 'signed-users.update', limit: 10 })
    expect(entries.map(({ before, after }) => ({ before, after }))).to.deep.equal([
      { before: { mode: 'optional' }, after: { mode: 'require' } },
    ])
  })

  it('is noted with what it replaced by each of four people who make one at once', async () => {
    const { token } = await addPerson(test.program)
    const { id } = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))
    const set = (mode: string) =>
      test.call('PUT', `/admin/v1/apps/${id}/signed-users`, { auth: `Bearer ${token}`, body: { mode } })
    await Promise.all(['optional', 'require', 'off', 'require'].map(set))
    const { entries } = await test.program.audit.list({ appId: id, action: 'signed-users.update', limit: 10 })
    const modes = (which: 'before' | 'after') => entries.map((entry) => (entry[which] as { mode: string }).mode)
    const { mode: last } = await test.program.signedIds.report(id)
    // Whatever their order: each mode that was set was replaced by one of them, but for the last, and so was the first.
    expect([...modes('before'), last].toSorted()).to.deep.equal(['off', ...modes('after')].toSorted())
    expect(entries).to.have.length(4)
  })
})
