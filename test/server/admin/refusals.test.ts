import { expect } from 'chai'
import { fromBase32 } from '../../../src/domain/admins/second-factor/base32.ts'
import { codeOfStep } from '../../../src/domain/admins/second-factor/totp.ts'
import { withoutTexts } from '../../../src/platform/log/without-texts.ts'
import { routes } from '../../../src/server/routes.ts'
import { type Answer, openTestServer, type TestServer } from '../../support/http.ts'
import { softPasskey } from '../../support/passkeys.ts'
import { addPerson, type TestPerson } from '../../support/people.ts'
import { itOfShape, onEachDatabase } from '../../support/program.ts'

const PASSWORD = 'correct horse battery staple'
const BASE = 'http://localhost:8080'

onEachDatabase('what nobody has signed in for', (kind) => {
  const itIsRefused = itOfShape(kind)
  let test: TestServer
  let anna: TestPerson

  before(async () => {
    test = await openTestServer({ kind, settings: { baseUrl: BASE, trustedProxies: '127.0.0.1' } })
  })
  after(() => test.close())
  beforeEach(async () => {
    anna = await addPerson(test.program, { password: PASSWORD })
  })

  let callers = 0
  /** A call from an address of its own, so that the limits of addresses refuse nothing here. */
  const call = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
    test.call(method, `/admin/v1${path}`, {
      auth: 'none',
      ...(body !== undefined && { body }),
      headers: { 'x-forwarded-for': `198.51.${Math.floor(++callers / 200)}.${callers % 200}`, ...headers },
    })
  const refusals = async () =>
    (await test.program.audit.list({ limit: 500 })).entries.filter(({ action }) => action === 'sessions.refuse')
  /** In an hour of its own, in which nothing was refused yet. */
  const inAnotherHour = () => test.clock.advance(3_600_000)

  itIsRefused('refuses what is no passkey, names the field, and says nothing of it in the log', async () => {
    const right = softPasskey(BASE)
    const { body: options } = await call('POST', '/sessions/passkey/options', {})
    const shape = right.use(options as never) as unknown as Record<string, unknown>
    const inner = shape.response as Record<string, unknown>
    const wrong: [unknown, string][] = [
      [{ id: 'zq-canary' }, 'response.rawId'],
      [{ ...shape, id: 7 }, 'response.id'],
      [{ ...shape, id: ['a'] }, 'response.id'],
      [{ ...shape, id: 'a b' }, 'response.id'],
      [{ ...shape, rawId: null }, 'response.rawId'],
      [{ ...shape, type: 'password' }, 'response.type'],
      [{ ...shape, response: undefined }, 'response.response.clientDataJSON'],
      [{ ...shape, response: [] }, 'response.response.clientDataJSON'],
      [{ ...shape, response: 'text' }, 'response.response.clientDataJSON'],
      [{ ...shape, response: { ...inner, clientDataJSON: { toString: 1 } } }, 'response.response.clientDataJSON'],
      [{ ...shape, response: { ...inner, signature: 5 } }, 'response.response.signature'],
      [{ ...shape, response: { ...inner, userHandle: {} } }, 'response.response.userHandle'],
      [{ ...shape, response: { ...inner, transports: [1] } }, 'response.response.transports'],
    ]
    for (const [response, field] of wrong) {
      const { status, body } = await call('POST', '/sessions/passkey', { response })
      expect(status, JSON.stringify(body)).to.equal(422)
      expect(body).to.have.property('errors').that.has.property(field)
    }
    const unknown = await call('POST', '/sessions/passkey', { response: shape })
    expect(unknown.status).to.equal(401)
    const text = Buffer.from('zq-canary is no JSON').toString('base64url')
    const unread = await call('POST', '/sessions/passkey', {
      response: { ...shape, response: { ...inner, clientDataJSON: text } },
    })
    expect(unread.status).to.equal(401)
    expect(JSON.stringify(unread.body)).to.not.include('canary')
  })

  itIsRefused('answers 422 to every wrong type in every field', async () => {
    const fields: Record<string, string[]> = {
      '/setup': ['token', 'email', 'name', 'password'],
      '/sessions': ['email', 'password', 'code'],
      '/sessions/link': ['token', 'name', 'password'],
      '/sessions/passkey': ['response'],
    }
    const values: unknown[] = [7, true, [], ['a'], { a: 1 }, { toString: 1 }, 'x'.repeat(20_000), '\u0000', 1e21]
    for (const [path, names] of Object.entries(fields)) {
      for (const name of names) {
        for (const value of values) {
          const { status, body } = await call('POST', path, { [name]: value })
          expect(status, `${path} ${name} ${JSON.stringify(value).slice(0, 40)} ${JSON.stringify(body)}`).to.be.within(
            400,
            422,
          )
        }
      }
      for (const body of [[], 'text', 7, null])
        expect((await call('POST', path, JSON.stringify(body))).status, path).to.be.within(400, 422)
    }
  })

  it('is in the audit log, without what was typed', async () => {
    inAnotherHour()
    const before = (await refusals()).length
    await call('POST', '/sessions', { email: anna.email, password: 'zq-canary-password' })
    await call('POST', '/sessions', { email: 'zq-canary-nobody@example.com', password: 'zq-canary-password' })
    await call('POST', '/sessions/link', { token: 'zq-canary-token' })
    const rows = (await refusals()).slice(0, -before || undefined)
    expect(rows.map(({ adminId, who, target, after }) => ({ adminId, who, target, after }))).to.deep.equal([
      { adminId: null, who: 'nobody', target: 'one-time link', after: { way: 'one-time link', why: 'wrong' } },
      { adminId: null, who: 'nobody', target: 'password', after: { way: 'password', why: 'wrong' } },
      { adminId: anna.id, who: anna.name, target: 'password', after: { way: 'password', why: 'wrong' } },
    ])
    expect((await refusals()).at(-1)!.after, 'the first of the program').to.not.have.property('leftOut')
    expect(rows.every(({ remote }) => remote.startsWith('198.51.'))).to.equal(true)
    expect(JSON.stringify(rows)).to.not.include('canary')
  })

  itIsRefused('fills no disk: a hundred rows an hour, and the next one tells how many were left out', async () => {
    inAnotherHour()
    const before = (await refusals()).length
    for (let i = 0; i < 103; i++) await call('POST', '/sessions/link', { token: 'wrong' })
    expect(await refusals()).to.have.length(before + 100)
    inAnotherHour()
    await call('POST', '/sessions/link', { token: 'wrong' })
    const [last] = await refusals()
    expect(last!.after).to.deep.include({ leftOut: 3 })
  })

  itIsRefused(
    'gives ten codes of the second factor, whatever the address, the password and the sign-in between',
    async () => {
      const { secret } = await test.program.inTransaction((tx) => tx.secondFactor.begin(anna.id))
      const codeNow = () => codeOfStep(fromBase32(secret), Math.floor(test.clock.now() / 30_000))
      await test.program.inTransaction((tx) => tx.secondFactor.confirm(anna.id, codeNow()))
      const enter = (code?: string) => call('POST', '/sessions', { email: anna.email, password: PASSWORD, code })
      for (let i = 0; i < 4; i++) expect((await enter('000000')).status).to.equal(401)
      test.clock.advance(60_000)
      const entered = await enter(codeNow())
      expect(entered.status).to.equal(200)
      const cookie = entered.headers.getSetCookie()[0]!.split(';')[0]!
      expect((await enter()).body).to.have.property('code', 'second_factor')
      test.clock.advance(600_000)
      for (let i = 0; i < 6; i++) expect((await enter('000000')).status, String(i)).to.equal(401)
      test.clock.advance(600_000)
      const late = await enter(codeNow())
      expect(late.status, JSON.stringify(late.body)).to.equal(429)
      expect(Number(late.headers.get('retry-after'))).to.be.above(3600)
      const confirmed = await call(
        'POST',
        '/session/confirm',
        { password: PASSWORD, code: codeNow() },
        { cookie, origin: test.address },
      )
      expect(confirmed.status).to.equal(429)
      test.clock.advance(6 * 3_600_000)
      expect((await enter(codeNow())).status).to.equal(200)
    },
  )
})

