import { expect } from 'chai'
import type { RoleIn, TokenScope } from '../../../src/domain/admins/types.ts'
import { routes } from '../../../src/server/routes.ts'
import type { Route } from '../../../src/server/routing/route.ts'
import { reaches } from '../../support/depth.ts'
import { type Answer, openTestServer, type TestServer } from '../../support/http.ts'
import { addPerson, type TestPerson } from '../../support/people.ts'

const admin = routes.filter(({ area }) => area === 'admin')
const forPeople = admin.filter(({ needs }) => needs === 'person')
const nameOf = ({ method, path }: Route) => `${method.toUpperCase()} ${path}`
const isWrite = ({ method }: Route) => method !== 'get'

/**
 * One of each kind, in `npm test`; all of them from `.ci/run` on. For another reason to refuse what some test has refused at every route: what decides it
 * knows of a route no more than its kind.
 */
const oneOfEachKind = (found: readonly Route[]): readonly Route[] =>
  reaches('whole')
    ? found
    : [
        ...Map.groupBy(found, ({ method, right, fresh, path }) =>
          [method, right, fresh, path.includes(':appId')].join(' '),
        ).values(),
      ].map(([first]) => first!)

/** Routes of `admin` that somebody may call without having signed in: a new one has to be wanted here, too. */
const OPEN = [
  'GET /v1/state',
  'POST /v1/sessions',
  'POST /v1/sessions/link',
  'POST /v1/sessions/passkey',
  'POST /v1/sessions/passkey/options',
  'POST /v1/setup',
]

/** Routes of POST that change nothing, or note themselves what they change. */
const WRITES_NOTHING = [
  // Only a challenge is made.
  'POST /v1/sessions/passkey/options',
  // Each command has a row of its own.
  'POST /v1/commands',
  'POST /v1/apps/:appId/geofences/import/preview',
  'POST /v1/apps/:appId/in-app-messages/estimate',
  'POST /v1/apps/:appId/in-app-messages/preview',
  'POST /v1/apps/:appId/notifications/estimate',
  'POST /v1/apps/:appId/notifications/payloads',
  'POST /v1/apps/:appId/notifications/preview',
  'POST /v1/apps/:appId/push-templates/:uid/preview',
  'POST /v1/apps/:appId/segment-counts',
  // The number that the list of segments shows.
  'POST /v1/apps/:appId/segments/:id/count',
  'POST /v1/apps/:appId/templates/:uid/preview',
  'POST /v1/apps/:appId/users/import/preview',
  'POST /v1/apps/:appId/gateways/recognise',
  'POST /v1/apps/:appId/gateways/:platform/check',
]

