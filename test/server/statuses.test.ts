import { expect } from 'chai'
import { type Schema, describe as schemaOf } from '../../src/platform/values/parse.ts'
import { idempotencyOf } from '../../src/server/calls/idempotency.ts'
import { buildOpenApi } from '../../src/server/openapi/document.ts'
import { routes } from '../../src/server/routes.ts'
import { type Area, isRepeatable, type Route } from '../../src/server/routing/route.ts'
import { reaches } from '../support/depth.ts'
import { type Answer, basic, type CallOptions, openTestServer, type TestServer } from '../support/http.ts'
import { addInstall } from '../support/installs.ts'
import { newLink } from '../support/links.ts'
import { haveUsed } from '../support/misses.ts'
import { addPerson, type TestPerson } from '../support/people.ts'
import { column } from '../support/tables.ts'

/** The smallest that the settings allow, so that no megabytes are sent. */
const LIMIT = 1024
const limits = ['body', 'deviceBody', 'dataBody', 'notificationBody', 'crashBody']
const LONG = 'x'.repeat(2 * LIMIT)

interface Place {
  route: Route
  area: Area
  /** With the prefix of the area, so that no other area can answer. */
  path: string
  params: Record<string, string>
  statuses: Set<number>
}

const document = buildOpenApi(routes)

/** Every route at each of its addresses, its parameters filled with what nobody has. */
function places(test: TestServer): Place[] {
  const given: Record<string, string> = {
    appId: String(test.first.id),
    apiKey: test.first.apiKey,
    // What is read before the request is checked must be there.
    tableAlias: 'things',
    uuid: 'known',
  }
  return routes.flatMap((route) =>
    [route.area].flat().map((area) => {
      const { responses } = document.paths[`/${area}${route.path.replace(/[:*](\w+)/g, '{$1}')}`]![route.method]!
      const params: Record<string, string> = {}
      const path = route.path.replace(/[:*](\w+)/g, (_, name: string) => (params[name] = given[name] ?? '999'))
      return {
        route,
        area,
        path: `/${area}${path}`,
        params,
        // That any route may be 503 is no row of its own.
        statuses: new Set(
          Object.entries(responses)
            .filter(([status, told]) => !(status === '503' && '$ref' in told))
            .map(([status]) => Number(status)),
        ),
      }
    }),
  )
}

