import { expect } from 'chai'
import { runErasures } from '../../src/domain/erasures/run.ts'
import { erasing } from '../support/erasures.ts'
import { basic, openTestServer, type TestServer } from '../support/http.ts'
import { addInstall } from '../support/installs.ts'
import { onSqliteDaily } from '../support/program.ts'

onSqliteDaily('erasing and exporting over HTTP', (kind) => {
  let test: TestServer
  beforeEach(async () => {
    test = await openTestServer({ kind })
    await addInstall(test.program, test.first.id, 'phone', { user: 'ann/é' })
  })
  afterEach(() => test.close())

  const ANN = `/crm/v1/users/${encodeURIComponent('ann/é')}`
  const call = async (method: string, path: string) => {
    const answer = await test.call(method, path, { auth: basic(test.first.apiKey, test.first.serverKey) })
    return { ...answer, body: answer.body as Record<string, unknown> }
  }

  it('answers an erasure to look at, which ends as done', async () => {
    const { status, body } = await call('DELETE', ANN)
    expect(status).to.equal(202)
    expect(body).to.include({ kind: 'user', state: 'requested', found: null, doneAt: null })
    expect(JSON.stringify(body)).to.not.include('ann')
    expect((await call('DELETE', ANN)).body).to.deep.equal(body)
    await runErasures(erasing(test))
    const done = await call('GET', `/crm/v1/erasures/${body.id}`)
    expect([done.status, done.body]).to.deep.equal([
      200,
      { ...body, state: 'done', found: true, doneAt: done.body.doneAt },
    ])
    expect((await call('GET', `${ANN}/attributes`)).status).to.equal(404)
    expect((await call('GET', `${ANN}/export`)).status).to.equal(404)
  })

  it('exports lines of JSON, and nothing of another app', async () => {
    const { status, headers, body } = await call('GET', `${ANN}/export`)
    expect([status, headers.get('content-type')]).to.deep.equal([200, 'application/x-ndjson; charset=utf-8'])
    const lines = body as unknown as { table: string }[]
    expect(lines.map(({ table }) => table)).to.include.members(['users', 'installs'])
    expect(lines[0]).to.have.nested.property('row.identifier', 'ann/é')
    const other = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))
    const auth = basic(other.apiKey, other.serverKey)
    expect((await test.call('GET', `${ANN}/export`, { auth })).status).to.equal(404)
    const { body: erasure } = await call('DELETE', '/crm/v1/installs/phone')
    expect((await test.call('GET', `/crm/v1/erasures/${erasure.id}`, { auth })).status).to.equal(404)
  })

  it('deletes an install and leaves its user', async () => {
    const { status, body } = await call('DELETE', '/crm/v1/installs/phone')
    expect([status, body.kind]).to.deep.equal([202, 'install'])
    await runErasures(erasing(test))
    expect((await test.program.crm.showUser(test.first.id, 'ann/é')).installs).to.deep.equal([])
  })

  it('refuses an identifier that nobody can have', async () => {
    for (const path of ['users', 'installs']) {
      const { status, body } = await call('DELETE', `/crm/v1/${path}/${'x'.repeat(256)}`)
      expect([status, Object.keys(body.errors as object)]).to.deep.equal([
        422,
        [path === 'users' ? 'userId' : 'installId'],
      ])
    }
  })
})
