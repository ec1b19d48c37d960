import { expect } from 'chai'
import { eventually } from '../support/eventually.ts'
import { basic, openTestServer, type TestServer } from '../support/http.ts'
import { onSqliteDaily } from '../support/program.ts'

interface Page {
  events: { id: string; type: string; userId: string | null; installId: string | null; uuid: string; data: object }[]
  next: string
}

onSqliteDaily('the event log over HTTP', (kind) => {
  let test: TestServer
  before(async () => {
    test = await openTestServer({ kind })
    // Known already: the log would show it when the first event makes her.
    await test.program.inTransaction((tx) => tx.crm.putAttributes(test.first.id, 'anna', {}))
  })
  after(() => test.close())
  // What earlier tests stored is forgotten.
  beforeEach(async () => {
    await test.program.kernel.db.write(async (sql) => {
      await sql('events').delete()
      await sql('forgotten_events').delete()
    })
  })

  const LOG = '/messages/v1/events'
  let made = 0
  const event = (type: string, more: object = {}) => ({
    userId: 'anna',
    type,
    uuid: `u${++made}`,
    timestamp: 1000,
    ...more,
  })
  const send = (...body: object[]) => test.call('POST', '/events/v1/events', { body })
  const read = async (query = '') => {
    const answer = await test.call('GET', LOG + query)
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200)
    return answer.body as Page
  }
  const types = ({ events }: Page) => events.map(({ type }) => type)
  const errorsOf = (body: unknown) => (body as { errors: Record<string, string[]> }).errors

  describe('GET v1/events', () => {
    it('asks for a server key with the scope read', async () => {
      for (const auth of ['none', 'device'] as const) {
        expect((await test.call('GET', LOG, { auth })).status).to.equal(401)
      }
      const { key } = await test.program.inTransaction((tx) =>
        tx.serverKeys.create(test.first.id, { permissions: ['read'] }),
      )
      expect((await test.call('GET', LOG, { auth: basic(test.first.apiKey, key) })).status).to.equal(200)
    })

    it('answers the events of devices and servers page by page, in the order of commit', async () => {
      await test.call('POST', '/events/v1/app-installs/phone/events', {
        auth: 'device',
        body: [{ type: 'shop.viewed', uuid: 'd1', timestamp: 5, userId: 'anna', data: { product: 3 } }],
      })
      await send(event('order.paid', { data: { amount: 5 } }), event('order.sent'))
      const all = await read()
      expect(types(all)).to.deep.equal(['shop.viewed', 'order.paid', 'order.sent'])
      const { id, ...first } = all.events[0]!
      expect(id).to.match(/^[0-9a-z]{22}$/)
      expect(first).to.deep.equal({
        type: 'shop.viewed',
        timestamp: '1970-01-01T00:00:00.005Z',
        receivedAt: new Date(test.clock.now()).toISOString(),
        userId: 'anna',
        installId: 'phone',
        uuid: 'd1',
        data: { product: 3 },
      })
      expect(all.events[1]).to.deep.include({ userId: 'anna', installId: null, data: { amount: 5 } })
      const one = await read('?limit=1')
      expect(types(one)).to.deep.equal(['shop.viewed'])
      expect(types(await read(`?after=${one.next}&limit=1`))).to.deep.equal(['order.paid'])
      expect(types(await read(`?after=${all.events[1]!.id}`))).to.deep.equal(['order.sent'])
      expect(types(await read('?types=order.sent,shop.viewed'))).to.deep.equal(['shop.viewed', 'order.sent'])
      const end = await read(`?after=${all.next}`)
      expect(end.events).to.deep.equal([])
      await send(event('later'))
      expect(types(await read(`?after=${end.next}`))).to.deep.equal(['later'])
    })

    it('answers one event a line when it is asked to', async () => {
      await send(event('a'), event('b'))
      const { apiKey, serverKey } = test.first
      const headers = { authorization: basic(apiKey, serverKey), accept: 'application/x-ndjson' }
      const answer = await fetch(test.address + LOG, { headers })
      expect(answer.headers.get('content-type')).to.equal('application/x-ndjson')
      const lines = (await answer.text()).trim().split('\n')
      expect(lines.map((line) => (JSON.parse(line) as { type: string }).type)).to.deep.equal(['a', 'b'])
      expect(await read(`?after=${answer.headers.get('next-after')}`))
        .to.have.property('events')
        .that.deep.equals([])
    })

    it('shows what a server gave to a notification in the event of its opening', async () => {
      const body = {
        target: { userIds: ['anna'], userMeta: { anna: { seat: '12A' } } },
        content: { title: 'T', message: 'M' },
        reportingMeta: { campaign: 'spring' },
      }
      await test.call('POST', '/events/v1/app-installs/phone/events', {
        auth: 'device',
        body: [
          { type: 'k.push.deviceRegistered', uuid: 'a0', timestamp: 1, data: { token: 'token', type: 2 } },
          { type: 'k.stats.userAssociated', uuid: 'a1', timestamp: 1, data: { id: 'anna' } },
        ],
      })
      const sent = await test.call('POST', '/push/v2/notifications', { body })
      expect(sent.status, JSON.stringify(sent.body)).to.equal(202)
      const { id } = (sent.body as { notification: { id: number } }).notification
      await test.call('POST', '/events/v1/app-installs/phone/events', {
        auth: 'device',
        body: [{ type: 'k.message.opened', uuid: 'o1', timestamp: 2, data: { type: 1, id } }],
      })
      const [opened] = (await read('?types=k.message.opened')).events
      expect(opened!.data).to.deep.include({ reportingMeta: { campaign: 'spring' }, userMeta: { seat: '12A' } })
    })

    it('waits for an event, and answers as soon as one of the wanted types is stored', async () => {
      await send(event('dull'))
      const { next } = await read()
      const waiting = read(`?after=${next}&types=wanted&wait=20`)
      await eventually(() => test.program.logWatch.waiting() === 1, 'it waits')
      await send(event('dull'))
      await send(event('wanted'))
      expect(types(await waiting)).to.deep.equal(['wanted'])
      expect(test.program.logWatch.waiting()).to.equal(0)
    })

    it('answers without an event when the wait is over, with a place to go on from', async () => {
      const { next } = await read()
      const page = await read(`?after=${next}&wait=1`)
      expect(page.events).to.deep.equal([])
      await send(event('later'))
      expect(types(await read(`?after=${page.next}`))).to.deep.equal(['later'])
    })

    it('lets no more than fifty readers of an app wait', async () => {
      const waits = Array.from({ length: 50 }, () => test.program.logWatch.listen({ appId: test.first.id }))
      const all = await Promise.all(waits)
      const answer = await test.call('GET', `${LOG}?wait=20`)
      expect(answer.status).to.equal(429)
      expect(answer.headers.get('retry-after')).to.equal('1')
      for (const one of all) one.leave()
    })

    it('answers 410 to a reader that is behind the retention', async () => {
      await send(event('seen'))
      const { next } = await read()
      await send(event('lost'))
      test.clock.advance(100 * 86_400_000)
      await test.program.inTransaction((tx) => tx.events.forget(90, 100))
      const answer = await test.call('GET', `${LOG}?after=${next}`)
      expect(answer.status).to.equal(410)
      expect(answer.body).to.have.property('error').that.includes('events.retentionDays')
      await send(event('kept'))
      expect(types(await read())).to.deep.equal(['kept'])
    })

    for (const [query, field] of [
      ['?after=12', 'after'],
      ['?limit=0', 'limit'],
      ['?limit=1001', 'limit'],
      ['?wait=21', 'wait'],
      ['?types=a,,b', 'types'],
    ] as const) {
      it(`refuses ${query}`, async () => {
        const answer = await test.call('GET', LOG + query)
        expect(answer.status).to.equal(422)
        expect(errorsOf(answer.body)).to.have.property(field)
      })
    }
  })

  describe('GET v1/events/latest', () => {
    interface Latest extends Page {
      next: string
      end: string
    }
    const latest = async (query = '') => (await read(`/latest${query}`)) as unknown as Latest

    it('answers the newest events first, and goes on with older ones to the oldest', async () => {
      await send(event('a'), event('b'), event('c'))
      const first = await latest('?limit=2')
      expect(types(first)).to.deep.equal(['c', 'b'])
      const second = await latest(`?limit=2&before=${first.next}`)
      expect(types(second)).to.deep.equal(['a'])
      expect(second.next).to.equal(null)
      expect(types(await latest())).to.deep.equal(['c', 'b', 'a'])
    })

    it('says where to go on with what comes', async () => {
      await send(event('a'))
      const { end } = await latest()
      await send(event('b'))
      expect(types(await read(`?after=${end}`))).to.deep.equal(['b'])
    })

    it('answers events of some types, of a user, of an install, and with a text in an id', async () => {
      const phone = (install: string, body: object[]) =>
        test.call('POST', `/events/v1/app-installs/${install}/events`, { auth: 'device', body })
      await phone('tablet', [
        { type: 'k.stats.userAssociated', uuid: 'p1', timestamp: 1, data: { id: 'berta' } },
        { type: 'shop.viewed', uuid: 'p2', timestamp: 2, userId: 'berta' },
      ])
      await phone('tablet', [
        { type: 'k.stats.userAssociated', uuid: 'p3', timestamp: 3, data: { id: 'carl' } },
        { type: 'shop.viewed', uuid: 'p4', timestamp: 4, userId: 'carl' },
      ])
      await send(event('order.paid', { userId: 'berta', uuid: 'Order-17' }), event('order.paid', { userId: 'dora' }))
      const uuids = async (query: string) => (await latest(query)).events.map(({ uuid }) => uuid)
      expect(
        await uuids('?userId=berta&types=shop.viewed,order.paid'),
        'also what a device of somebody else reported',
      ).to.deep.equal(['Order-17', 'p2'])
      expect(await uuids('?installId=tablet')).to.deep.equal(['p4', 'p3', 'p2', 'p1'])
      const one = await latest('?installId=tablet&limit=1')
      expect(types(await latest(`?installId=tablet&limit=1&before=${one.next}`))).to.deep.equal([
        'k.stats.userAssociated',
      ])
      expect(await uuids('?q=order-1')).to.deep.equal(['Order-17'])
      expect(await uuids('?q=TABL&types=shop.viewed')).to.deep.equal(['p4', 'p2'])
      expect(await uuids('?userId=nobody')).to.deep.equal([])
      expect(await uuids('?installId=none')).to.deep.equal([])
    })

    it('looks at two thousand events at a time, and goes on behind them', async () => {
      await send(event('rare'))
      await test.program.inTransaction((tx) =>
        tx.events.recordAll(
          test.first.id,
          Array.from({ length: 2000 }, () => ({ type: 'dull', data: null })),
        ),
      )
      const first = await latest('?types=rare')
      expect(first.events).to.deep.equal([])
      expect(types(await latest(`?types=rare&before=${first.next}`))).to.deep.equal(['rare'])
    })

    for (const [query, field] of [
      ['?before=12', 'before'],
      ['?limit=201', 'limit'],
      ['?types=a,,b', 'types'],
      ['?userId=a&installId=b', 'installId'],
    ] as const) {
      it(`refuses ${query}`, async () => {
        const answer = await test.call('GET', `${LOG}/latest${query}`)
        expect(answer.status).to.equal(422)
        expect(errorsOf(answer.body)).to.have.property(field)
      })
    }
  })

  describe('POST v1/events of a server', () => {
    it('asks for a server key with the scope crm', async () => {
      for (const auth of ['none', 'device'] as const) {
        expect((await test.call('POST', '/events/v1/events', { auth, body: [] })).status).to.equal(401)
      }
    })

    it('stores an event once, also when it comes twice in one batch and again later', async () => {
      const one = event('order.paid')
      expect((await send(one, one)).status).to.equal(202)
      expect((await send(one)).body).to.deep.equal({})
      expect(types(await read())).to.deep.equal(['order.paid'])
    })

    it('takes the good ones and says what is wrong with the others', async () => {
      const answer = await send(
        event('good'),
        event('k.message.opened'),
        event('no.user', { userId: undefined }),
        event('no.time', { timestamp: undefined }),
        event('bad.data', { data: 'text' }),
        event('large', { data: { text: 'x'.repeat(300_000) } }),
      )
      expect(answer.status).to.equal(202)
      const { refused } = answer.body as { refused: { index: number; errors: object }[] }
      expect(refused.map(({ index, errors }) => [index, ...Object.keys(errors)])).to.deep.equal([
        [1, 'type'],
        [2, 'userId'],
        [3, 'timestamp'],
        [4, 'data'],
        [5, 'data'],
      ])
      expect(types(await read())).to.deep.equal(['good'])
    })

    it('makes an unknown user, who is known, and leaves the last activity of a known one', async () => {
      const userId = `new-${kind}`
      await send(event('order.paid', { userId }))
      const made = await test.program.crm.showUser(test.first.id, userId)
      test.clock.advance(60_000)
      await send(event('order.paid', { userId }))
      expect(await test.program.crm.showUser(test.first.id, userId)).to.have.property('lastActive', made.lastActive)
    })

    it('refuses what is no array, and more than a thousand', async () => {
      expect((await test.call('POST', '/events/v1/events', { body: {} })).status).to.equal(422)
      const many = Array.from({ length: 1001 }, () => event('a'))
      expect((await send(...many)).status).to.equal(413)
    })
  })
})