/** Requests that every route refuses in the same way, made from the table of routes: a new route is in it from the start. */
describe('every route', () => {
  let test: TestServer
  let all: Place[]
  let other: TestServer['first']
  let restKey: string
  let person: TestPerson
  let weakKeys: Map<string, string>

  before(async () => {
    test = await openTestServer({
      settings: Object.fromEntries(limits.map((name) => [`limits.${name}`, String(LIMIT)])),
    })
    const { program, first } = test
    other = await program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))
    await program.inTransaction((tx) => tx.channels.create(first.id, { uuid: 'known' }))
    await program.inTransaction((tx) => tx.tables.create(first.id, 'things', [column('n', 'integer')]))
    const create = async (...permissions: ('create' | 'read' | 'update' | 'delete')[]) =>
      (await program.inTransaction((tx) => tx.restKeys.create(first.id, { permissions }))).key
    restKey = await create('create', 'read', 'update', 'delete')
    weakKeys = new Map([
      ['read', await create('create', 'update', 'delete')],
      ['other', await create('read')],
    ])
    person = await addPerson(test.program)
    all = places(test)
  })
  after(() => test.close())

  const nameOf = ({ route, path }: Place) => `${route.method.toUpperCase()} ${path}`

  /** Credentials that open the route. */
  const rightKey = ({ route }: Place): string =>
    ({
      'server-key': 'server',
      'own-app': 'server',
      'device-key': 'device',
      'rest-key': basic(restKey, ''),
      'path-key': 'none',
      person: `Bearer ${person.token}`,
      nobody: 'none',
    })[route.needs]

  const call = (place: Place, options: CallOptions = {}) =>
    test.call(place.route.method.toUpperCase(), place.path, { auth: rightKey(place), ...options })

  function expectRefusal({ status, body, headers }: Answer, expected: number, what: string): void {
    expect(status, `${what} answered ${JSON.stringify(body)}`).to.equal(expected)
    expect(headers.get('content-type'), what).to.include('application/json')
    expect(body, what).to.have.property('error').that.is.a('string').and.not.equal('')
    if (expected === 422) {
      expect(Object.keys((body as { errors: object }).errors).length, what).to.be.above(0)
      for (const sentences of Object.values((body as { errors: object }).errors)) {
        expect((sentences as unknown[]).length, what).to.be.above(0)
      }
    }
    if (expected === 401) expect(headers.get('www-authenticate'), what).to.match(/^(Basic|Bearer) /)
  }

  const takesBody = ({ route }: Place) => route.body !== undefined
  const documents = (status: number) => (place: Place) => place.statuses.has(status)

  it('that has keys documents 401 and answers it to none, wrong ones and those of another kind', async () => {
    for (const [turn, place] of all.entries()) {
      const { needs } = place.route
      if (needs === 'path-key' || needs === 'nobody') continue
      expect(place.statuses.has(401), nameOf(place)).to.equal(true)
      const { apiKey, serverKey, secretKey } = test.first
      const strange = [
        'Bearer x',
        basic(apiKey, `${needs === 'device-key' ? secretKey : serverKey}x`),
        basic(other.apiKey, serverKey),
        needs === 'rest-key' ? 'server' : basic(restKey, ''),
      ]
      // One of the strange ones by turns, from .ci/run on each.
      const few = reaches('whole') ? strange : [strange[turn % strange.length]!]
      const wrong = ['none', needs === 'device-key' ? 'server' : 'device', ...few]
      for (const auth of wrong) expectRefusal(await call(place, { auth }), 401, `${nameOf(place)} with ${auth}`)
    }
  })

  it('of one app answers 403 to the keys of another', async () => {
    const found = all.filter(({ route }) => route.needs === 'own-app')
    expect(found.map(documents(403))).to.not.include(false)
    for (const place of found) {
      expectRefusal(await call(place, { auth: basic(other.apiKey, other.serverKey) }), 403, nameOf(place))
    }
    expect(found.length).to.be.above(0)
  })

  it('of a REST key answers 403 to one that may not do it, and 406 to who wants no JSON', async () => {
    const found = all.filter(({ route }) => route.needs === 'rest-key')
    expect(found.length).to.be.above(0)
    for (const place of found) {
      const weak = weakKeys.get(place.route.permission === 'read' ? 'read' : 'other')!
      expectRefusal(await call(place, { auth: basic(weak, '') }), 403, nameOf(place))
      expectRefusal(await call(place, { headers: { accept: 'text/html' } }), 406, nameOf(place))
    }
    expect(all.filter(documents(406)).map(nameOf)).to.deep.equal(found.map(nameOf))
  })

  it('with an API key in its path answers 404 for one that is not that of the credentials', async () => {
    const found = all.filter(({ route }) => route.path.includes(':apiKey'))
    expect(found.length).to.be.above(0)
    for (const place of found) {
      for (const apiKey of ['nobody', ...(place.route.needs === 'path-key' ? [] : [other.apiKey])]) {
        const path = place.path.replace(test.first.apiKey, apiKey)
        expectRefusal(await call({ ...place, path }, { body: {} }), 404, `${nameOf(place)} of ${apiKey}`)
      }
    }
  })

  it('with a body documents 413 and answers it to one that is too large', async () => {
    const found = all.filter(({ route }) => route.body !== undefined || route.raw)
    expect(found.map(documents(413))).to.not.include(false)
    for (const place of found) expectRefusal(await call(place, { body: { text: LONG } }), 413, nameOf(place))
  })

  it('with a body documents 415 and answers it to a compressed one, and one for servers to another type', async () => {
    const found = all.filter(documents(415))
    expect(found.filter(takesBody)).to.have.length(all.filter(takesBody).length)
    for (const place of found) {
      // Crash reports may come in gzip.
      const compressed = { 'content-encoding': place.route.raw ? 'br' : 'gzip' }
      expectRefusal(await call(place, { body: '{}', headers: compressed }), 415, nameOf(place))
      if (place.route.device) continue
      const other = { 'content-type': 'text/xml' }
      expectRefusal(await call(place, { body: '<a/>', headers: other }), 415, nameOf(place))
    }
  })

  it('with a body answers 422 to what is no JSON', async () => {
    for (const place of all.filter(takesBody)) {
      expect(place.statuses.has(422), nameOf(place)).to.equal(true)
      expectRefusal(await call(place, { body: '{"' }), 422, nameOf(place))
    }
  })

  it('with a body answers 422 with the place of a number that is not kept, unless it judges each item', async () => {
    const found = all.filter((place) => takesBody(place) && !place.route.unkept?.byRun)
    expect(all.filter(takesBody).length - found.length).to.be.below(10)
    const numbers = ['1e400', '9007199254740993']
    for (const [turn, place] of found.entries()) {
      for (const number of reaches('whole') ? numbers : [numbers[turn % 2]!]) {
        const answer = await call(place, { body: `{"some":[{"where":${number}}]}` })
        expectRefusal(answer, 422, nameOf(place))
        expect((answer.body as { errors: object }).errors, nameOf(place)).to.have.all.keys('some[0].where')
      }
    }
  })

  it('with a query answers 422 to a number or a choice that is none, or to a query that lacks what it asks', async () => {
    const found = all.filter(({ route }) => route.query !== undefined)
    expect(found.length).to.be.above(0)
    for (const place of found) {
      expect(place.statuses.has(422), nameOf(place)).to.equal(true)
      const query = wrongQuery(place.route.query!)
      if (query === undefined) continue
      const { body } = place.route
      const options = body ? { body: {} } : {}
      expectRefusal(await call({ ...place, path: `${place.path}?${query}` }, options), 422, `${nameOf(place)}?${query}`)
    }
  })

  /** A route for people takes the body of its twin. */
  const sampleOf = ({ route }: Place) => SAMPLES[(route.twinOf ?? route).path] ?? exampleOf(route)
  const repeatable = () => {
    const found = all.filter((place) => isRepeatable(place.route) && takesBody(place))
    expect(found.length).to.be.above(0)
    // A new route needs a body here that passes its schema.
    expect(found.filter((place) => !sampleOf(place)).map(nameOf), 'routes without a line in SAMPLES').to.deep.equal([])
    return found.map((place) => ({ place, body: sampleOf(place) }))
  }

  it('that can be repeated answers 422 to an Idempotency-Key that is too long', async () => {
    const bodiless = all.filter((place) => isRepeatable(place.route) && !takesBody(place) && !place.route.upload)
    for (const { place, body } of [...repeatable(), ...bodiless.map((place) => ({ place, body: undefined }))]) {
      expect(place.statuses.has(422), nameOf(place)).to.equal(true)
      const headers = { 'idempotency-key': 'x'.repeat(256) }
      const answer = await call(place, { body, headers })
      expectRefusal(answer, 422, nameOf(place))
      expect(answer.body, nameOf(place)).to.have.nested.property('errors.Idempotency-Key')
    }
  })

  /** Stores a key as if a caller of the place had used it for this request; a `status` of null means that the request still runs. */
  async function plant(
    key: string,
    { route, params }: Place,
    request: { method: string; path: string; body: unknown },
    status: number | null,
  ): Promise<void> {
    const { program, first } = test
    const { caller, fingerprint } = idempotencyOf(key, route, {
      ...request,
      params,
      ...(route.needs === 'person' && { personId: person.id }),
    })!
    const row = { app_id: first.id, caller, key, fingerprint, status, created_at: program.kernel.clock.now() }
    await program.kernel.db.write((sql) => sql('idempotency_keys').insert(row))
  }

  it('that can be repeated answers 409 while the first request runs', async () => {
    for (const [i, { place, body }] of repeatable().entries()) {
      expect(place.statuses.has(409), nameOf(place)).to.equal(true)
      const key = `running-${i}`
      await plant(key, place, { method: 'POST', path: place.path, body }, null)
      expectRefusal(await call(place, { body, headers: { 'idempotency-key': key } }), 409, nameOf(place))
    }
  })

  it('that can be repeated answers 422 when the key stood for the same body elsewhere, or by another method', async () => {
    for (const [i, { place, body }] of repeatable().entries()) {
      for (const [method, path] of [
        ['PUT', place.path],
        ['POST', `${place.path}/elsewhere`],
      ] as const) {
        const key = `taken-${i}-${method}`
        await plant(key, place, { method, path, body }, 200)
        const answer = await call(place, { body, headers: { 'idempotency-key': key } })
        expectRefusal(answer, 422, `${nameOf(place)} after ${method} ${path}`)
        expect(answer.body).to.have.nested.property('errors.Idempotency-Key')
      }
    }
  })
})

