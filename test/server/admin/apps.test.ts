import { expect } from 'chai'
import { readPicture } from '../../../src/domain/pictures/schema.ts'
import { openTestServer, type TestServer } from '../../support/http.ts'
import { addPerson } from '../../support/people.ts'
import { smallPng } from '../../support/pictures.ts'
import { onSqliteDaily } from '../../support/program.ts'

interface AppBody {
  id: number
  name: string
  timezone: string | null
  iconUrl: string | null
  error: string
}

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
    for (const body of [{ name: '' }, { name: ' ' }]) {
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
    for (const body of [{}, { name: null }]) {
      expect((await rename(body)).body, 'nothing given, nothing changed').to.include({ name: 'Bakery' })
    }
  })

  const call = async (method: string, path: string, options: object) => {
    const { status, body } = await test.call(method, path, options)
    return { status, body: body as AppBody & { items: (AppBody & { action: string; after: AppBody })[] } }
  }
  const owned = async () => {
    const auth = `Bearer ${(await addPerson(test.program)).token}`
    return (body: object, appId = test.first.id) => call('PATCH', `/admin/v1/apps/${appId}`, { auth, body })
  }
  const picture = (appId: number, red: number) => {
    const { name, picture: clean } = readPicture('icon.png', smallPng({ red }))
    return test.program.inTransaction(async (tx) => {
      const made = await tx.pictures.add(appId, name, clean)
      return { uid: made.picture.uid, url: tx.pictures.urlOf(made.picture) }
    })
  }

  it('have a time zone in the spelling of the tz database, which null takes away', async () => {
    const change = await owned()
    const set = await change({ timezone: 'europe/BERLIN' })
    expect(set.body).to.include({ timezone: 'Europe/Berlin', iconUrl: null })
    expect((await change({ iconUrl: null })).body.timezone, 'absent leaves alone').to.equal('Europe/Berlin')
    for (const timezone of ['Mars/Olympus', '+02:00', 'local', '', 'a'.repeat(65), 2, ['UTC']]) {
      const refused = await change({ timezone })
      expect(refused.status, String(timezone)).to.equal(422)
      expect(refused.body).to.have.nested.property('errors.timezone')
    }
    expect((await change({ timezone: null })).body.timezone).to.equal(null)
    const auth = `Bearer ${(await addPerson(test.program)).token}`
    const made = await call('POST', '/admin/v1/apps', {
      auth,
      body: { name: 'Zoned', timezone: 'asia/kolkata' },
    })
    expect(made.body.timezone).to.equal('Asia/Kolkata')
  })

  it('have a picture of their own as icon, which lists and the audit log show', async () => {
    const change = await owned()
    const { uid, url } = await picture(test.first.id, 1)
    expect((await change({ iconUrl: url })).body.iconUrl).to.equal(url)
    expect((await change({ iconUrl: uid })).body.iconUrl, 'by its uid').to.equal(url)
    expect((await change({ timezone: 'UTC' })).body.iconUrl, 'absent leaves alone').to.equal(url)
    const auth = `Bearer ${(await addPerson(test.program)).token}`
    const { body } = await call('GET', '/admin/v1/apps', { auth })
    expect(body.items.find(({ id }) => id === test.first.id)).to.include({ iconUrl: url })
    const audit = await call('GET', '/admin/v1/audit', { auth })
    expect(audit.body.items.find(({ action }) => action === 'apps.update')!.after).to.include({ iconUrl: url })
    const other = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))
    const foreign = await picture(other.id, 2)
    const never = '0'.repeat(32)
    for (const iconUrl of [foreign.url, foreign.uid, never, 'https://example.com/a.png', '', 'x'.repeat(2049), 7]) {
      const refused = await change({ iconUrl })
      expect(refused.status, String(iconUrl)).to.equal(422)
      expect(refused.body).to.have.nested.property('errors.iconUrl')
    }
    expect((await change({ iconUrl: null })).body.iconUrl).to.equal(null)
  })

  it('have the name of another one, unless that is not meant, also where they are made', async () => {
    const change = await owned()
    const auth = `Bearer ${(await addPerson(test.program)).token}`
    const make = (body: object) => call('POST', '/admin/v1/apps', { auth, body })
    const { id } = (await make({ name: 'Twin' })).body
    const refused = await change({ name: 'Twin', allowDuplicate: false })
    expect(refused.status).to.equal(409)
    expect(refused.body.error).to.equal(
      `there is an app "Twin" already (${id}): choose another name, or leave allowDuplicate away`,
    )
    expect((await make({ name: 'Twin', allowDuplicate: false })).status).to.equal(409)
    expect((await change({ name: 'Twin', allowDuplicate: false }, id)).status, 'its own').to.equal(200)
    expect((await change({ name: 'Twin' })).body).to.include({ name: 'Twin' })
    expect((await make({ name: 'Twin' })).status).to.equal(201)
    expect(
      (await change({ name: 'Twin', timezone: 'UTC', allowDuplicate: false })).status,
      'a name that stays asks for nothing',
    ).to.equal(200)
    await change({ name: 'First' })
  })

  it('do not learn of the names of apps in which the person has no role', async () => {
    await test.program.inTransaction((tx) => tx.apps.create({ name: 'Secret' }))
    const roles = [{ appId: test.first.id, role: 'operator' as const }]
    const { token } = await addPerson(test.program, { roles, scopes: ['see', 'operate'] })
    const path = `/admin/v1/apps/${test.first.id}`
    const { status } = await test.call('PATCH', path, {
      auth: `Bearer ${token}`,
      body: { name: 'Secret', allowDuplicate: false },
    })
    expect(status).to.equal(200)
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
