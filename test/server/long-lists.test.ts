import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { expect } from 'chai'
import type { Knex } from 'knex'
import type { NewApp } from '../../src/domain/apps/types.ts'
import { chunks, collect } from '../../src/platform/concurrency/chunks.ts'
import { basic, openTestServer, type TestServer } from '../support/http.ts'
import { addInstall, usersPage } from '../support/installs.ts'
import { newLink } from '../support/links.ts'
import { describeShapes, onEachDatabase } from '../support/program.ts'
import { column, makeTable, restKey } from '../support/tables.ts'
import { addMessage, giveMessage } from '../support/user-messages.ts'

const LARGE = 400_000
const text = (bytes: number) => 'x'.repeat(bytes)

onEachDatabase('a long list', (kind) => {
  let test: TestServer
  let appId: number
  before(async () => {
    test = await openTestServer({ kind })
  })
  beforeEach(async () => {
    await test.startOver()
    appId = test.first.id
  })
  after(() => test.close())

  const sql = () => test.program.kernel.db.read
  /** Stores what the doors would not. */
  const write = (work: (trx: Knex.Transaction) => Promise<unknown>) => test.program.kernel.db.write(work)
  /** Users as they could be stored before there were limits. */
  async function makeUsers(count: number, bytes = LARGE) {
    await test.program.inTransaction(async (tx) => {
      for (let i = 0; i < count; i++) await tx.crm.putAttributes(appId, `u${i}`, {})
    })
    await write(async (trx) => {
      for (let i = 0; i < count; i++) {
        const attributes = JSON.stringify({ number: i, text: text(bytes) })
        await trx('users')
          .where({ app_id: appId, identifier: `u${i}` })
          .update({ attributes })
      }
    })
  }
  let many: NewApp | undefined
  /** More than what sockets hold, for those that only read it. */
  async function useManyUsers() {
    if (many) test.first = many
    appId = test.first.id
    if (!many) await makeUsers(60)
    many = test.first
  }
  const setAttributes = (identifier: string, attributes: string) =>
    write(async (trx) => trx('users').where({ app_id: appId, identifier }).update({ attributes }))
  async function makeChannels(count: number, name: string | null) {
    for (let i = 0; i < count; i++) {
      const channel = { uuid: `${name}${i}`, name }
      const { id } = await test.program.inTransaction((tx) => tx.channels.create(appId, channel))
      const meta = JSON.stringify({ number: i, text: text(LARGE) })
      await write(async (trx) => trx('channels').where({ id }).update({ meta }))
    }
  }
  /** The largest answer that the database gave while `work` ran, in characters of text. */
  async function largestRead(work: () => Promise<unknown>): Promise<number> {
    let largest = 0
    const hear = (response: unknown) => {
      const { rows = response } = response as { rows?: unknown }
      const all = [rows].flat().flatMap((row) => Object.values(row ?? {}) as unknown[])
      largest = Math.max(
        largest,
        all.reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 0), 0),
      )
    }
    sql().on('query-response', hear)
    await work()
    sql().off('query-response', hear)
    return largest
  }
  /** Counts the slices of users that are read from now on. */
  function countSlices(): () => number {
    let slices = 0
    sql().on('query', ({ sql: statement }: { sql: string }) => {
      if (/select \* from [`"]users[`"] where \+app_id/.test(statement)) slices++
    })
    return () => slices
  }
  /** An answer whose body nobody has read yet. */
  async function begin(path: string): Promise<IncomingMessage> {
    const { apiKey, serverKey } = test.first
    const request = get(test.address + path, { headers: { authorization: basic(apiKey, serverKey) } })
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    return response
  }

  /** Hears at which level the log tells of answers that were not written to their end. */
  function listen() {
    const { log } = test.program.kernel
    const { debug, error } = log
    const told: string[] = []
    let hear = () => {}
    const note = (level: string) => (_: object, message: string) => {
      if (message !== 'an answer could not be completed') return
      told.push(level)
      hear()
    }
    Object.assign(log, { debug: note('debug'), error: note('error') })
    return {
      told,
      heard: () => new Promise<void>((resolve) => (hear = resolve)),
      restore: () => Object.assign(log, { debug, error }),
    }
  }

  it('of users is whole, in order, and read a slice at a time', async () => {
    await makeUsers(6)
    let body: unknown
    const largest = await largestRead(async () => {
      body = (await test.call('GET', '/v2/users?currentPage=1&numberPerPage=5')).body
    })
    const { users, ...others } = body as { users: { identifier: string; attributes: object; installs: [] }[] }
    expect(Object.keys(body as object)).to.deep.equal(['users', 'totalUsers', 'currentPage'])
    expect(others).to.deep.equal({ totalUsers: 6, currentPage: 1 })
    expect(users.map(({ identifier }) => identifier)).to.deep.equal(['u0', 'u1', 'u2', 'u3', 'u4'])
    expect(users[4]!.attributes).to.deep.equal({ number: 4, text: text(LARGE) })
    expect(largest).to.be.below(1_000_000)
  })

  it('of users counts their installs among what a slice weighs', async () => {
    await makeUsers(4, 10)
    await write(async (trx) => trx('users').where({ app_id: appId }).update({ install_count: 900 }))
    const slices = countSlices()
    const { users } = await usersPage(test.program, appId, 1, 10)
    expect([users.length, slices()]).to.deep.equal([4, 4])
  })

  describeShapes(kind, 'while it is sent,', () => {
    it('that fits one piece comes with its length, as ever', async () => {
      await makeUsers(2, 10)
      const answer = await test.call('GET', '/v2/users?currentPage=1&numberPerPage=5')
      expect(Number(answer.headers.get('content-length'))).to.be.above(100)
      const empty = await test.call('GET', '/v2/users?currentPage=9&numberPerPage=5')
      expect(empty.body).to.deep.equal({ users: [], totalUsers: 2, currentPage: 9 })
    })

    it('that breaks off ends the connection, so that half of it is no answer', async () => {
      await makeUsers(4)
      await setAttributes('u3', '{"broken')
      const { told, restore } = listen()
      const response = await begin('/v2/users?currentPage=1&numberPerPage=10')
      expect(response.statusCode).to.equal(200)
      response.resume()
      const [error] = (await once(response, 'error')) as [NodeJS.ErrnoException]
      expect(error.code).to.equal('ECONNRESET')
      expect(response.complete).to.equal(false)
      restore()
      expect(told).to.include('error')
      // One that breaks in the first piece is an error like any other.
      await setAttributes('u0', '{"broken')
      expect((await test.call('GET', '/v2/users?currentPage=1&numberPerPage=10')).status).to.equal(500)
    })

    it('whose reader goes away, by whatever way, is no error that an operator must see', async () => {
      await useManyUsers()
      const { told, heard, restore } = listen()
      try {
        for (const leave of [(one: Socket) => one.resetAndDestroy(), (one: Socket) => one.destroy()]) {
          const response = await begin('/v2/users?currentPage=1&numberPerPage=100')
          await once(response, 'readable')
          const isTold = heard()
          leave(response.socket)
          await isTold
        }
        expect(told).to.not.include('error')
      } finally {
        restore()
      }
    })

    it('is not read on for somebody who does not read it', async () => {
      await useManyUsers()
      const slices = countSlices()
      const response = await begin('/v2/users?currentPage=1&numberPerPage=100')
      await new Promise((resolve) => response.once('readable', resolve))
      // Others are served meanwhile, so the list has had every chance to go on.
      for (let i = 0; i < 200; i++) await test.call('GET', '/v1/users/nobody/attributes')
      const whileWaiting = slices()
      response.destroy()
      expect(whileWaiting).to.be.within(1, 50)
    })

    it('waits for room while another is not read, and small answers do not', async () => {
      const shared = test
      test = await openTestServer({ kind, settings: { 'http.answerBytes': '1048576' } })
      try {
        appId = test.first.id
        await expectTurns()
      } finally {
        await test.close()
        test = shared
      }
    })

    async function expectTurns() {
      await makeUsers(60)
      await makeChannels(3, 'a')
      const rows = Array.from({ length: 3 }, () => ({ body: text(LARGE) }))
      const { alias } = await makeTable(test, 'notes', [column('body', 'text')])
      await test.program.inTransaction((tx) => tx.records.create(appId, alias, rows))
      const rest = { auth: await restKey(test, ['read']) }
      for (const [path, how] of [
        ['/v2/users?currentPage=1&numberPerPage=5', {}],
        ['/channels', {}],
        [`/data/v1/data/${alias}`, rest],
        [`/data/v1/data/${alias}?numberPerPage=2`, rest],
      ] as const) {
        const first = await begin('/v2/users?currentPage=1&numberPerPage=100')
        await new Promise((resolve) => first.once('readable', resolve))
        let answered = false
        const second = test.call('GET', path, how).finally(() => {
          answered = true
        })
        for (let i = 0; i < 20; i++) await test.call('GET', '/v1/users/nobody/attributes')
        expect(answered, path).to.equal(false)
        first.destroy()
        expect((await second).status, path).to.equal(200)
      }
    }
  })

  it('of a device has every channel that it sees, public and private, in the order of their creation', async () => {
    await makeChannels(3, 'a')
    await makeChannels(2, null)
    await makeChannels(2, 'b')
    const device = { auth: 'device' } as const
    const subscribe = { ...device, body: { uuids: ['null1', 'b0'] } }
    expect((await test.call('POST', '/v1/app-installs/i/channels/subscriptions', subscribe)).status).to.equal(204)
    for (const path of ['/v1/app-installs/i/channels', '/v1/users/i/channels']) {
      let body: unknown
      const largest = await largestRead(async () => {
        body = (await test.call('GET', path, device)).body
      })
      const seen = body as { uuid: string; subscribed: boolean; meta: { number: number } }[]
      expect(seen.map(({ uuid, subscribed, meta }) => [uuid, subscribed, meta.number])).to.deep.equal([
        ['a0', false, 0],
        ['a1', false, 1],
        ['a2', false, 2],
        ['null1', true, 1],
        ['b0', true, 0],
        ['b1', false, 1],
      ])
      expect(largest).to.be.below(1_000_000)
    }
    // Looking them up by their names reads nothing of what they carry.
    const largest = await largestRead(() => test.program.channels.findByUuids(appId, ['a0', 'a1', 'null1']))
    expect(largest).to.be.below(1000)
  })

  it('of in-app messages is whole, and what they show is read a slice at a time', async () => {
    await addInstall(test.program, appId, 'phone', { user: 'anna' })
    const ids: number[] = []
    for (let i = 0; i < 4; i++) {
      const id = await addMessage(test.program, appId, { data: { number: i, text: text(LARGE) } })
      await giveMessage(test.program, appId, id, ['anna'])
      ids.unshift(id)
    }
    let body: unknown
    const largest = await largestRead(async () => {
      body = (await test.call('GET', '/v1/users/anna/messages', { auth: 'device' })).body
    })
    const seen = body as { id: number; content: object; data: { number: number; text: string } }[]
    expect(seen.map(({ id }) => id)).to.deep.equal(ids)
    expect(seen.map(({ data }) => [data.number, data.text.length])).to.deep.equal([3, 2, 1, 0].map((n) => [n, LARGE]))
    expect(seen.every(({ content }) => typeof content === 'object')).to.equal(true)
    expect(largest).to.be.below(1_000_000)
  })

  it('of check-ins that were stored before there was a limit is whole, newest first', async () => {
    const device = { auth: 'device' } as const
    for (let i = 0; i < 4; i++) {
      const body = { location: `Bar ${i}`, contacts: [{ lastName: 'Doe', meta: { a: 'b' } }], deviceKey: 'k' }
      expect((await test.call('POST', '/v1/users/anna/checkins', { ...device, body })).status).to.equal(201)
    }
    await write(async (trx) => trx('checkin_contacts').update({ meta: JSON.stringify({ text: text(LARGE) }) }))
    let body: unknown
    const largest = await largestRead(async () => {
      body = (await test.call('GET', '/v1/users/anna/open-checkins?deviceKey=k', device)).body
    })
    const seen = body as { location: string; contacts: { meta: { text: string } }[] }[]
    expect(seen.map(({ location }) => location)).to.deep.equal(['Bar 3', 'Bar 2', 'Bar 1', 'Bar 0'])
    expect(seen.every(({ contacts }) => contacts[0]!.meta.text.length === LARGE)).to.equal(true)
    expect(largest).to.be.below(1_000_000)
    const page = await test.program.checkins.list(appId, undefined, 3)
    expect([page.checkins.length, page.next]).to.deep.equal([3, page.checkins[2]!.id])
  })

  it('of records is whole, in order, and what is large in them is read a slice at a time', async () => {
    const columns = [column('n', 'integer', { indexed: true }), column('body', 'text'), column('data', 'json')]
    const strings = ['title', 'more', 'most'].map((name) => column(name, 'string'))
    const { alias } = await makeTable(test, 'notes', [...columns, ...strings])
    const bodies = Array.from({ length: 24 }, (_, i) => ({
      n: 24 - i,
      title: `${i}`,
      more: null,
      most: 'é'.repeat(255),
      ...(i % 3 === 0 ? { body: `${i} ${text(LARGE)}`, data: null } : {}),
      ...(i % 3 === 1 ? { body: 'é', data: { i, text: text(LARGE) } } : {}),
      ...(i % 3 === 2 ? { body: null, data: [i] } : {}),
    }))
    const { ids } = await test.program.inTransaction((tx) => tx.records.create(appId, alias, bodies))
    const auth = await restKey(test, ['read'])
    const read = (query: string) => test.call('GET', `/data/v1/data/${alias}${query}`, { auth })
    const whole = (record: Record<string, unknown>) => {
      const { id, createdAt: _made, updatedAt: _changed, ...others } = record
      return [id, others]
    }
    const expected = bodies.map((body, i) => [ids[i], body])
    const filter = encodeURIComponent(JSON.stringify({ field: 'n', operator: 'lte', value: 20 }))
    const byTitle = expected.toSorted(([, a], [, b]) =>
      (a as { title: string }).title < (b as { title: string }).title ? 1 : -1,
    )
    const asked = [
      ['?numberPerPage=1000', expected, false],
      ['?numberPerPage=7&page=2', expected.slice(7, 14), true],
      ['?numberPerPage=20&sortBy=n', expected.toReversed().slice(0, 20), true],
      ['?numberPerPage=1000&sortBy=-title', byTitle, false],
      [`?numberPerPage=20&sortBy=n&filter=${filter}`, expected.slice(4).toReversed(), false],
    ] as const
    for (const [query, page, hasNext] of asked) {
      let answer!: Awaited<ReturnType<typeof read>>
      const largest = await largestRead(async () => {
        answer = await read(`${query}&count=true`)
      })
      expect((answer.body as Record<string, unknown>[]).map(whole), query).to.deep.equal(page)
      expect(answer.headers.get('total-count'), query).to.equal(query.includes('filter') ? '20' : '24')
      expect(answer.headers.has('next-after'), query).to.equal(hasNext)
      expect(largest, query).to.be.below(1_000_000)
    }
    const { headers, body } = await read('?numberPerPage=7')
    const next = await read(`?numberPerPage=7&after=${headers.get('next-after')}`)
    expect([...(body as []), ...(next.body as [])].map(whole)).to.deep.equal(expected.slice(0, 14))
    // What is small comes whole, and says its length.
    expect(Number((await read(`?page=1&sortBy=n&numberPerPage=1`)).headers.get('content-length'))).to.be.above(10)
  })

  it('of records leaves out what is deleted while it is read', async () => {
    const { alias } = await makeTable(test, 'notes', [column('body', 'text')])
    const bodies = Array.from({ length: 9 }, () => ({ body: text(LARGE) }))
    const { ids } = await test.program.inTransaction((tx) => tx.records.create(appId, alias, bodies))
    const { records } = await test.program.records.list(appId, alias, { numberPerPage: 9 })
    await test.program.inTransaction((tx) => tx.records.delete(appId, alias, ids[4]!))
    expect((await collect(records)).map(({ id }) => id)).to.deep.equal(ids.toSpliced(4, 1))
  })

  it('with more channels than are weighed at once is whole', async () => {
    const rows = Array.from({ length: 2101 }, (_, i) => ({
      app_id: appId,
      uuid: `c${i}`,
      name: i % 7 === 0 ? null : 'Name',
      show_in_portal: false,
      created_at: 1,
      updated_at: 1,
    }))
    for (const some of chunks(rows, 100)) await write(async (trx) => trx('channels').insert(some))
    const mine = ['c0', 'c7', 'c1400', 'c2100']
    const subscribe = { auth: 'device', body: { uuids: mine } } as const
    await test.call('POST', '/v1/users/anna/channels/subscriptions', subscribe)
    const { body } = await test.call('GET', '/v1/users/anna/channels', { auth: 'device' })
    const expected = rows.filter(({ uuid, name }) => name !== null || mine.includes(uuid)).map(({ uuid }) => uuid)
    expect((body as { uuid: string }[]).map(({ uuid }) => uuid)).to.deep.equal(expected)
  })

  it('with a next ends its page earlier, and all pages together are whole', async () => {
    const notification = {
      source: 1,
      status: 6,
      filters: JSON.stringify({ text: text(LARGE) }),
      target: '{}',
      content: '{"title":"t","message":"m"}',
      has_user_meta: false,
      expires_at: 1,
      created_at: 1,
      updated_at: 1,
    }
    await makeChannels(12, 'a')
    for (let i = 0; i < 12; i++) {
      await test.program.inTransaction((tx) => tx.links.create(appId, [newLink({ slug: `s${i}` })]))
      await write(async (trx) => trx('notifications').insert({ ...notification, app_id: appId }))
    }
    await write(async (trx) => trx('deep_links').update({ link_data: JSON.stringify({ text: text(LARGE) }) }))
    const lists = [
      ['/channels', 'channels'],
      ['/v1/deep-links', 'deepLinks'],
      ['/messages/v2/notifications', 'notifications'],
    ] as const
    for (const [path, name] of lists) {
      const pages: number[][] = []
      const largest = await largestRead(async () => {
        for (let after: number | null = 0; after !== null; ) {
          const query: string = after === 0 ? '' : `&after=${after}`
          const { body } = await test.call('GET', `${path}?limit=100${query}`)
          const page = body as Record<string, { id: number }[]> & { next: number | null }
          pages.push(page[name]!.map(({ id }) => id))
          after = page.next
        }
      })
      expect(
        pages.map((page) => page.length),
        path,
      ).to.deep.equal([5, 5, 2])
      expect(new Set(pages.flat()), path).to.have.property('size', 12)
      expect(largest, path).to.be.below(2_200_000)
    }
  })
})