describe('every route of servers', () => {
  it('documents 429 and answers it to an address that tries too many wrong keys', async () => {
    const test = await openTestServer({ settings: { trustedProxies: '127.0.0.1', 'limits.wrongKeys': '1' } })
    try {
      const found = places(test).filter(
        ({ route: { needs } }) => needs === 'server-key' || needs === 'own-app' || needs === 'rest-key',
      )
      for (const [i, place] of found.entries()) {
        const what = `${place.route.method.toUpperCase()} ${place.path}`
        expect(place.statuses.has(429), what).to.equal(true)
        // Another address for each: what one tried elsewhere is counted too.
        const headers = { 'x-forwarded-for': `198.51.100.${i}` }
        const wrong = {
          auth: basic(place.route.needs === 'rest-key' ? 'rk_wrong' : test.first.apiKey, 'wrong'),
          headers,
        }
        const ask = () => test.call(place.route.method.toUpperCase(), place.path, wrong)
        expect((await ask()).status, what).to.equal(401)
        const { status, body, headers: answered } = await ask()
        expect(status, what).to.equal(429)
        expect(body, what).to.have.property('error').that.is.a('string').and.not.equal('')
        expect(answered.get('retry-after'), what).to.match(/^[1-9]\d*$/)
      }
    } finally {
      await test.close()
    }
  })
})

