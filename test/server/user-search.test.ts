import { expect } from 'chai'
import type { AskOptions } from '../../src/platform/long-reads/client.ts'
import { openTestServer, type TestServer } from '../support/http.ts'
import { addInstall } from '../support/installs.ts'
import { onEachDatabase } from '../support/program.ts'

type Json = Record<string, unknown>

const DAY = 86_400_000

onEachDatabase('the search for users', (kind) => {
  let test: TestServer
  let segment: { id: number; uuid: string }

  before(async () => {
    test = await openTestServer({ kind })
    const { program, first, clock } = test
    // The old ones, then who is new.
    for (const name of ['anna', 'bert']) await addInstall(program, first.id, `${name}-phone`, { user: name })
    clock.advance(10 * DAY)
    for (const name of ['carl', 'dora']) await addInstall(program, first.id, `${name}-phone`, { user: name })
    // Without a user of its own, and a user without an install.
    await addInstall(program, first.id, 'nobody-phone')
    const attributes: Record<string, Json> = {
      anna: { plan: 'gold', visits: 3 },
      bert: { plan: 'free', visits: 30 },
      carl: { plan: 'gold', visits: 30 },
      server: { plan: 'gold' },
    }
    for (const [name, body] of Object.entries(attributes)) {
      expect((await test.call('PUT', `/crm/v1/users/${name}/attributes`, { body })).status).to.equal(200)
    }
    await test.call('POST', '/messages/channels', { body: { uuid: 'news', name: 'News' } })
    const lists = { userIds: ['anna', 'server'], installIds: ['carl-phone'] }
    await test.call('POST', '/messages/v2/channels/news/subscriptions', { body: lists })
    const filter = { field: 'identifier', op: 'in', value: ['bert', 'carl', 'server'] }
    segment = (await test.call('POST', '/messages/v1/segments', { body: { name: 'S', filter } })).body as never
  })
  after(() => test.close())

  const search = async (query: Record<string, unknown>) => {
    const texts = Object.entries(query).map(([key, value]) => [
      key,
      typeof value === 'string' ? value : JSON.stringify(value),
    ])
    return test.call('GET', `/crm/v2/users?${new URLSearchParams(Object.fromEntries(texts))}`)
  }
  const namesIn = (body: unknown) => (body as { users: { identifier: string }[] }).users.map((user) => user.identifier)
  const gold = { field: 'attributes.plan', op: 'equals', value: 'gold' }

  const cases: [string, () => Record<string, unknown>, string[]][] = [
    ['an attribute', () => ({ filter: gold }), ['anna', 'carl', 'server']],
    ['what an attribute is not', () => ({ filter: { not: gold } }), ['bert', 'dora', 'nobody-phone']],
    [
      'two conditions',
      () => ({ filter: { and: [gold, { field: 'attributes.visits', op: 'atLeast', value: 10 }] } }),
      ['carl'],
    ],
    ['a name', () => ({ filter: { field: 'identifier', op: 'known', value: false } }), ['nobody-phone']],
    ['a channel, by user or by install', () => ({ channelUuid: 'news' }), ['anna', 'carl', 'server']],
    ['a segment, by an install of theirs', () => ({ segmentUuid: segment.uuid }), ['bert', 'carl']],
    ['a segment by its id', () => ({ segmentUuid: segment.id }), ['bert', 'carl']],
    ['activity', () => ({ activeSince: '2026-03-05' }), ['carl', 'dora', 'nobody-phone', 'server']],
    [
      'all of these',
      () => ({
        filter: gold,
        channelUuid: 'news',
        segmentUuid: segment.uuid,
        activeSince: '2026-03-05T00:00:00+01:00',
      }),
      ['carl'],
    ],
    ['nothing that there is', () => ({ filter: gold, activeSince: '2027-01-01' }), []],
  ]
  for (const [what, query, names] of cases) {
    it(`finds users by ${what}`, async () => {
      const { status, body } = await search(query())
      expect(status).to.equal(200)
      expect(namesIn(body)).to.deep.equal(names)
      expect(body).to.have.keys('users', 'next').and.property('next').to.equal(null)
    })
  }

  it('turns its pages without loss, and shows users as the list does', async () => {
    const names: string[] = []
    let after: number | null | undefined
    do {
      const { body } = await search({ filter: gold, numberPerPage: '1', ...(after && { after: String(after) }) })
      names.push(...namesIn(body))
      after = (body as { next: number | null }).next
    } while (after !== null)
    expect(names).to.deep.equal(['anna', 'carl', 'server'])
    const whole = (await search({ currentPage: '1', numberPerPage: '10' })).body as {
      users: Json[]
      totalUsers: number
    }
    expect(whole.totalUsers).to.equal(6)
    const { users } = (await search({ channelUuid: 'news' })).body as { users: Json[] }
    expect(users[0]).to.deep.equal(whole.users[0])
  })

  const wrong: [Record<string, unknown>, string, RegExp][] = [
    [{ filter: '{' }, 'filter', /must be JSON/],
    [{ filter: { field: 'os', op: 'equals', value: 'iOS' } }, 'filter', /create a segment/],
    [{ filter: { field: 'channel', op: 'equals', value: 'news' } }, 'filter', /create a segment/],
    [{ filter: { field: 'attributes.plan', op: 'is', value: 1 } }, 'filter.op', /one of/],
    [{ channelUuid: 'none' }, 'channelUuid', /there is no channel "none"/],
    [{ segmentUuid: 'none' }, 'segmentUuid', /there is no segment "none"/],
    [{ activeSince: '2026-03-01T10:00' }, 'activeSince', /with its offset/],
    [{ channelUuid: 'news', currentPage: '1' }, 'currentPage', /cannot be combined/],
    [{ after: '0' }, 'after', /at least 1/],
  ]
  for (const [query, key, problem] of wrong) {
    it(`refuses ${JSON.stringify(query)}`, async () => {
      const { status, body } = await search(query)
      expect(status).to.equal(422)
      const { errors } = body as { errors: Record<string, string[]> }
      expect(Object.keys(errors)).to.deep.equal([key])
      expect(errors[key]![0]).to.match(problem)
    })
  }

  it('never finds users, channels or segments of another app', async () => {
    const other = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))
    await test.program.inTransaction(async ({ crm, channels }) => {
      await crm.putAttributes(other.id, 'eve', { plan: 'gold' })
      await channels.create(other.id, { uuid: 'theirs' })
    })
    expect(namesIn((await search({ filter: gold })).body)).not.to.include('eve')
    expect((await search({ channelUuid: 'theirs' })).status).to.equal(422)
  })

  it('runs on the reader thread, and what it found in time is a page with a next', async () => {
    const asked: { call: string; options: AskOptions }[] = []
    let turns = 1
    const pace = { turn: async () => turns-- > 0, monotonic: () => 0, seconds: 5 }
    test.program.kernel.longReads = {
      async ask<T>(call: string, args: readonly unknown[], options: AskOptions) {
        asked.push({ call, options })
        return (await test.program.userSearch.find(...(args as [number, never]), pace)) as T
      },
      close() {},
    }
    try {
      await test.program.inTransaction(async ({ crm }) => {
        for (let i = 0; i < 200; i++) await crm.putAttributes(test.first.id, `later-${i}`, {})
      })
      const none = { field: 'attributes.plan', op: 'equals', value: 'none' }
      const { body } = await search({ filter: none })
      const { users, next } = body as { users: unknown[]; next: number }
      expect(users).to.deep.equal([])
      expect(next).to.be.a('number')
      turns = 9
      expect((await search({ filter: none, after: String(next) })).body).to.deep.equal({ users: [], next: null })
      expect(asked.map(({ call, options }) => [call, options.seconds])).to.deep.equal([
        ['users.find', 5],
        ['users.find', 5],
      ])
      turns = 0
      expect((await search({ filter: none })).status).to.equal(503)
    } finally {
      test.program.kernel.longReads = undefined
    }
  })

  it('GET of a user shows what is known of them, and no token', async () => {
    await test.call('DELETE', '/messages/v2/channels/news/subscriptions', { body: { installIds: ['anna-phone'] } })
    const { status, body } = await test.call('GET', '/crm/v1/users/anna')
    expect(status).to.equal(200)
    expect(body)
      .to.include({ identifier: 'anna', known: true })
      .and.deep.include({
        attributes: { plan: 'gold', visits: 3 },
        channels: [
          { uuid: 'news', name: 'News', subscribed: true, installIds: [], optedOutInstallIds: ['anna-phone'] },
        ],
      })
    expect((body as { installs: Json[] }).installs[0]).to.include({
      id: 'anna-phone',
      subscribedToPushNotifications: true,
    })
    expect(JSON.stringify(body)).not.to.include('token-anna')
    const carl = (await test.call('GET', '/crm/v1/users/carl')).body
    expect(carl).to.deep.include({
      channels: [{ uuid: 'news', name: 'News', subscribed: false, installIds: ['carl-phone'], optedOutInstallIds: [] }],
    })
    expect((await test.call('GET', '/crm/v1/users/none')).status).to.equal(404)
    expect((await test.call('GET', '/crm/v1/users/%00')).status).to.equal(404)
  })

  it('the subscriptions of a channel are listed page by page, users first', async () => {
    const listed: unknown[] = []
    let after = ''
    for (let pages = 0; pages < 9; pages++) {
      const { body } = await test.call('GET', `/messages/v2/channels/news/subscriptions?limit=1${after}`)
      const { subscriptions, next } = body as { subscriptions: unknown[]; next: string | null }
      expect(subscriptions).to.have.length(1)
      listed.push(...subscriptions)
      if (next === null) break
      after = `&after=${next}`
    }
    expect(listed).to.deep.equal([
      { userId: 'anna', installId: null, subscribed: true },
      { userId: 'server', installId: null, subscribed: true },
      { userId: 'anna', installId: 'anna-phone', subscribed: false },
      { userId: 'carl', installId: 'carl-phone', subscribed: true },
    ])
    const get = (query: string) => test.call('GET', `/messages/v2/channels/${query}`)
    expect((await get('news/subscriptions')).body).to.deep.equal({ subscriptions: listed, next: null })
    expect((await get('none/subscriptions')).status).to.equal(404)
    for (const token of ['1', 'x1', 'u-1', 'u']) {
      expect((await get(`news/subscriptions?after=${token}`)).body).to.have.nested.property('errors.after')
    }
  })
})
