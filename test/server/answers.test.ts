import { expect } from 'chai'
import { routes } from '../../src/server/routes.ts'
import { openTestServer, type TestServer } from '../support/http.ts'
import { addInstall } from '../support/installs.ts'

/** A form with one file of subscribers. */
const FILE = {
  headers: { 'content-type': 'multipart/form-data; boundary=b' },
  body: [
    '--b',
    'Content-Disposition: form-data; name="file"; filename="a.csv"',
    'Content-Type: text/csv',
    '',
    'u1',
    'nobody',
    '--b--',
    '',
  ].join('\r\n'),
}

/** The test server compares every answer with the document when it is closed. */
describe('answers', () => {
  let test: TestServer
  before(async () => {
    test = await openTestServer()
    await addInstall(test.program, test.first.id, 'i1', { user: 'u1' })
  })
  after(() => test.close())

  const send = {
    target: { installIds: ['i1', 'nobody', 7], userIds: ['nobody'] },
    content: { title: 'T', message: 'M' },
  }
  const schedule = { sendAt: '2030-01-01 10:00', strategy: 'local', pastTimes: 'ignore' }
  const bounds = { type: 'Feature', geometry: { type: 'Point', coordinates: [1, 2] }, properties: { radius: 9 } }
  const filter = { field: 'os', op: 'exists', value: false }
  const opened = [{ type: 'k.message.opened', uuid: '1', timestamp: 0, data: { type: 1, id: 1 } }]

  /** In an order in which each finds what it needs; the path as it is declared, behind its area. */
  const calls: [method: string, area: string, path: string, body?: object][] = [
    ['POST', 'messages', '/channels', { uuid: 'news', name: 'News' }],
    ['POST', 'push', '/channels', { uuid: 'private', meta: { a: 1 } }],
    ['PUT', 'messages', '/channels/:id', { showInPortal: true }],
    ['GET', 'messages', '/channels'],
    ['GET', 'push', '/channels?limit=1'],
    ['GET', 'push', '/channels/:id'],
    ['GET', 'push', '/v1/app-installs/:installId/channels'],
    ['GET', 'crm', '/v1/users/:userId/channels'],
    ['POST', 'messages', '/v1/geofences', { name: 'F', boundsGeoJson: bounds, tags: ['t'] }],
    ['PUT', 'messages', '/v1/geofences/:id', { tags: [] }],
    ['GET', 'messages', '/v1/geofences'],
    ['GET', 'messages', '/v1/geofences/:id'],
    ['POST', 'messages', '/v1/segments', { name: 'S', filter }],
    ['PUT', 'messages', '/v1/segments/:id', { name: 'S2' }],
    ['GET', 'messages', '/v1/segments'],
    ['GET', 'messages', '/v1/segments/:id'],
    ['GET', 'messages', '/v1/segments/:id/preview'],
    ['POST', 'messages', '/v2/notifications', send],
    ['POST', 'messages', '/v2/notifications', { ...send, schedule }],
    ['POST', 'messages', '/v2/notifications', { ...send, intelligentDelivery: true }],
    ['POST', 'push', '/v2/notifications', { ...send, schedule: { ...schedule, strategy: 'utc' } }],
    ['POST', 'push', '/notifications', { broadcast: true, title: 'T', message: 'M', data: { a: 1 } }],
    ['GET', 'messages', '/v2/notifications'],
    ...[1, 2, 3, 4, 5].map((id): [string, string, string] => ['GET', 'messages', `/v2/notifications/:id?${id}`]),
    ['GET', 'messages', '/v2/scheduled-notifications'],
    ['POST', 'events', '/v1/app-installs/:installId/events', opened],
    ['GET', 'messages', '/notifications/:id/install-opens'],
    ['GET', 'push', '/notifications/:id/user-opens'],
    ['GET', 'messages', '/v1/restraint'],
    [
      'PUT',
      'messages',
      '/v1/restraint',
      { quietHours: { from: '22:00', to: '07:00' }, frequencyCap: { count: 1, hours: 1 } },
    ],
    ['POST', 'messages', '/v2/channels/:uuid/subscribers-file'],
    ['GET', 'messages', '/v2/channels/:uuid/imports'],
  ]

  for (const [method, area, address, body] of calls) {
    it(`of ${method} /${area}${address} are as the document says`, async () => {
      const [path, query] = address.split('?') as [string, string?]
      const isNotification = /^\d$/.test(query ?? '')
      const values = { id: isNotification ? query! : '1', uuid: 'news', installId: 'i1', userId: 'u1' }
      const filled = path.replace(/:(\w+)/g, (_, name: keyof typeof values) => values[name])
      const asked = `/${area}${filled}${query && !isNotification ? `?${query}` : ''}`
      const route = routes.find(
        (one) => one.method === method.toLowerCase() && one.path === path && [one.area].flat().includes(area as 'push'),
      )!
      const auth = route.needs === 'device-key' ? 'device' : 'server'
      const answer = await test.call(method, asked, { auth, ...(route.upload ? FILE : body && { body }) })
      expect(answer.status).to.equal(route.status ?? 200)
    })
  }
})