describe('what is told of a failure', () => {
  it('keeps the texts of a failure out of its log line, also where a library puts them into the stack', () => {
    let thrown: unknown
    try {
      JSON.parse('zq-canary "quoted" is\n    at no (json.ts:1:1)')
    } catch (error) {
      thrown = error
    }
    const shown = withoutTexts(thrown)
    expect(`${shown.message} ${shown.stack}`).to.not.match(/canary|quoted/)
    expect(shown.name).to.equal('SyntaxError')
    expect(shown.stack).to.match(/\n {4}at JSON\.parse/)
    expect(withoutTexts('zq-canary').stack).to.not.include('canary')
    expect(withoutTexts({ message: 'zq-canary' }).stack).to.not.include('canary')
  })
})

describe('a session', () => {
  let test: TestServer
  let anna: TestPerson
  before(async () => {
    test = await openTestServer({ settings: { baseUrl: 'https://push.example.com' } })
    anna = await addPerson(test.program)
  })
  after(() => test.close())

  const read = (cookie: string, host: string) =>
    new Promise<number>((resolve, reject) => {
      const { hostname, port } = new URL(test.address)
      void import('node:http').then(({ get }) =>
        get({ hostname, port, path: '/admin/v1/session', headers: { host, cookie } }, (answer) => {
          answer.resume()
          resolve(answer.statusCode!)
        }).on('error', reject),
      )
    })

  it('is in the cookie with the prefix alone on https, and without it on this machine', async () => {
    const id = anna.cookie.slice('appsvc='.length)
    expect(await read(`__Host-appsvc=${id}`, 'push.example.com')).to.equal(200)
    expect(await read(`appsvc=${id}`, 'push.example.com')).to.equal(401)
    expect(await read(`__Host-appsvc=as_wrong; appsvc=${id}`, 'push.example.com')).to.equal(401)
    expect(await read(`appsvc=${id}`, 'elsewhere.example')).to.equal(401)
    expect(await read(`appsvc=${id}`, 'localhost:8080')).to.equal(200)
    expect(await read(`appsvc=${id}`, '[::1]:8080')).to.equal(200)
  })

  it('leaves no cookie behind under either name', async () => {
    const headers = { cookie: anna.cookie, origin: test.address }
    const ended = await test.call('DELETE', '/admin/v1/session', { auth: 'none', headers })
    expect(ended.status).to.equal(204)
    expect(ended.headers.getSetCookie()).to.deep.equal([
      '__Host-appsvc=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict; Secure',
      'appsvc=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict',
    ])
  })
})

