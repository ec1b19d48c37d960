import { expect } from 'chai'
import { openTestServer, type TestServer } from '../../support/http.ts'
import { addPerson } from '../../support/people.ts'
import { onSqliteDaily } from '../../support/program.ts'

onSqliteDaily('apps as people change them', (kind) => {
  let test: TestServer
  before(async () => {
    test = await openTestServer({ kind })
  })
  after(() => test.close())

  it('are renamed by operators, which the audit log notes with the name before', async () => {
    const roles = [{ appId: test.first.id, role: 'operator' as const }]
    const operator = await addPerson(test.program, { roles, scopes: ['see', 'operate'] })
    const path = `/admin/v1/apps/${test.first.id}`
    const rename = (body: object) => test.call('PATCH', path, { auth: `Bearer ${operator.token}`, body })
    const { name: before } = await test.program.apps.get(test.first.id)
    const renamed = await rename({ name: 'Bakery' })
    expect(renamed.status).to.equal(200)
    expect(renamed.body).to.deep.include({ id: test.first.id, name: 'Bakery' })
    for (const body of [{}, { name: '' }, { name: null }]) {
      const refused = await rename(body)
      expect(refused.status).to.equal(422)
      expect(refused.body).to.have.nested.property('errors.name')
    }
    const owner = await addPerson(test.program)
    const { body } = await test.call('GET', '/admin/v1/audit', { auth: `Bearer ${owner.token}` })
    const [entry] = (body as { items: { action: string; before: object; after: object }[] }).items.filter(
      ({ action }) => action === 'apps.update',
    )
    expect(entry).to.have.nested.property('before.name', before)
    expect(entry).to.have.nested.property('after.name', 'Bakery')
  })

  it('outlive the deletion of a user who is called by two dots, which clients take out of the path', async () => {
    const auth = `Bearer ${(await addPerson(test.program)).token}`
    const path = `/admin/v1/apps/${test.first.id}`
    const deleted = await test.call('DELETE', `${path}/users/..`, { auth })
    expect(deleted.status).to.equal(404)
    expect(deleted.body).to.have.property('error').that.contains('leave out the slash')
    expect((await test.call('PATCH', `${path}/`, { auth, body: { name: 'Elsewhere' } })).status).to.equal(404)
    const kept = await test.call('GET', `${path}/`, { auth })
    expect(kept.status).to.equal(200)
    expect(kept.body).to.not.have.property('name', 'Elsewhere')
  })
})
