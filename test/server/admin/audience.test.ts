import { expect } from 'chai'
import { readColumn } from '../../../src/domain/channels/one-column.ts'
import { csvOf } from '../../../src/present/admin/audience.ts'
import { type FilledAudience, fillAudience } from '../../console/support/audience.ts'
import { openTestServer, type TestServer } from '../../support/http.ts'
import { addPerson, type TestPerson } from '../../support/people.ts'

const GOLD = { field: 'attributes.plan', op: 'equals', value: 'gold' }

describe('segments and channels for people', () => {
  let test: TestServer
  let owner: TestPerson
  let viewer: TestPerson
  let made: FilledAudience
  let base: string

  before(async () => {
    test = await openTestServer()
    owner = await addPerson(test.program)
    viewer = await addPerson(test.program, { roles: [{ appId: test.first.id, role: 'viewer' }], scopes: ['see'] })
    made = await fillAudience(test)
    base = `/admin/v1/apps/${test.first.id}`
  })
  after(() => test.close())

  const call = (method: string, path: string, body?: unknown, who = owner) =>
    test.call(method, `${base}${path}`, { auth: `Bearer ${who.token}`, ...(body !== undefined && { body }) })

  it('suggest attributes with their types and values, and what installs say', async () => {
    const { status, body } = await call('GET', '/segment-suggestions')
    expect(status).to.equal(200)
    const { attributes, examined } = body as { attributes: { field: string }[]; examined: object }
    expect(examined).to.deep.equal({ users: 12, installs: 12, events: 12 })
    expect(attributes.map(({ field }) => field).toSorted()).to.deep.equal([
      'attributes.address.city',
      'attributes.age',
      'attributes.plan',
    ])
    expect(attributes.find(({ field }) => field === 'attributes.plan')).to.deep.equal({
      field: 'attributes.plan',
      kinds: ['text'],
      users: 12,
      values: ['gold', 'silver', 'free'],
    })
  })

  it('write names that need it in brackets, as filters read them', async () => {
    await test.program.inTransaction((tx) =>
      tx.crm.putAttributes(test.first.id, 'user-00', { plan: 'gold', 'a.b "c"': true }),
    )
    const { body } = await call('GET', '/segment-suggestions')
    const fields = (body as { attributes: { field: string }[] }).attributes.map(({ field }) => field)
    expect(fields).to.include('attributes["a.b \\"c\\""]')
    for (const field of fields) {
      const filter = { field, op: 'exists', value: true }
      expect((await call('POST', '/segment-counts', { filter })).status, field).to.equal(200)
    }
  })

  it('count a filter that is not stored, and leave no row in the audit log', async () => {
    const before = (await test.program.audit.list({ limit: 100 })).entries.length
    const { status, body } = await call('POST', '/segment-counts', { filter: GOLD })
    expect(status).to.equal(200)
    expect(body).to.include({ total: 4, isEstimate: false, examined: 12, of: 12 })
    expect(body).to.have.nested.property('first[0].userId', 'user-00')
    expect((await call('POST', '/segment-counts', { filter: GOLD, isWhole: true })).body).to.include({ total: 4 })
    expect((await test.program.audit.list({ limit: 100 })).entries).to.have.length(before)
  })

  it('name what is wrong with a filter', async () => {
    const filter = { and: [GOLD, { field: 'channel', op: 'equals', value: 'nothing' }] }
    const { status, body } = await call('POST', '/segment-counts', { filter })
    expect(status).to.equal(422)
    expect((body as { errors: object }).errors).to.deep.equal({
      'filter.and[1].value': ['there is no channel "nothing"'],
    })
  })

  it('show what waits for a segment, and what names a channel', async () => {
    const { uuid } = await test.program.segments.get(test.first.id, { id: made.segmentId })
    const sent = await call('POST', '/notifications', {
      target: { segmentUuid: uuid },
      content: { title: 'T', message: 'M' },
      schedule: { sendAt: '2027-01-01 12:00', strategy: 'utc', pastTimes: 'ignore' },
    })
    expect(sent.status, JSON.stringify(sent.body)).to.be.below(300)
    const { id } = (sent.body as { notification: { id: number } }).notification
    const uses = await call('GET', `/segments/${made.segmentId}/uses`)
    expect(uses.body).to.deep.equal({ sends: [{ kind: 'notification', id }] })
    expect((await call('GET', `/channels/${made.channelId}/uses`)).body).to.deep.equal({
      segments: [{ id: made.segmentId, name: 'Gold, or young and in the news' }],
      sends: [],
    })
    expect((await call('DELETE', `/scheduled-notifications/${id}`)).status).to.equal(204)
    expect((await call('GET', `/segments/${made.segmentId}/uses`)).body).to.deep.equal({ sends: [] })
  })

  it('count the subscriptions of channels, in the order of the ids', async () => {
    const { body } = await call('GET', `/channel-counts?ids=${made.channelId},999`)
    const none = { users: 0, installs: 0, optedOut: 0, isWhole: true }
    expect(body).to.deep.equal({
      items: [
        { ...none, channelId: made.channelId, users: 3 },
        { ...none, channelId: 999 },
      ],
    })
    expect((await call('GET', '/channel-counts?ids=a')).body).to.have.nested.property('errors.ids')
  })

  it('find members by how their identifier begins, and installs by their id', async () => {
    await call('POST', '/channels/weekly/subscriptions', { installIds: ['install-7'] })
    const found = async (q: string) => (await call('GET', `/channels/weekly/members?q=${encodeURIComponent(q)}`)).body
    const member = (userId: string) => ({ userId, installId: null, subscribed: true })
    expect(await found('user-0')).to.deep.equal({
      subscriptions: ['user-00', 'user-01', 'user-02'].map(member),
      isWhole: true,
    })
    expect(await found('user-09')).to.deep.equal({ subscriptions: [], isWhole: true })
    expect(await found('install-7')).to.deep.equal({
      subscriptions: [{ userId: 'user-07', installId: 'install-7', subscribed: true }],
      isWhole: true,
    })
  })

  it('hand out the lines that name nobody as a file that can be imported again, and write that down', async () => {
    const { imports } = (await call('GET', '/channels/weekly/imports')).body as { imports: { id: string }[] }
    const path = `/channels/weekly/imports/${imports[0]!.id}`
    const read = (below: string) =>
      fetch(`${test.address}${base}${path}${below}`, { headers: { authorization: `Bearer ${owner.token}` } })
    const answer = await read('/unknown-users')
    expect(answer.headers.get('content-type')).to.match(/^text\/csv/)
    expect(answer.headers.get('content-disposition')).to.equal('attachment; filename="unknown-users.csv"')
    expect(await answer.text()).to.equal('nobody@example.com\r\n')
    const [row] = (await test.program.audit.list({ limit: 1 })).entries
    expect(row).to.include({ action: 'channels.imports.export', target: `weekly/${imports[0]!.id}` })
    const events = await read('/events')
    expect(await events.text()).to.match(/event: progress\ndata: \{.*"state":"done"/)
  })

  it('write that file so that no program for tables runs a line of it', () => {
    const lines = [
      '=cmd|x',
      '+4369912345',
      '-1',
      '@anna',
      "'=quoted",
      ' =spaced',
      '\tx',
      'plain,with',
      'anna@example.com',
    ]
    const text = csvOf(lines.map((identifier, i) => ({ line: i + 1, identifier })))
    const cells = [`'=cmd|x`, `'+4369912345`, `'-1`, `'@anna`, `''=quoted`, `' =spaced`, `'\tx`, `"plain,with"`]
    expect(text).to.equal([...cells, 'anna@example.com', ''].join('\r\n'))
    // And the importer reads what was there.
    expect(readColumn(Buffer.from(text), { line: 1, last: true }).values).to.deep.equal(lines)
  })

  it('refuse to show viewers identifiers and values of attributes', async () => {
    for (const path of ['/segment-suggestions', '/channels/weekly/members?q=user']) {
      expect((await call('GET', path, undefined, viewer)).status, path).to.equal(403)
    }
    expect((await call('GET', `/channel-counts?ids=${made.channelId}`, undefined, viewer)).status).to.equal(200)
    expect((await call('GET', '/channels/weekly/imports/x/unknown-users', undefined, viewer)).status).to.equal(403)
  })
})