describe('a personal token', () => {
  it('changes nothing of its person, whatever it may do', async () => {
    const test = await openTestServer()
    try {
      for (const how of [
        { scopes: ['see'] as const, tokenApp: test.first.id },
        { scopes: ['see', 'campaign', 'operate', 'own', 'confirmed'] as const },
      ]) {
        const anna = await addPerson(test.program, { ...how, scopes: [...how.scopes] })
        const auth = `Bearer ${anna.token}`
        const [open] = await test.program.sessions.list(anna.id)
        const [token] = await test.program.personalTokens.list(anna.id)
        const writes: [string, string, unknown?][] = [
          ['PUT', '/me', { name: 'Mallory' }],
          ['PUT', '/me', {}],
          ['DELETE', `/me/tokens/${token!.id}`],
          ['DELETE', `/sessions/${open!.id}`],
          ['DELETE', '/session'],
          ['POST', '/me/tokens', { name: 'x', scopes: ['see'] }],
          ['POST', '/me/totp', {}],
          ['PUT', '/me/totp', { code: '123456' }],
          ['DELETE', '/me/totp'],
          ['POST', '/me/passkeys/options', {}],
          ['POST', '/me/passkeys', { name: 'x', response: {} }],
          ['DELETE', '/me/passkeys/1'],
        ]
        for (const [method, path, body] of writes) {
          const { status } = await test.call(method, `/admin/v1${path}`, { auth, ...(body !== undefined && { body }) })
          expect(status, `${method} ${path}`).to.equal(403)
        }
        expect((await test.program.admins.get(anna.id)).name).to.equal(anna.name)
        expect(await test.program.sessions.list(anna.id)).to.have.length(1)
        expect(await test.program.personalTokens.list(anna.id)).to.have.length(1)
      }
    } finally {
      await test.close()
    }
  })
})

describe('a fresh sign-in', () => {
  it('is asked for by what takes data out of the server or makes keys for it', () => {
    const fresh = routes
      .filter(({ area, fresh: asks }) => area === 'admin' && asks)
      .map(({ method, path }) => `${method} ${path}`)
    expect(fresh).to.include.members([
      'post /v1/apps',
      'post /v1/apps/:appId/keys',
      'post /v1/apps/:appId/keys/:kind/rotate',
      'put /v1/apps/:appId/signed-users',
      'post /v1/apps/:appId/webhooks',
      'patch /v1/apps/:appId/webhooks/:id',
      'post /v1/apps/:appId/webhooks/:id/rotate',
      'post /v1/me/tokens',
    ])
  })
})
