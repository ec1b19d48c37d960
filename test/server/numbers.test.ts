import { expect } from 'chai'
import { ID_NUMBER_RULE } from '../../src/domain/crm/schema.ts'
import { UNKEPT_PROBLEMS } from '../../src/platform/json/numbers.ts'
import { openTestServer, type TestServer } from '../support/http.ts'
import { addInstall } from '../support/installs.ts'
import { onSqliteDaily } from '../support/program.ts'
import { uploadedEvents } from '../support/uploaded.ts'

const { large: LARGE, integer: INTEGER } = UNKEPT_PROBLEMS

/** Bodies of servers and people with `NUMBER` where they fill in what they like, or an identifier; and its path. */
const BODIES: [route: string, body: string, path: string][] = [
  ['PUT /crm/v1/users/anna/attributes', '{"deep":{"list":[1,NUMBER]}}', 'deep.list[1]'],
  ['PATCH /crm/v1/users/anna/attributes', '{"score":NUMBER}', 'score'],
  [
    'POST /push/v2/notifications',
    '{"target":{"broadcast":true},"content":{"title":"T","message":"M"},"data":{"a":NUMBER}}',
    'data.a',
  ],
  [
    'POST /push/v2/notifications',
    '{"target":{"broadcast":true},"content":{"title":"T","message":"M"},"reportingMeta":{"a":NUMBER}}',
    'reportingMeta.a',
  ],
  [
    'POST /push/notifications',
    '{"target":{"broadcast":true},"content":{"title":"T","message":"M","data":{"a":NUMBER}}}',
    'content.data.a',
  ],
  [
    'POST /push/v2/notifications',
    '{"target":{"userIds":["a",NUMBER]},"content":{"title":"T","message":"M"}}',
    'target.userIds[1]',
  ],
  [
    'POST /push/v2/notifications',
    '{"target":{"installIds":[NUMBER]},"content":{"title":"T","message":"M"}}',
    'target.installIds[0]',
  ],
  ['POST /messages/v1/in-app-messages', '{"target":{"broadcast":true},"content":{"x":NUMBER},"data":{}}', 'content.x'],
  ['POST /links/v1/deep-links', '[{"title":"x","linkData":{"a":NUMBER}}]', '[0].linkData.a'],
  ['POST /messages/channels', '{"uuid":"c","meta":{"a":NUMBER}}', 'meta.a'],
  ['POST /push/channels/1/subscriptions', '{"userIds":[NUMBER]}', 'userIds[0]'],
  [
    'POST /messages/v1/geofences',
    '{"name":"F","boundsGeoJson":{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":{"radius":9,"note":NUMBER}}}',
    'boundsGeoJson.properties.note',
  ],
  [
    'POST /messages/v1/segments',
    '{"name":"S","filter":{"field":"attributes.a","op":"equals","value":NUMBER}}',
    'filter.value',
  ],
  [
    'PUT /messages/v1/metrics/m',
    '{"event":"x","where":[{"field":"a","op":"equals","value":NUMBER}]}',
    'where[0].value',
  ],
  ['POST /messages/v1/templates', '{"title":"T","sample":{"a":NUMBER}}', 'sample.a'],
  ['POST /messages/v1/webhooks', '{"url":"https://x.example/","types":["x"],"extra":NUMBER}', 'extra'],
  ['PUT /links/v1/link-settings', '{"x":{"y":[NUMBER]}}', 'x.y[0]'],
]