/** A route of a device at one address, with what it is sent: only devices can be many. */
interface DevicePlace {
  route: Route
  path: (names: { install: string; user: string }) => string
  body: unknown
  statuses: Set<number>
}

function devicePlaces(test: TestServer): DevicePlace[] {
  return places(test)
    .filter(({ route }) => route.device)
    .map(({ route, area, statuses }) => ({
      route,
      statuses,
      path: ({ install, user }) =>
        `/${area}${route.path.replace(/[:*](\w+)/g, (_, name: string) => ({ installId: install, userId: user, apiKey: test.first.apiKey })[name] ?? '999')}?deviceKey=k`,
      body: route.method === 'get' ? undefined : (SAMPLES[route.path] ?? {}),
    }))
}

describe('every route of devices', () => {
  const NAMES = { install: '7f0c3b1e-96b6-4f0e-a2b5-3a1c6a1b7d10', user: 'someone' }
  const methodOf = ({ route }: DevicePlace) => route.method.toUpperCase()
  const keyOf = ({ route }: DevicePlace) => (route.needs === 'path-key' ? 'none' : 'device')

  describe('that names an install', () => {
    let test: TestServer
    before(async () => {
      test = await openTestServer()
      await test.program.inTransaction((tx) => tx.channels.create(test.first.id, { uuid: 'a' }))
    })
    after(() => test.close())

    it('answers 422 to a name that is none', async () => {
      const found = devicePlaces(test).filter(({ route }) => route.path.includes(':installId'))
      expect(found.length).to.be.above(0)
      for (const place of found) {
        const path = place.path({ ...NAMES, install: 'x'.repeat(256) })
        const { status, body } = await test.call(methodOf(place), path, { auth: keyOf(place), body: place.body })
        expect([status, Object.keys(body as object)], path).to.deep.equal([422, ['error', 'errors']])
        expect(place.statuses.has(422), path).to.equal(true)
      }
    })

    it('or a user who is not signed where the app asks for it answers 403', async () => {
      await test.program.inTransaction((tx) => tx.signedIds.setMode(test.first.id, 'require'))
      const found = devicePlaces(test).filter(({ statuses }) => statuses.has(403))
      expect(found.length).to.be.above(10)
      for (const place of found) {
        const path = place.path({ install: 'carl', user: 'carl' })
        const body = place.route.path === '/v1/channels' ? { uuid: 'b', userIdentifier: 'carl' } : place.body
        const answer = await test.call(methodOf(place), path, { auth: keyOf(place), body })
        expect(answer.status, `${methodOf(place)} ${path} ${JSON.stringify(answer.body)}`).to.equal(403)
        expect(answer.body, path).to.have.property('error').that.is.a('string')
      }
    })
  })

  it('that may make something new answers 503 with Retry-After to an address beyond its share', async () => {
    const settings = { trustedProxies: '127.0.0.1', 'limits.newPerAddress': '1', 'limits.eventsPerInstall': '1' }
    const test = await openTestServer({ settings })
    try {
      const { program, first } = test
      await program.inTransaction((tx) => tx.channels.create(first.id, { uuid: 'a' }))
      const news = { name: 'News', description: null, default: true, required: false }
      await program.inTransaction((tx) => tx.purposes.put(first.id, 'news', news))
      const headers = { 'x-forwarded-for': '192.0.2.1' }
      const share = { auth: 'device', headers, body: [{ type: 't', uuid: 'u', timestamp: 1 }] } as const
      expect((await test.call('POST', `/events/v1/app-installs/${NAMES.install}/events`, share)).status).to.equal(202)
      const found = devicePlaces(test).filter(({ route, statuses }) => statuses.has(503) && !OTHER_503.has(route.path))
      expect(found.length).to.be.above(15)
      for (const place of found) {
        const install = NAMES.install.replace(/^7/, '8')
        const path = place.path({ ...NAMES, install })
        const body = place.route.path === '/v1/app-installs/:installId/events' ? share.body : place.body
        const answer = await test.call(methodOf(place), path, { auth: keyOf(place), headers, body })
        expect(answer.status, `${methodOf(place)} ${path} ${JSON.stringify(answer.body)}`).to.equal(503)
        expect(answer.headers.get('retry-after'), path).to.match(/^[1-9]\d*$/)
      }
    } finally {
      await test.close()
    }
  })
})

