import { expect } from 'chai'
import { fromBase32 } from '../../../src/domain/admins/second-factor/base32.ts'
import { codeOfStep } from '../../../src/domain/admins/second-factor/totp.ts'
import { type Answer, openTestServer, type TestServer } from '../../support/http.ts'
import { softPasskey } from '../../support/passkeys.ts'
import { addPerson, quickDigest, type TestPerson } from '../../support/people.ts'

const PASSWORD = 'correct horse battery staple'
const OTHER_PASSWORD = 'another horse and battery'

describe('an account of the admin interface', () => {
  let test: TestServer
  let anna: TestPerson

  const open = async (baseUrl = 'http://localhost:8080', password?: string) => {
    test = await openTestServer({ settings: { baseUrl } })
    anna = await addPerson(test.program, { ...(password !== undefined && { password }) })
  }
  const openWithPassword = () => open('http://localhost:8080', PASSWORD)
  afterEach(() => test.close())

  /** Calls as Anna by her session, unless headers are given. `T` is what the caller expects of the body. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as a cast, at one place
  const call = <T = Record<string, never>>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ) =>
    test.call(method, `/admin/v1${path}`, {
      auth: 'none',
      ...(body !== undefined && { body }),
      headers: headers ?? { cookie: anna.cookie, origin: test.address },
    }) as Promise<Answer & { body: T }>
  const asNobody = {}
  const cookieOf = ({ headers }: Answer) => headers.getSetCookie()[0]!.split(';')[0]!
  const expectStatus = (answer: Answer, status: number) =>
    expect(answer.status, JSON.stringify(answer.body)).to.equal(status)
  const invite = (email: string, role = 'viewer') =>
    call<{ id: number; link: string }>('POST', '/admins', { email, name: 'Bert', roles: [{ appId: null, role }] })
  const tokenOf = (link: string) => new URL(link).hash.replace('#token=', '')
  const codeNow = (secret: string) => codeOfStep(fromBase32(secret), Math.floor(test.clock.now() / 30_000))

  it('the state says how people sign in', async () => {
    await open('')
    expect((await call('GET', '/state', undefined, asNobody)).body).to.deep.equal({
      setup: false,
      passkeys: false,
      baseUrl: '',
    })
  })

  it('nor does it say so where the interface is off', async () => {
    test = await openTestServer({ settings: { 'console.enabled': 'false' } })
    expectStatus(await call('GET', '/state', undefined, asNobody), 404)
  })

  it('passkeys are refused where the address of the server allows none', async () => {
    await open('')
    expectStatus(await call('POST', '/me/passkeys/options', {}), 409)
    expectStatus(await call('POST', '/me/passkeys', { name: 'p', response: {} }), 409)
    expectStatus(await call('POST', '/sessions/passkey/options', {}, asNobody), 409)
    expectStatus(await call('POST', '/sessions/passkey', { response: {} }, asNobody), 409)
    expectStatus(await call('POST', '/session/confirm/options', {}), 409)
  })

  it('a passkey signs in without a name, confirms a sign-in, and each of its answers works once', async () => {
    await open()
    const passkey = softPasskey('http://localhost:8080')
    const options = await call<never>('POST', '/me/passkeys/options', {})
    expectStatus(options, 200)
    const made = await call<{ id: number }>('POST', '/me/passkeys', {
      name: 'Phone',
      response: passkey.make(options.body),
    })
    expectStatus(made, 201)
    const again = await call('POST', '/me/passkeys', { name: 'Phone', response: passkey.make(options.body) })
    expectStatus(again, 422)
    const { body: list } = await call<{ items: unknown[] }>('GET', '/me/passkeys')
    expect(list.items).to.deep.equal([made.body])

    const challenge = async () => (await call<never>('POST', '/sessions/passkey/options', {}, asNobody)).body
    const response = passkey.use(await challenge())
    const signedIn = await call<{ person: { passkeys: number } }>('POST', '/sessions/passkey', { response }, asNobody)
    expectStatus(signedIn, 200)
    expect(signedIn.body.person.passkeys).to.equal(1)
    expectStatus(await call('POST', '/sessions/passkey', { response }, asNobody), 401)

    const late = passkey.use(await challenge())
    test.clock.advance(5 * 60_000)
    expectStatus(await call('POST', '/sessions/passkey', { response: late }, asNobody), 401)
    const elsewhere = softPasskey('https://evil.example').use(await challenge())
    expectStatus(await call('POST', '/sessions/passkey', { response: elsewhere }, asNobody), 401)

    test.clock.advance(10 * 60_000)
    const { body: begun } = await call<never>('POST', '/session/confirm/options', {})
    const confirmed = await call<{ freshUntil: string }>('POST', '/session/confirm', { response: passkey.use(begun) })
    expectStatus(confirmed, 200)
    expectStatus(await call('DELETE', `/me/passkeys/${made.body.id}`), 204)
    expectStatus(await call('DELETE', `/me/passkeys/${made.body.id}`), 404)
  })

  it('a second factor is asked for, each code works once, and a recovery code helps out', async () => {
    await openWithPassword()
    expectStatus(await call('PUT', '/me/totp', { code: '123456' }), 409)
    const { body: begun } = await call<{ secret: string; uri: string; qrCode: string }>('POST', '/me/totp', {})
    expect(begun.uri).to.contain(begun.secret)
    expect(Buffer.from(begun.qrCode.split('base64,')[1]!, 'base64').toString()).to.match(/^<svg/)
    expectStatus(await call('PUT', '/me/totp', { code: '12345' }), 422)
    const on = await call<{ recoveryCodes: string[] }>('PUT', '/me/totp', { code: codeNow(begun.secret) })
    expectStatus(on, 200)
    expect(on.body.recoveryCodes).to.have.length(10)
    expectStatus(await call('POST', '/me/totp', {}), 409)

    const enter = (code?: string) =>
      call('POST', '/sessions', { email: anna.email, password: PASSWORD, ...(code && { code }) }, asNobody)
    const asked = await enter()
    expectStatus(asked, 401)
    expect(asked.body).to.have.property('code', 'second_factor')
    expectStatus(await enter(codeNow(begun.secret)), 401)
    test.clock.advance(60_000)
    expectStatus(await enter(codeNow(begun.secret)), 200)
    const [first] = on.body.recoveryCodes
    test.clock.advance(3_600_000)
    expectStatus(await enter(first!.toUpperCase().replaceAll('-', ' ')), 200)
    expectStatus(await enter(first), 401)

    const lacking = await call('POST', '/session/confirm', { password: PASSWORD })
    expectStatus(lacking, 401)
    test.clock.advance(60_000)
    expectStatus(await call('POST', '/session/confirm', { password: PASSWORD, code: codeNow(begun.secret) }), 200)
    expectStatus(await call('DELETE', '/me/totp'), 204)
    expectStatus(await enter(), 200)
  })

  it('a new password needs the present one, and ends the other sessions', async () => {
    await open()
    expectStatus(await call('PUT', '/me', { password: PASSWORD }), 200)
    const wrong = await call('PUT', '/me', { password: OTHER_PASSWORD, currentPassword: 'wrong' })
    expectStatus(wrong, 422)
    // The same one, of a cost that suits tests.
    await test.program.kernel.db.write((trx) =>
      trx('admins')
        .where({ id: anna.id })
        .update({ password: quickDigest(PASSWORD) }),
    )
    const elsewhere = await call('POST', '/sessions', { email: anna.email, password: PASSWORD }, asNobody)
    const { body: list } = await call<{ items: { id: number; isCurrent: boolean }[] }>('GET', '/sessions')
    expect(list.items.map(({ isCurrent }) => isCurrent)).to.deep.equal([true, false])
    expectStatus(await call('PUT', '/me', { name: 'Anne', password: OTHER_PASSWORD, currentPassword: PASSWORD }), 200)
    expectStatus(await call('GET', '/session', undefined, { cookie: cookieOf(elsewhere) }), 401)
    const mine = await call<{ person: { name: string } }>('GET', '/session')
    expect(mine.body.person.name).to.equal('Anne')
    const again = await call('POST', '/sessions', { email: anna.email, password: OTHER_PASSWORD }, asNobody)
    const { body: both } = await call<{ items: { id: number; isCurrent: boolean }[] }>('GET', '/sessions')
    const other = both.items.find(({ isCurrent }) => !isCurrent)!
    expectStatus(await call('DELETE', `/sessions/${other.id}`), 204)
    expectStatus(await call('DELETE', `/sessions/${other.id}`), 404)
    expectStatus(await call('GET', '/session', undefined, { cookie: cookieOf(again) }), 401)
  })

  it('wrong passwords are limited for one account, and an unknown address gets the same answer', async () => {
    await openWithPassword()
    const wrong = (email = anna.email) => call('POST', '/sessions', { email, password: 'wrong' }, asNobody)
    const first = await wrong()
    const unknown = await wrong('nobody@example.com')
    expect([unknown.status, unknown.body]).to.deep.equal([first.status, first.body])
    const statuses = [first.status]
    while (statuses.at(-1) !== 429 && statuses.length < 10) statuses.push((await wrong()).status)
    expect(statuses).to.deep.equal([401, 401, 401, 401, 401, 429])
  })

  it('one-time links and passkeys are limited for one address', async () => {
    await open()
    await test.close()
    test = await openTestServer({ settings: { trustedProxies: '127.0.0.1', baseUrl: 'http://localhost:8080' } })
    const bodies = {
      '/setup': { token: 't', email: 'a@b', name: 'n', password: PASSWORD },
      '/sessions/link': { token: 't' },
      '/sessions/passkey': { response: { id: 'x' } },
    }
    for (const [i, [path, body]] of Object.entries(bodies).entries()) {
      const headers = { 'x-forwarded-for': `198.51.100.${i}` }
      let status = 0
      for (let tries = 0; tries < 30 && status !== 429; tries++) ({ status } = await call('POST', path, body, headers))
      expect(status, path).to.equal(429)
    }
  })

  it('a personal token is made with a session, shown once, and deleted', async () => {
    await open()
    const asked = { name: 'laptop', scopes: ['see'], appId: test.first.id, days: 30 }
    const made = await call<{ id: number; token: string }>('POST', '/me/tokens', asked)
    expectStatus(made, 201)
    expect(made.body.token).to.match(/^appsvc_pt_[\w-]{43}$/)
    const list = await call<{ items: object[] }>('GET', '/me/tokens')
    expect(JSON.stringify(list.body)).to.not.contain(made.body.token)
    const bearer = { authorization: `Bearer ${made.body.token}` }
    expectStatus(await call('GET', `/apps/${test.first.id}`, undefined, bearer), 200)
    const more = await call(
      'POST',
      '/me/tokens',
      { name: 'x', scopes: ['see'] },
      { authorization: `Bearer ${anna.token}` },
    )
    expectStatus(more, 403)
    const token = { authorization: `Bearer ${anna.token}` }
    for (const [method, path, body] of [
      ['POST', '/me/totp', {}],
      ['PUT', '/me/totp', { code: '123456' }],
      ['DELETE', '/me/totp'],
      ['POST', '/me/passkeys/options', {}],
      ['POST', '/me/passkeys', { name: 'p', response: {} }],
      ['DELETE', '/me/passkeys/1'],
      ['PUT', '/me', { password: PASSWORD }],
      ['DELETE', '/session'],
    ] as const) {
      expectStatus(await call(method, path, body, token), 403)
    }
    expectStatus(await call('DELETE', `/me/tokens/${made.body.id}`), 204)
    expectStatus(await call('DELETE', `/me/tokens/${made.body.id}`), 404)
    expectStatus(await call('GET', '/session', undefined, bearer), 401)
  })

  it('somebody is invited, chooses a password, gets other roles, is reset and deleted, and all of it is in the audit log', async () => {
    await open()
    const made = await invite('Bert@example.com')
    expectStatus(made, 201)
    const { id, link } = made.body
    const entered = await call(
      'POST',
      '/sessions/link',
      { token: tokenOf(link), name: 'Bertram', password: PASSWORD },
      asNobody,
    )
    expectStatus(entered, 200)
    const again = await call('POST', '/sessions/link', { token: tokenOf(link), password: PASSWORD }, asNobody)
    expectStatus(again, 401)
    expectStatus(await invite('bert@example.com'), 422)

    const roles = { roles: [{ appId: test.first.id, role: 'marketer' }] }
    expectStatus(await call('PUT', `/admins/${id}/roles`, roles), 200)
    expectStatus(await call('PUT', '/admins/999/roles', roles), 404)
    expectStatus(await call('PUT', `/admins/${anna.id}/roles`, { roles: [] }), 409)
    expectStatus(await call('PUT', `/admins/${id}/roles`, { roles: [{ appId: 999, role: 'viewer' }] }), 422)

    const reset = await call<{ link: string }>('POST', `/admins/${id}/reset`, {})
    expectStatus(reset, 200)
    expectStatus(await call('GET', '/session', undefined, { cookie: cookieOf(entered) }), 200)
    const chosen = { token: tokenOf(reset.body.link), password: OTHER_PASSWORD }
    expectStatus(await call('POST', '/sessions/link', chosen, asNobody), 200)
    expectStatus(await call('GET', '/session', undefined, { cookie: cookieOf(entered) }), 401)
    expectStatus(await call('POST', '/admins/999/reset', {}), 404)

    const { body: people } = await call<{ items: { id: number }[] }>('GET', '/admins')
    expect(people.items.map((one) => one.id)).to.deep.equal([anna.id, id])
    expectStatus(await call('DELETE', `/admins/${id}`), 204)
    expectStatus(await call('DELETE', `/admins/${id}`), 404)
    expectStatus(await call('DELETE', `/admins/${anna.id}`), 422)

    const { body: log } = await call<{ items: { action: string }[] }>('GET', '/audit')
    const actions = log.items.map(({ action }) => action).toReversed()
    expect(actions).to.deep.equal([
      'admins.create',
      'sessions.create',
      'sessions.refuse',
      'admins.roles',
      'admins.reset',
      'sessions.create',
      'admins.delete',
    ])
    expect(JSON.stringify(log)).to.not.contain(tokenOf(link))
    const other = await call('GET', `/audit?adminId=${anna.id}&limit=1`)
    expectStatus(other, 200)
    expectStatus(await call('GET', `/audit?adminId=${anna.id}&action=admins.roles`), 422)
  })

  it('the last owner is not deleted by somebody who was an owner a moment ago', async () => {
    await open()
    const other = await addPerson(test.program)
    const { inTransaction, kernel } = test.program
    test.program.inTransaction = async (work) => {
      await kernel.db.write((sql) => sql('admin_roles').whereNot({ admin_id: other.id }).update({ role: 'operator' }))
      return inTransaction(work)
    }
    const refused = await call('DELETE', `/admins/${other.id}`)
    expectStatus(refused, 409)
    expect(refused.body).to.have.property('error').that.contains('somebody has to own the server')
  })

  it('an app is read and deleted by its owner', async () => {
    await open()
    const { id } = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Bakery' }))
    expectStatus(await call('GET', `/apps/${id}`), 200)
    expectStatus(await call('DELETE', `/apps/${id}`), 204)
    expectStatus(await call('DELETE', `/apps/${id}`), 404)
  })
})