onSqliteDaily('numbers that are not kept', (kind) => {
  let test: TestServer
  before(async () => {
    test = await openTestServer({ kind })
    await test.program.inTransaction((tx) => tx.channels.create(test.first.id, { uuid: 'known' }))
    await addInstall(test.program, test.first.id, 'i1', { user: 'anna' })
  })
  after(() => test.close())

  const stored = () => uploadedEvents(test.program, test.first.id)
  const device = (method: string, path: string, body: string) => test.call(method, path, { auth: 'device', body })
  const event = (uuid: string, more: string) => `{"type":"x","uuid":"${uuid}","timestamp":1,${more}}`

  for (const [route, body, path] of BODIES) {
    it(`are 422 with their path: ${path} of ${route}`, async () => {
      const [method, url] = route.split(' ') as [string, string]
      for (const [number, problem] of [
        ['1e400', LARGE],
        ['9007199254740993', INTEGER],
      ] as const) {
        const answer = await test.call(method, url, {
          body: body.replace('NUMBER', number),
          headers: { 'content-type': 'application/json' },
        })
        expect([answer.status, answer.body]).to.deep.equal([
          422,
          { error: 'validation failed', errors: { [path]: [problem] } },
        ])
      }
    })
  }

  it('are named in the event of a server that has them, and the other events are taken', async () => {
    const body = `[{"userId":"anna","type":"a","uuid":"s1","timestamp":1,"data":{"a":[1e400]}},
      {"userId":9007199254740993,"type":"a","uuid":"s2","timestamp":1},
      {"userId":1.5,"type":"a","uuid":"s3","timestamp":1},
      {"userId":17,"type":"a","uuid":"s4","timestamp":1,"data":{"a":9007199254740993}},
      {"userId":17,"type":"a","uuid":"s5","timestamp":1,"data":{"a":9007199254740991}}]`
    const answer = await test.call('POST', '/events/v1/events', {
      body,
      headers: { 'content-type': 'application/json' },
    })
    expect([answer.status, answer.body]).to.deep.equal([
      202,
      {
        refused: [
          { index: 0, errors: { 'data.a[0]': [LARGE] } },
          { index: 1, errors: { userId: [INTEGER] } },
          { index: 2, errors: { userId: [ID_NUMBER_RULE] } },
          { index: 3, errors: { 'data.a': [INTEGER] } },
        ],
      },
    ])
    const found = (await test.program.events.after(test.first.id, 0, 1000)).filter(({ uuid }) => /^s\d$/.test(uuid))
    expect(found.map(({ userIdentifier, data }) => [userIdentifier, data])).to.deep.equal([
      ['17', { a: 9007199254740991 }],
    ])
  })

  it('of phones are kept as text in the data of an event, so that no event is lost', async () => {
    const data = '"data":{"id":9007199254740993,"list":[-12345678901234567890,1e-400,7],"lat":51.123456789012345678}'
    const answer = await device('POST', '/events/v1/app-installs/p1/events', `[${event('p1', data)}]`)
    expect([answer.status, answer.body]).to.deep.equal([202, {}])
    expect((await stored()).find(({ uuid }) => uuid === 'p1')?.data).to.deep.equal({
      id: '9007199254740993',
      list: ['-12345678901234567890', '1e-400', 7],
      lat: Number('51.123456789012345678'),
    })
  })

  it('of phones are refused with the event where they would name somebody, and the other events are taken', async () => {
    const associate = (uuid: string, id: string) =>
      `{"type":"k.stats.userAssociated","uuid":"${uuid}","timestamp":1,"data":{"id":${id},"attributes":{"n":9007199254740993}}}`
    const body = [
      event('q0', '"userId":9007199254740993'),
      event('q1', '"userId":9007199254740992'),
      event('q2', '"userId":1.5'),
      event('q3', '"userId":1e400'),
      event('q4', '"data":{"a":{"b":1e400}}'),
      associate('q5', '9007199254740993'),
      associate('q6', '0.5'),
      '{"type":"x","uuid":9007199254740993,"timestamp":1}',
      event('q8', '"userId":9007199254740991'),
      associate('q9', '"9007199254740993"'),
    ]
    const answer = await device('POST', '/events/v1/app-installs/p2/events', `[${body.join()}]`)
    expect([answer.status, answer.body]).to.deep.equal([
      202,
      {
        refused: [
          { index: 0, errors: { userId: [INTEGER] } },
          { index: 1, errors: { userId: [INTEGER] } },
          { index: 2, errors: { userId: [ID_NUMBER_RULE] } },
          { index: 3, errors: { userId: [LARGE] } },
          { index: 4, errors: { 'data.a.b': [LARGE] } },
          { index: 5, errors: { 'data.id': [INTEGER] } },
          { index: 6, errors: { 'data.id': [ID_NUMBER_RULE] } },
          { index: 7, errors: { uuid: [INTEGER] } },
        ],
      },
    ])
    const uuids = (await stored()).map(({ uuid }) => uuid).filter((uuid) => uuid.startsWith('q'))
    expect(uuids).to.have.members(['q8', 'q9'])
    const seen = await test.call('GET', '/crm/v1/users/9007199254740993')
    expect([seen.status, (seen.body as { attributes: object }).attributes]).to.deep.equal([
      200,
      { n: '9007199254740993' },
    ])
    expect((await test.call('GET', '/crm/v1/users/9007199254740992')).status).to.equal(404)
  })

  it('are 422 in the earlier form of a phone when they name a user', async () => {
    for (const [id, problem] of [
      ['9007199254740993', INTEGER],
      ['1.5', ID_NUMBER_RULE],
      ['1e400', LARGE],
    ]) {
      const answer = await device('PUT', '/events/v1/app-installs/p3/user-id', `{"id":${id}}`)
      expect([answer.status, (answer.body as { errors: object }).errors]).to.deep.equal([422, { id: [problem] }])
    }
    const right = await device('PUT', '/events/v1/app-installs/p3/user-id', '{"id":42}')
    expect(right.status).to.equal(204)
    expect((await test.program.crm.showInstall(test.first.id, 'p3')).userIdentifier).to.equal('42')
  })

  it('of phones are text in what is free, and 422 in what is an identifier', async () => {
    const free = await device(
      'POST',
      '/push/v1/channels',
      '{"uuid":"mine","installId":"p4","meta":{"a":9007199254740993}}',
    )
    expect([free.status, (free.body as { meta: object }).meta]).to.deep.equal([201, { a: '9007199254740993' }])
    for (const [body, path] of [
      ['{"uuid":9007199254740993,"installId":"p4"}', 'uuid'],
      ['{"uuid":"other","installId":9007199254740993}', 'installId'],
      ['{"uuid":"other","userIdentifier":9007199254740993}', 'userIdentifier'],
    ] as const) {
      const answer = await device('POST', '/push/v1/channels', body)
      expect([answer.status, (answer.body as { errors: object }).errors]).to.deep.equal([422, { [path]: [INTEGER] }])
    }
    const uuids = await device('PUT', '/push/v1/app-installs/p4/channels/subscriptions', '{"uuids":[9007199254740993]}')
    expect([uuids.status, (uuids.body as { errors: object }).errors]).to.deep.equal([422, { 'uuids[0]': [INTEGER] }])
    const large = await device('POST', '/push/v1/channels', '{"uuid":"big","installId":"p4","meta":{"a":1e400}}')
    expect([large.status, (large.body as { errors: object }).errors]).to.deep.equal([422, { 'meta.a': [LARGE] }])
  })

  it('of a crash report are text: nothing else of it is lost', async () => {
    const report =
      '{"STACK_TRACE":"java.lang.Error: x\\n at a.b(C.java:1)","CUSTOM_DATA":{"n":9007199254740993,"x":1e400}}'
    const answer = await device('POST', `/events/v1/track/${test.first.apiKey}/acra/p5`, report)
    expect(answer.status).to.equal(204)
    const [summary] = await test.program.crashes.list(test.first.id, {}, undefined, 1)
    const { report: kept } = await test.program.crashes.get(test.first.id, summary!.id)
    expect((kept as { CUSTOM_DATA: object }).CUSTOM_DATA).to.deep.equal({ n: '9007199254740993', x: '1e400' })
  })

  it('are 422 in a filter that stands in the address', async () => {
    const filter = encodeURIComponent('{"field":"attributes.a","op":"equals","value":1e400}')
    const answer = await test.call('GET', `/crm/v2/users?filter=${filter}`)
    expect([answer.status, (answer.body as { errors: object }).errors]).to.deep.equal([
      422,
      { 'filter.value': [LARGE] },
    ])
  })
})
