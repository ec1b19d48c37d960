import { expect } from 'chai'
import { openTestServer, type TestServer } from '../../support/http.ts'
import { addPerson } from '../../support/people.ts'

const PASSWORD = 'correct horse battery staple'

describe('signing in to the admin interface', () => {
  let test: TestServer
  beforeEach(async () => {
    test = await openTestServer()
  })
  afterEach(() => test.close())

  const setUp = async () => {
    const { token } = await test.program.inTransaction((tx) => tx.admins.setupLink())
    const body = { token, email: 'Anna@Example.com', name: 'Anna', password: PASSWORD }
    return test.call('POST', '/admin/v1/setup', { auth: 'none', body })
  }
  const cookieOf = ({ headers }: { headers: Headers }) => headers.getSetCookie()[0]!.split(';')[0]!
  const read = (cookie: string) => test.call('GET', '/admin/v1/session', { auth: 'none', headers: { cookie } })

  it('the one-time link makes the first owner, once', async () => {
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
    const anna = await addPerson(test.program, { password: PASSWORD })
    const body = { email: anna.email, password: PASSWORD }
    const signedIn = await test.call('POST', '/admin/v1/sessions', { auth: 'none', body })
    expect(signedIn.status).to.equal(200)
    const cookie = cookieOf(signedIn)
    const headers = { cookie, origin: test.address }
    expect((await test.call('DELETE', '/admin/v1/session', { auth: 'none', headers })).status).to.equal(204)
    expect((await read(cookie)).status).to.equal(401)
  })

  it('counts a try before it reads the body, so that nonsense is refused like wrong passwords', async () => {
    await test.close()
    test = await openTestServer({ settings: { trustedProxies: '127.0.0.1' } })
    const junk = JSON.stringify(Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`k${i}`, 1])))
    const bodies: [string, number][] = [
      [junk, 422],
      ['{', 422],
      ['x'.repeat(10_000), 413],
    ]
    for (const [n, path] of ['setup', 'sessions', 'sessions/link', 'sessions/passkey'].entries()) {
      const statuses: number[] = []
      for (let i = 0; i < 21; i++) {
        const [body, status] = bodies[i % bodies.length]!
        const headers = { 'x-forwarded-for': `192.0.2.${n}`, 'content-type': 'application/json' }
        const answer = await test.call('POST', `/admin/v1/${path}`, { auth: 'none', body, headers })
        const isLast = i === 20
        expect([path, i, answer.status]).to.deep.equal([path, i, isLast ? 429 : status])
        statuses.push(answer.status)
        if (isLast) expect(answer.headers.get('retry-after')).to.equal('15')
        else if (status === 422) {
          const { errors } = answer.body as { errors: Record<string, string[]> }
          expect(Object.keys(errors)).to.have.length.at.most(20)
        }
      }
    }
  })

  it('what is refused for its account uses up nothing of those who share its address', async () => {
    await test.close()
    test = await openTestServer({ settings: { trustedProxies: '127.0.0.1' } })
    const sign = async (email: string) => {
      const body = { email, password: 'x' }
      const headers = { 'x-forwarded-for': '192.0.2.1' }
      return (await test.call('POST', '/admin/v1/sessions', { auth: 'none', body, headers })).status
    }
    for (let i = 0; i < 5; i++) expect(await sign('anna@example.com')).to.equal(401)
    for (let i = 0; i < 30; i++) expect(await sign('anna@example.com')).to.equal(429)
    expect(await sign('bert@example.com')).to.equal(401)
  })

  it('an app is made and found by its owner', async () => {
    const { cookie } = await addPerson(test.program)
    const headers = { cookie, origin: test.address }
    const made = await test.call('POST', '/admin/v1/apps', { auth: 'none', headers, body: { name: 'Bakery' } })
    expect(made.status, JSON.stringify(made.body)).to.equal(201)
    expect(made.body).to.have.property('apiKey')
    const { body } = await test.call('GET', '/admin/v1/apps', { auth: 'none', headers })
    expect((body as { items: { name: string }[] }).items.map(({ name }) => name)).to.deep.equal(['First', 'Bakery'])
  })
})