/** Requests that every route refuses, made from the table of routes: a new route is in it from the start. */
describe('every route of the admin interface', () => {
  let test: TestServer
  let other: number
  let owner: TestPerson

  before(async () => {
    test = await openTestServer()
    other = (await test.program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))).id
    owner = await addPerson(test.program)
  })
  after(() => test.close())

  const pathOf = ({ path }: Route, appId = test.first.id) =>
    `/admin${path.replace(/:(\w+)/g, (_, name: string) => (name === 'appId' ? String(appId) : '999'))}`
  const call = (route: Route, headers: Record<string, string>, appId?: number): Promise<Answer> =>
    test.call(route.method, pathOf(route, appId), {
      auth: 'none',
      headers,
      ...(route.body && { body: {} }),
    })
  const by = (person: TestPerson) => ({ authorization: `Bearer ${person.token}` })
  const bySession = (person: TestPerson, more: Record<string, string> = {}) => ({
    cookie: person.cookie,
    origin: test.address,
    ...more,
  })

  /** No route gets further than the check of credentials, so nothing may be written. */
  async function expectAll(
    found: readonly Route[],
    status: number,
    headersOf: (route: Route) => Record<string, string>,
    { appId, code }: { appId?: number; code?: string } = {},
  ): Promise<void> {
    expect(found.length).to.be.above(0)
    const rows = async () => Number((await test.program.kernel.db.read('audit').count({ n: '*' }).first())?.n)
    const before = await rows()
    for (const route of found) {
      const answer = await call(route, headersOf(route), appId)
      expect(answer.status, `${nameOf(route)} ${JSON.stringify(answer.body)}`).to.equal(status)
      expect(answer.body, nameOf(route)).to.have.property('error').that.is.a('string').and.not.equal('')
      if (code !== undefined) expect(answer.body, nameOf(route)).to.have.property('code', code)
    }
    expect(await rows()).to.equal(before)
  }

  it('has a right, and a word for the audit log when it writes', () => {
    expect(forPeople.filter(({ right }) => right === undefined).map(nameOf)).to.deep.equal([])
    const silent = admin.filter((route) => isWrite(route) && route.audit === undefined).map(nameOf)
    expect(silent).to.have.members(WRITES_NOTHING)
  })

  it('is for people, but for those that sign in', () => {
    const open = admin.filter(({ needs }) => needs !== 'person').map(nameOf)
    expect(open.toSorted()).to.deep.equal(OPEN)
  })

  it('answers 401 without credentials, and to those that nobody has', async () => {
    await expectAll(forPeople, 401, () => ({}))
    const some = oneOfEachKind(forPeople)
    await expectAll(some, 401, () => ({ authorization: 'Bearer appsvc_pt_wrong' }))
    await expectAll(some, 401, () => ({ cookie: 'appsvc=as_wrong', origin: test.address }))
    const { apiKey, serverKey } = test.first
    const basic = `Basic ${Buffer.from(`${apiKey}:${serverKey}`).toString('base64')}`
    await expectAll(some, 401, () => ({ authorization: basic }))
  })

  it('answers 401 to a session that was not used for twelve hours, that is a week old, or that was ended', async () => {
    const idle = await addPerson(test.program)
    test.clock.advance(12 * 3_600_000)
    await expectAll(oneOfEachKind(forPeople), 401, () => bySession(idle))
    const old = await addPerson(test.program)
    for (let hour = 0; hour < 7 * 24; hour += 11) {
      test.clock.advance(11 * 3_600_000)
      await test.call('GET', '/admin/v1/session', { auth: 'none', headers: { cookie: old.cookie } })
    }
    await expectAll(oneOfEachKind(forPeople), 401, () => bySession(old))
    const ended = await addPerson(test.program)
    await test.program.inTransaction((tx) => tx.sessions.endAll(ended.id))
    await expectAll(oneOfEachKind(forPeople), 401, () => bySession(ended))
  })

  it('answers 401 to a personal token that was deleted or is over', async () => {
    const deleted = await addPerson(test.program)
    await test.program.inTransaction((tx) => tx.personalTokens.endAll(deleted.id))
    await expectAll(oneOfEachKind(forPeople), 401, () => by(deleted))
    const parts = { name: 'short', scopes: ['own'] as const, appId: null, days: 1 }
    const { text } = await test.program.inTransaction((tx) => tx.personalTokens.create(deleted.id, parts))
    test.clock.advance(86_400_000)
    await expectAll(oneOfEachKind(forPeople), 401, () => ({ authorization: `Bearer ${text}` }))
  })

  it('answers 403 to a write with a session from a page of another origin, or without an origin', async () => {
    const person = await addPerson(test.program)
    const writes = forPeople.filter(isWrite)
    await expectAll(writes, 403, () => bySession(person, { origin: 'https://evil.example' }))
    const some = oneOfEachKind(writes)
    await expectAll(some, 403, () => ({ cookie: person.cookie }))
    await expectAll(some, 403, () => bySession(person, { origin: 'null' }))
    await expectAll(some, 403, () => bySession(person, { 'sec-fetch-site': 'cross-site' }))
    await expectAll(some, 403, () => bySession(person, { 'sec-fetch-site': 'same-site' }))
    const signIns = admin.filter((route) => route.needs === 'nobody' && isWrite(route))
    await expectAll(signIns, 403, () => ({ origin: 'https://evil.example' }))
  })

  const demanding = forPeople.filter(({ right }) => right !== 'self')
  const ofApps = forPeople.filter(({ path }) => path.includes(':appId'))
  const ofServer = demanding.filter(({ path }) => !path.includes(':appId'))

  it('answers 403 to a role that lacks the right', async () => {
    const viewer = await addPerson(test.program, { roles: [{ appId: null, role: 'viewer' }] })
    const marketer = await addPerson(test.program, { roles: [{ appId: null, role: 'marketer' }] })
    const operator = await addPerson(test.program, { roles: [{ appId: null, role: 'operator' }] })
    const lacking = (...rights: string[]) => demanding.filter(({ right }) => rights.includes(right!))
    for (const [credentials, among] of [
      [by, (found: readonly Route[]) => found],
      [bySession, oneOfEachKind],
    ] as const) {
      await expectAll(among(lacking('campaign', 'operate', 'own')), 403, () => credentials(viewer))
      await expectAll(among(lacking('operate', 'own')), 403, () => credentials(marketer))
      await expectAll(among(lacking('campaign', 'own')), 403, () => credentials(operator))
    }
  })

  it('answers 404 in an app in which the person has no role, as in one that there is not', async () => {
    const roles: RoleIn[] = [{ appId: test.first.id, role: 'owner' }]
    const stranger = await addPerson(test.program, { roles })
    await expectAll(ofApps, 404, () => by(stranger), { appId: other })
    const some = oneOfEachKind(ofApps)
    await expectAll(some, 404, () => bySession(stranger), { appId: other })
    await expectAll(some, 404, () => by(owner), { appId: 999 })
    const tied = await addPerson(test.program, { tokenApp: test.first.id })
    await expectAll(some, 404, () => by(tied), { appId: other })
  })

  it('answers 403 in the whole server to whoever owns one app only, by role or by token', async () => {
    const local = await addPerson(test.program, { roles: [{ appId: test.first.id, role: 'owner' }] })
    await expectAll(ofServer, 403, () => by(local))
    await expectAll(oneOfEachKind(ofServer), 403, () => bySession(local))
    const tied = await addPerson(test.program, { tokenApp: test.first.id })
    await expectAll(ofServer, 403, () => by(tied))
  })

  it('answers 403 to a personal token without the scope', async () => {
    for (const right of ['see', 'campaign', 'operate', 'own'] as const) {
      const found = demanding.filter((route) => route.right === right)
      if (found.length === 0) continue
      const all: TokenScope[] = ['see', 'campaign', 'operate', 'own', 'confirmed']
      const weak = await addPerson(test.program, { scopes: all.filter((scope) => scope !== right) })
      await expectAll(found, 403, () => by(weak))
    }
  })

  it('that changes what matters asks for a sign-in of the last ten minutes', async () => {
    const fresh = forPeople.filter((route) => route.fresh)
    const person = await addPerson(test.program)
    test.clock.advance(10 * 60_000)
    await expectAll(fresh, 403, () => bySession(person), { code: 'confirm_sign_in' })
    const token = await addPerson(test.program, { scopes: ['see', 'campaign', 'operate', 'own'] })
    await expectAll(fresh, 403, () => by(token), { code: 'confirm_sign_in' })
  })

  it('answers under the prefix only', async () => {
    const { body } = await test.call('GET', '/v1/session', { auth: 'none', headers: bySession(owner) })
    expect(body).to.have.property('error').that.contains('there is nothing at')
  })
})
