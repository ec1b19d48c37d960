import { expect } from 'chai'
import { isPlainObject } from '../../src/platform/json/json.ts'
import { parseJson, type Schema } from '../../src/platform/values/parse.ts'
import { buildOpenApi } from '../../src/server/openapi/document.ts'
import { routes } from '../../src/server/routes.ts'
import type { Route } from '../../src/server/routing/route.ts'
import { openTestServer, type TestServer } from '../support/http.ts'
import { newLink } from '../support/links.ts'
import { addPerson, type TestPerson } from '../support/people.ts'
import { onSqliteDaily } from '../support/program.ts'

const UNKNOWN = 'zzUnknown'

/** The value with an unknown field in every object of it. */
function withUnknown(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withUnknown)
  if (!isPlainObject(value)) return value
  return {
    ...Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withUnknown(one)])),
    [UNKNOWN]: { a: 1 },
  }
}

/** A value that stands for a schema: what it has fields for. */
function hollow(schema: Schema): unknown {
  const { fields, innerType } = schema as { fields?: Record<string, Schema>; innerType?: Schema }
  if (innerType) return [hollow(innerType)]
  if (!fields) return undefined
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) => {
      const value = hollow(field)
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

describe('every route with a body', () => {
  it('drops fields that it does not know, at every depth that its schema describes', () => {
    let checked = 0
    for (const { method, path, body } of routes) {
      if (!body || !('fields' in body || 'innerType' in body)) continue
      const given = withUnknown(hollow(body))
      let read: unknown
      try {
        // What is required is missing: only the shape is looked at.
        read = (body as { cast(value: unknown, options: object): unknown }).cast(given, {
          assert: false,
          stripUnknown: true,
        })
        if (method !== 'get') read = tryParse(body, given) ?? read
      } catch {
        continue
      }
      expect(JSON.stringify(read) ?? '', `${method} ${path}`).to.not.include(UNKNOWN)
      checked++
    }
    expect(checked).to.be.above(80)
  })
})

function tryParse(body: Schema, value: unknown): unknown {
  try {
    return parseJson(body, value)
  } catch {
    return undefined
  }
}

const POINT = { type: 'Feature', geometry: { type: 'Point', coordinates: [1, 2] }, properties: { radius: 9 } }
const FILTER = { field: 'os', op: 'equals', value: 'Android' }

/** Things that are made, in this order: the route, its body, and where it is read; `{…}` is a member of what was answered. */
const WRITES: [write: string, body: unknown, read: string][] = [
  [
    'PUT /links/v1/link-settings',
    { fingerprintWindow: 60, offersClipboard: true, iosBundleIds: ['a.b'] },
    '/links/v1/link-settings',
  ],
  ['POST /messages/channels', { uuid: 'c', name: 'C', showInPortal: true }, '/messages/channels/{id}'],
  ['PUT /messages/channels/{id}', { name: 'D' }, '/messages/channels/{id}'],
  ['POST /messages/v1/segments', { name: 'S', filter: FILTER }, '/messages/v1/segments/{id}'],
  ['PUT /messages/v1/segments/{id}', { name: 'T' }, '/messages/v1/segments/{id}'],
  ['POST /messages/v1/geofences', { name: 'G', boundsGeoJson: POINT }, '/messages/v1/geofences/{id}'],
  ['PUT /messages/v1/geofences/{id}', { name: 'H' }, '/messages/v1/geofences/{id}'],
  ['POST /messages/v1/templates', { uid: 't', starter: 'announcement' }, '/messages/v1/templates/t'],
  ['PUT /messages/v1/templates/t', { name: 'U' }, '/messages/v1/templates/t'],
  [
    'POST /messages/v1/push-templates',
    { uid: 't', content: { title: 'T', message: 'M' } },
    '/messages/v1/push-templates/t',
  ],
  ['PUT /messages/v1/push-templates/t', { name: 'U' }, '/messages/v1/push-templates/t'],
  ['POST /messages/v1/webhooks', { url: 'https://example.com/x', types: ['x'] }, '/messages/v1/webhooks/{id}'],
  ['PATCH /messages/v1/webhooks/{id}', { types: ['y'] }, '/messages/v1/webhooks/{id}'],
  ['PUT /messages/v1/metrics/m', { event: 'x' }, '/messages/v1/metrics/m'],
  ['PUT /crm/v1/purposes/news', { name: 'News', default: true }, '/crm/v1/purposes/news'],
  ['PUT /messages/v1/restraint', { frequencyCap: { count: 3, hours: 24 } }, '/messages/v1/restraint'],
  ['PUT /messages/v1/events/settings', { deliveries: true }, '/messages/v1/events/settings'],
  ['PUT /crm/v1/suppressions/anna', { reason: 'r' }, '/crm/v1/suppressions/anna'],
  ['POST /links/v1/deep-links', [newLink()], ''],
  ['POST /messages/v2/notifications', { target: { broadcast: true }, content: { title: 'T', message: 'M' } }, ''],
]

onSqliteDaily('the answer to a write', (kind) => {
  let test: TestServer
  let person: TestPerson
  before(async () => {
    test = await openTestServer({ kind })
    person = await addPerson(test.program)
  })
  after(() => test.close())

  const last = new Map<string, Record<string, unknown>>()

  /** `{id}` by the last answer of the same collection. */
  function filled(path: string, answer?: Record<string, unknown>): string {
    return path.replace(/\{(\w+)\}/g, (_, name: string) =>
      String((answer ?? last.get(path.slice(0, path.indexOf('{'))))?.[name]),
    )
  }

  /** Compares an answer with what is read: each member that both have. */
  function expectStored(answer: Record<string, unknown>, read: Record<string, unknown>, what: string): void {
    const both = Object.keys(answer).filter((key) => Object.hasOwn(read, key))
    expect(both, what).to.not.deep.equal([])
    for (const key of both) expect(answer[key], `${what}: ${key}`).to.deep.equal(read[key])
    if (JSON.stringify(answer).includes(UNKNOWN)) expect(JSON.stringify(read), what).to.include(UNKNOWN)
  }

  for (const [write, body, read] of WRITES) {
    it(`is what is stored: ${write}`, async () => {
      const [method, path] = write.split(' ') as [string, string]
      const plain = await test.call(method, filled(path), {
        body: path.includes('suppressions') ? body : withTopUnknown(body),
      })
      // Where a misspelt field would change the meaning it is refused, and stored without it.
      const answered = plain.status === 422 ? await test.call(method, filled(path), { body }) : plain
      expect(answered.status, JSON.stringify(answered.body)).to.be.below(300)
      const answer = answered.body as Record<string, unknown>
      if (isPlainObject(answer)) last.set(`${path.replace(/\/\{.*$/, '')}/`, answer)
      if (read === '') {
        expect(JSON.stringify(answer)).to.not.include(UNKNOWN)
        return
      }
      const got = await test.call('GET', filled(read, isPlainObject(answer) && 'id' in answer ? answer : undefined))
      expect(got.status, JSON.stringify(got.body)).to.equal(200)
      if (isPlainObject(answer) && Object.keys(answer).length > 0)
        expectStored(answer, got.body as Record<string, unknown>, write)
    })
  }

  it('is what is stored, of every route for people that has a route to read it', async () => {
    const document = buildOpenApi(routes)
    const gets = new Map(
      routes.filter(({ method }) => method === 'get').map((route) => [`${String(route.area)} ${route.path}`, route]),
    )
    let compared = 0
    const put = (route: Route) => ['put', 'patch'].includes(route.method) && route.needs === 'person'
    for (const route of routes.filter(put)) {
      const reader = gets.get(`${String(route.area)} ${route.path}`)
      const example =
        document.paths[`/admin${route.path.replace(/[:*](\w+)/g, '{$1}')}`]?.[route.method]?.requestBody?.content[
          'application/json'
        ]?.example
      if (!reader || !isPlainObject(example)) continue
      const path = `/admin${route.path.replace(':appId', String(test.first.id)).replace(/:(\w+)/g, (_, name: string) => ({ uid: 't', name: 'm', userId: 'anna', id: '1' })[name] ?? '1')}`
      const auth = `Bearer ${person.token}`
      const written = await test.call(route.method.toUpperCase(), path, { auth, body: withTopUnknown(example) })
      if (written.status >= 300 || !isPlainObject(written.body)) continue
      const got = await test.call('GET', path, { auth })
      if (got.status !== 200) continue
      const [answer, read] = [written.body, got.body as Record<string, unknown>]
      for (const key of Object.keys(answer)) {
        if (Object.hasOwn(read, key))
          expect(answer[key], `${route.method} ${route.path}: ${key}`).to.deep.equal(read[key])
      }
      if (JSON.stringify(answer).includes(UNKNOWN)) expect(JSON.stringify(read), route.path).to.include(UNKNOWN)
      compared++
    }
    expect(compared).to.be.above(3)
  })
})

/** The body with an unknown field beside the known ones, and in the items of a list. */
function withTopUnknown(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(withTopUnknown)
  return { ...(body as object), [UNKNOWN]: { a: 1 } }
}
