import { expect } from 'chai'
import { openTestServer, type TestServer } from '../../support/http.ts'

const PASSWORD = 'correct horse battery staple'

describe('signing in to the admin interface', () => {
  let test: TestServer
  beforeEach(async () => {
    test = await openTestServer()
  })
  afterEach(() => test.close())

  const setUp = async () => {
    const { token } = await test.app.inTransaction((tx) => tx.admins.setupLink())
    const body = { token, email: 'Anna@Example.com', name: 'Anna', password: PASSWORD }
    return test.call('POST', '/admin/v1/setup', { auth: 'none', body })
  }
  const cookieOf = ({ headers }: { headers: Headers }) => headers.getSetCookie()[0]!.split(';')[0]!
  const read = (cookie: string) => test.call('GET', '/admin/v1/session', { auth: 'none', headers: { cookie } })

  it('the one-time address makes the first owner, once', async () => {
    const made = await setUp()
    expect(made.status, JSON.stringify(made.body)).to.equal(201)
    expect(made.body).to.have.nested.property('person.email', 'anna@example.com')
    expect(made.headers.getSetCookie()[0]).to.match(/^appsvc=as_[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/)
    const seen = await read(cookieOf(made))
    expect(seen.status).to.equal(200)
    expect(seen.body).to.deep.equal(made.body)
    expect((await setUp()).status).to.equal(409)
  })

  it('a password opens a session, which ends with signing out', async () => {
    await setUp()
    const body = { email: 'anna@example.com', password: PASSWORD }
    const signedIn = await test.call('POST', '/admin/v1/sessions', { auth: 'none', body })
    expect(signedIn.status).to.equal(200)
    const cookie = cookieOf(signedIn)
    const headers = { cookie, origin: test.address }
    expect((await test.call('DELETE', '/admin/v1/session', { auth: 'none', headers })).status).to.equal(204)
    expect((await read(cookie)).status).to.equal(401)
  })

  it('an app is made and found by its owner', async () => {
    const headers = { cookie: cookieOf(await setUp()), origin: test.address }
    const made = await test.call('POST', '/admin/v1/apps', { auth: 'none', headers, body: { name: 'Bakery' } })
    expect(made.status, JSON.stringify(made.body)).to.equal(201)
    expect(made.body).to.have.property('apiKey')
    const { body } = await test.call('GET', '/admin/v1/apps', { auth: 'none', headers })
    expect((body as { items: { name: string }[] }).items.map(({ name }) => name)).to.deep.equal(['First', 'Bakery'])
  })
})