describe('the rows that the table of routes cannot make', () => {
  let test: TestServer
  before(async () => {
    test = await openTestServer()
    // All but one of 3 000 at once, and one is forgiven every 50 ms.
    haveUsed(test, 'missed fingerprints', 2999 * 50)
  })
  after(() => test.close())

  it('a token of a user is 409 while signed users are off', async () => {
    expect((await test.call('POST', '/crm/v1/users/anna/token', { body: {} })).status).to.equal(409)
  })

  it('a segment that a notification waits for is not deleted: 409', async () => {
    const { program, first } = test
    const made = await test.call('POST', '/messages/v1/segments', { body: SAMPLES['/v1/segments'] })
    const { id, uuid } = made.body as { id: number; uuid: string }
    await addInstall(program, first.id, 'one', { subscribed: true })
    const later = { sendAt: '2099-01-01 12:00', strategy: 'utc', pastTimes: 'ignore' }
    const body = { ...SEND, target: { segmentUuid: uuid }, schedule: later }
    expect((await test.call('POST', '/messages/v2/notifications', { body })).status).to.equal(202)
    expect((await test.call('DELETE', `/messages/v1/segments/${id}`)).status).to.equal(409)
  })

  it('a banner that a person makes is 201, and a link for set-up or sign-in that nobody has is 401', async () => {
    const { program, first } = test
    const auth = `Bearer ${(await addPerson(program)).token}`
    await program.inTransaction((tx) => tx.links.create(first.id, [newLink({ slug: 'offer' })]))
    const labels = { heading: 'Offer', body: 'Try it', acceptAction: 'Get', declineAction: 'No' }
    const body = { link: 'offer', labels }
    expect((await test.call('POST', `/admin/v1/apps/${first.id}/banners`, { auth, body })).status).to.equal(201)
    const password = 'correct horse battery staple'
    for (const [path, wrong] of [
      ['setup', { token: 'wrong', email: 'anna@example.com', name: 'Anna', password }],
      ['sessions/link', { token: 'wrong', password }],
    ] as const) {
      expect((await test.call('POST', `/admin/v1/${path}`, { auth: 'none', body: wrong })).status, path).to.equal(401)
    }
  })

  it('what a person deletes is gone, and of whom there can be nobody, or is nobody, it is refused', async () => {
    const { program, first } = test
    const auth = `Bearer ${(await addPerson(program)).token}`
    await program.inTransaction(async (tx) => {
      await tx.purposes.put(first.id, 'gone', { name: 'Gone', description: null, default: true, required: false })
      await tx.metrics.put(first.id, 'gone', { event: 'visit', where: null, value: null })
    })
    for (const [path, expected] of [
      ['purposes/gone', 204],
      ['metrics/gone', 204],
      ['installs/nothing', 202],
      [`users/${LONG}`, 422],
      ['users/nobody/attributes', 400],
    ] as const) {
      const { status } = await test.call('DELETE', `/admin/v1/apps/${first.id}/${path}`, { auth })
      expect(status, path.slice(0, 40)).to.equal(expected)
    }
  })

  describe('a file of subscribers', () => {
    const upload = (channel: string, file: string | undefined, headers: Record<string, string> = {}) => {
      const form = new FormData()
      if (file === undefined) form.set('text', 'x')
      else form.set('file', new Blob([file], { type: 'text/csv' }), 'users.csv')
      return fetch(`${test.address}/messages/v2/channels/${channel}/subscribers-file`, {
        method: 'POST',
        headers: { authorization: basic(test.first.apiKey, test.first.serverKey), ...headers },
        body: form,
      })
    }
    before(() => test.program.inTransaction((tx) => tx.channels.create(test.first.id, { uuid: 'known' })))

    it('is 404 for a channel that there is not, and 422 without a file', async () => {
      expect((await upload('unknown', 'a\n')).status).to.equal(404)
      expect((await upload('known', undefined)).status).to.equal(422)
    })

    it('is 409 while the first with its Idempotency-Key runs, and 422 when the key stood for another file', async () => {
      const headers = { 'idempotency-key': 'file' }
      expect((await upload('known', 'a\n', headers)).status).to.equal(202)
      expect((await upload('known', 'b\n', headers)).status).to.equal(422)
      const { db } = test.program.kernel
      await db.write((sql) => sql('idempotency_keys').where({ key: 'file' }).update({ status: null }))
      expect((await upload('known', 'a\n', headers)).status).to.equal(409)
    })
  })

  it('a phone that crashes again and again is told 429', async () => {
    const path = `/events/v1/track/${test.first.apiKey}/acra/7f0c3b1e-96b6-4f0e-a2b5-3a1c6a1b7d10`
    const statuses: number[] = []
    while (statuses.at(-1) !== 429 && statuses.length < 30) {
      statuses.push((await test.call('POST', path, { auth: 'device', body: {} })).status)
    }
    expect(statuses.at(-1)).to.equal(429)
  })

  it('an address that looks for taps in vain all the time is told 503', async () => {
    const look = async () =>
      (await test.call('GET', '/links/v1/deeplinks/_taps?fingerprint=e30=', { auth: 'device' })).status
    expect([await look(), await look()]).to.deep.equal([404, 503])
    test.clock.advance(50)
    expect([await look(), await look()]).to.deep.equal([404, 503])
  })
})

