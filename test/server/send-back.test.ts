import { expect } from 'chai'
import { routes } from '../../src/server/routes.ts'
import { circle } from '../support/geofences.ts'
import { openTestServer, type TestServer } from '../support/http.ts'
import { newLink } from '../support/links.ts'
import { onSqliteDaily } from '../support/program.ts'
import { column, makeTable, restKey } from '../support/tables.ts'
import { alert, heading } from '../support/templates.ts'

type Json = Record<string, unknown> & { id: number }

interface Case {
  what: string
  /** Makes one with as little as is required, so that the record has nulls. */
  make: [method: string, path: string, body?: unknown]
  /** The address of the record that was made. */
  read(made: Json): string
  /** Takes the record: changes the thing to what it is. */
  change?: (made: Json) => [method: string, path: string]
  /** Takes the record and makes another one of it; undefined for what is given a name of its own. */
  again?: { path: string; of?: (record: Json) => unknown; after: (made: Json) => string }
  auth?: string
}

const CIRCLE = circle([13.4, 52.5], 250)

/** Changes with every write. */
const MOVING = ['updatedAt', 'version', 'id', 'uuid', 'createdAt', 'url']

/** Every thing whose record is answered by a GET and taken by a PUT, PATCH or POST. */
const CASES: Case[] = [
  {
    what: 'a channel',
    make: ['POST', '/messages/channels', { uuid: 'news' }],
    read: ({ id }) => `/messages/channels/${id}`,
    change: ({ id }) => ['PUT', `/push/channels/${id}`],
    again: { path: '/messages/channels', after: ({ id }) => `/messages/channels/${id}` },
  },
  {
    what: 'a segment',
    make: ['POST', '/messages/v1/segments', { name: 'S', filter: { field: 'os', op: 'equals', value: 'iOS' } }],
    read: ({ id }) => `/messages/v1/segments/${id}`,
    change: ({ id }) => ['PUT', `/messages/v1/segments/${id}`],
    again: { path: '/messages/v1/segments', after: ({ id }) => `/messages/v1/segments/${id}` },
  },
  {
    what: 'a geofence',
    make: ['POST', '/messages/v1/geofences', { name: 'F', boundsGeoJson: CIRCLE }],
    read: ({ id }) => `/messages/v1/geofences/${id}`,
    change: ({ id }) => ['PUT', `/messages/v1/geofences/${id}`],
    again: { path: '/messages/v1/geofences', after: ({ id }) => `/messages/v1/geofences/${id}` },
  },
  {
    what: 'a template',
    make: ['POST', '/messages/v1/templates', { uid: 'plain', content: alert([heading()]) }],
    read: () => '/messages/v1/templates/plain',
    change: () => ['PUT', '/messages/v1/templates/plain'],
    again: { path: '/messages/v1/templates', after: () => '/messages/v1/templates/plain' },
  },
  {
    what: 'a push template',
    make: ['POST', '/messages/v1/push-templates', { uid: 'plain', content: { title: 'T', message: 'M' } }],
    read: () => '/messages/v1/push-templates/plain',
    change: () => ['PUT', '/messages/v1/push-templates/plain'],
    again: { path: '/messages/v1/push-templates', after: () => '/messages/v1/push-templates/plain' },
  },
  {
    what: 'a deep link',
    make: ['POST', '/links/v1/deep-links', [newLink({ slug: 'offer' })]],
    read: ({ id }) => `/links/v1/deep-links/${id}`,
    change: ({ id }) => ['PATCH', `/links/v1/deep-links/${id}`],
    again: { path: '/links/v1/deep-links', of: (record) => [record], after: ({ id }) => `/links/v1/deep-links/${id}` },
  },
  {
    what: 'link settings',
    make: ['PUT', '/links/v1/link-settings', { fingerprintWindow: 60 }],
    read: () => '/links/v1/link-settings',
    change: () => ['PUT', '/links/v1/link-settings'],
  },
  {
    what: 'the rules of an app',
    make: ['PUT', '/messages/v1/restraint', { quietHours: { from: '22:00', to: '07:00' } }],
    read: () => '/messages/v1/restraint',
    change: () => ['PUT', '/messages/v1/restraint'],
  },
  {
    what: 'attributes, in which null is a value',
    make: ['PUT', '/crm/v1/users/anna/attributes', { plan: null, deep: { er: null } }],
    read: () => '/crm/v1/users/anna/attributes',
    change: () => ['PUT', '/crm/v1/users/anna/attributes'],
  },
  {
    what: 'attributes that are changed in part',
    make: ['PUT', '/crm/v1/users/bert/attributes', { plan: 'gold' }],
    read: () => '/crm/v1/users/bert/attributes',
    change: () => ['PATCH', '/crm/v1/users/bert/attributes'],
  },
  {
    what: 'a purpose',
    make: ['PUT', '/crm/v1/purposes/offers', { name: 'Offers', default: true }],
    read: () => '/crm/v1/purposes/offers',
    change: () => ['PUT', '/crm/v1/purposes/offers'],
  },
  {
    what: 'a suppression',
    make: ['PUT', '/crm/v1/suppressions/anna', {}],
    read: () => '/crm/v1/suppressions/anna',
    change: () => ['PUT', '/crm/v1/suppressions/anna'],
  },
  {
    what: 'a webhook',
    make: ['POST', '/messages/v1/webhooks', { url: 'https://hooks.example.com/' }],
    read: ({ id }) => `/messages/v1/webhooks/${id}`,
    change: ({ id }) => ['PATCH', `/messages/v1/webhooks/${id}`],
  },
  {
    what: 'a metric',
    make: ['PUT', '/messages/v1/metrics/paid', { event: 'order.paid' }],
    read: () => '/messages/v1/metrics/paid',
    change: () => ['PUT', '/messages/v1/metrics/paid'],
  },
  {
    what: 'what enters the event log',
    make: ['PUT', '/messages/v1/events/settings', { deliveries: true }],
    read: () => '/messages/v1/events/settings',
    change: () => ['PUT', '/messages/v1/events/settings'],
  },
  {
    what: 'a record of a data table',
    make: ['POST', '/data/v1/data/1_things', { title: 'T' }],
    read: () => '/data/v1/data/1_things/1',
    change: () => ['PUT', '/data/v1/data/1_things/1'],
    auth: 'rest',
  },
]