/** Their 503 has another cause, or needs something that is there: they have rows of their own. */
const OTHER_503 = new Set([
  '/v1/banners/:bannerUuid/taps',
  '/v1/deeplinks/_taps',
  '/v1/deeplinks/:slug',
  '/safari/:apiKey/v1/pushPackages/:websitePushId',
  '/safari/:apiKey/v2/pushPackages/:websitePushId',
])

const SEND = { target: { broadcast: true }, content: { title: 'T', message: 'M' } }
const TEMPLATE = { ver: 1, frame: { type: 'alert', nodes: [{ type: 'heading', text: 'Hello' }] } }
const POINT = {
  type: 'Feature',
  geometry: { type: 'Point', coordinates: [8, 50] },
  properties: { radius: 100 },
}

/** A body that passes the schema, for every route that can be repeated; whether there is what it speaks of does not matter. */
/** The example of the document, for routes of people. */
function exampleOf({ method, path, area }: Route): unknown {
  if (area !== 'admin') return undefined
  const { requestBody } = document.paths[`/admin${path.replace(/[:*](\w+)/g, '{$1}')}`]![method]!
  return requestBody?.content['application/json']?.example
}

const SAMPLES: Record<string, unknown> = {
  '/v1/events': [],
  '/v1/data/:tableAlias': { n: 1 },
  '/v1/data/:tableAlias/:id': { n: 1 },
  '/v2/notifications': SEND,
  '/notifications': { broadcast: true, title: 'T', message: 'M' },
  '/v1/in-app-messages': { target: { broadcast: true }, template: 'none', content: {}, presentedWhen: 'never' },
  '/channels': { uuid: 'new' },
  '/channels/:id/subscriptions': { userIds: ['a'] },
  '/v2/channels/:uuid/subscriptions': { userIds: ['a'] },
  '/v1/segments': { name: 's', filter: { field: 'os', op: 'equals', value: 'Android' } },
  '/v1/push-templates': { uid: 't', name: 't', content: { title: 'T', message: 'M' } },
  '/v1/templates': { uid: 't', name: 't', content: TEMPLATE },
  '/v1/webhooks/:id/replay': { from: '2026-01-01' },
  '/v1/geofences': { name: 'g', boundsGeoJson: POINT },
  '/v1/geofences/import': { type: 'FeatureCollection', features: [] },
  '/v1/deep-links': [newLink()],
  '/v1/app-installs/:installId/events': [],
  '/v1/app-installs/:installId/opens': { id: 1 },
  '/v1/users/:userId/channels/subscriptions': { uuids: ['a'] },
  '/v1/app-installs/:installId/channels/subscriptions': { uuids: ['a'] },
  '/v1/channels': { uuid: 'new', userIdentifier: 'someone' },
  '/v1/suppressions': { userIds: ['someone'] },
  '/v1/users/:userId/purposes': { news: false },
  '/v1/banners/:bannerUuid/taps': {},
  '/v1/users/:userId/checkins': { location: 'Bar', deviceKey: 'k', contacts: [{ firstName: 'A', lastName: 'B' }] },
}

/** A query with something wrong in it; undefined when anything goes. */
function wrongQuery(schema: Schema): string | undefined {
  const { properties = {}, required = [] } = schemaOf(schema) as {
    properties?: Record<string, { type?: unknown; enum?: unknown[] }>
    required?: string[]
  }
  const strict = Object.entries(properties).find(
    ([, { type, enum: choices }]) => choices || /integer|number|boolean/.test(JSON.stringify(type ?? '')),
  )
  if (strict) return `${strict[0]}=none`
  return required.length > 0 ? '' : undefined
}