onSqliteDaily('the record that is answered', (kind) => {
  let test: TestServer
  let rest: string
  before(async () => {
    test = await openTestServer({ kind })
    await makeTable(test, 'things', [column('title', 'string'), column('n', 'integer'), column('at', 'datetime')])
    rest = await restKey(test)
  })
  after(() => test.close())

  const without = (record: Json) =>
    Object.fromEntries(Object.entries(record).filter(([name]) => !MOVING.includes(name)))

  for (const { what, make, read, change, again, auth } of CASES) {
    it(`of ${what} can be sent back`, async () => {
      const call = async (method: string, path: string, body?: unknown) => {
        const answer = await test.call(method, path, { body, ...(auth && { auth: rest }) })
        expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.body)}`).to.be.within(200, 204)
        return answer.body as Json
      }
      const answer = await call(...make)
      const made = ([answer].flat()[0] ?? {}) as Json
      const record = await call('GET', read(made))
      if (change) {
        await call(...change(made), record)
        expect(without(await call('GET', read(made)))).to.deep.equal(without(record))
      }
      if (!again) return
      await call('DELETE', again.after(made))
      const second = [await call('POST', again.path, again.of ? again.of(record) : record)].flat()[0] as Json
      expect(without(await call('GET', read(second)))).to.deep.equal(without(record))
    })
  }

  it('is taken by every route that changes something: each has a row', () => {
    const taken = CASES.flatMap(({ change }) => (change ? [change({ id: 1 }).join(' ')] : []))
    const left = routes
      // Routes for people are twins of these, or take what nobody reads back.
      .filter(({ device, area }) => !device && area !== 'admin')
      .filter(({ body, method }) => body && (method === 'put' || method === 'patch'))
      .map(({ method, path, area }) => `${method.toUpperCase()} /${[area].flat().at(-1)}${path}`)
      .filter((route) => !taken.some((one) => new RegExp(`^${route.replaceAll(/:\w+/g, '[^/]+')}$`).test(one)))
    expect(left.toSorted()).to.deep.equal([
      // It takes keys of the request; of what is answered, some are shown in other words.
      'PATCH /messages/v1/in-app-messages/:id',
      // It takes keys of the request that the series sends, which is one member of what is answered.
      'PATCH /messages/v1/series/:id',
      // It takes keys of the request; of what is answered, some are shown in other words.
      'PATCH /messages/v2/notifications/:id',
      // It takes choices by the uid of their purpose, and answers every purpose with what is chosen.
      'PUT /crm/v1/users/:userId/choices',
      // Credentials are never shown, so there is no record of them.
      'PUT /push/v1/apps/:appId',
    ])
  })

  it('null is the same as absent for every optional field of a body that has no other meaning for it', async () => {
    const content = { title: 'T', message: 'M', url: null, data: null }
    const nothing = { collapseId: null, ios: null, android: { sound: null }, schedule: null, buttons: null, ttl: null }
    const target = { broadcast: true, installIds: null, segmentUuid: null }
    const sent = await test.call('POST', '/messages/v2/notifications', { body: { target, content, ...nothing } })
    expect(sent.status, JSON.stringify(sent.body)).to.equal(202)
    const refused = await test.call('POST', '/messages/v2/notifications', { body: { target: null, content: null } })
    expect((refused.body as { errors: object }).errors).to.include.keys('target', 'content')
    const path = `/push/v1/apps/${test.first.id}`
    const web = { web: { iconUrl: null }, ios: null }
    expect((await test.call('PUT', path, { body: web })).status).to.equal(200)
  })
})
