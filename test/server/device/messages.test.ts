import { expect } from 'chai'
import type { Sql } from '../../../src/platform/db/connect.ts'
import { basic, openTestServer, type TestServer } from '../../support/http.ts'
import { addTemplates, addUser, handOut } from '../../support/in-app.ts'
import { addInstall } from '../../support/installs.ts'
import { itOfShape, onEachDatabase } from '../../support/program.ts'
import { addMessage, giveMessage, type MessageFields } from '../../support/user-messages.ts'

type Json = Record<string, unknown>

const HOUR = 3_600_000
const DAY = 24 * HOUR
const OFFSET_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+0000$/

/** Reads as strictly as the Android SDK: one wrong value costs the whole answer. */
function readAsAndroid(body: unknown): void {
  if (!Array.isArray(body)) throw new Error('not an array')
  const time = (value: unknown) => {
    if (typeof value !== 'string' || !OFFSET_TIME.test(value)) throw new Error(`unparseable date ${String(value)}`)
  }
  const object = (value: unknown) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('not an object')
    return value as Json
  }
  for (const one of body) {
    const message = object(one)
    if (!Number.isInteger(message.id)) throw new Error('id is no int')
    if (typeof message.presentedWhen !== 'string') throw new Error('presentedWhen is no string')
    object(message.content)
    time(message.updatedAt)
    for (const key of ['openedAt', 'expiresAt', 'inboxDeletedAt', 'readAt', 'sentAt']) {
      if (message[key] !== null) time(message[key])
    }
    if (message.inbox === null) continue
    const inbox = object(message.inbox)
    // Read as text and compared with "null"; old versions end the app when they are absent.
    for (const key of ['from', 'to']) {
      if (!(key in inbox)) throw new Error(`${key} is absent`)
      if (inbox[key] !== null) time(inbox[key])
    }
    for (const key of ['title', 'subtitle']) if (typeof inbox[key] !== 'string') throw new Error(`${key} is no string`)
  }
}

/** Casts what the Swift SDK casts without looking. */
function readAsSwift(body: unknown): void {
  const list = body as Json[]
  for (const message of list) {
    if (!Number.isSafeInteger(message.id)) throw new Error('id is no Int64')
    for (const key of ['updatedAt', 'presentedWhen']) {
      if (typeof message[key] !== 'string') throw new Error(`${key} cannot be cast`)
    }
    if (Number.isNaN(Date.parse(message.updatedAt as string))) throw new Error('updatedAt unwraps nil')
    if (typeof message.content !== 'object' || message.content === null) throw new Error('content cannot be cast')
    const inbox = message.inbox as Json | null
    if (inbox !== null && (typeof inbox.title !== 'string' || typeof inbox.subtitle !== 'string')) {
      throw new Error('inbox cannot be cast')
    }
  }
}

onEachDatabase('in-app messages of devices', (kind) => {
  const itAnswers = itOfShape(kind)
  let test: TestServer
  let appId: number
  let uuid = 0
  before(async () => {
    test = await openTestServer({ kind })
  })
  beforeEach(async () => {
    test.clock.set(Date.parse('2026-03-01T12:00:00Z'))
    appId = (await test.program.inTransaction((tx) => tx.apps.create({ name: `App ${uuid++}` }))).id
    keys = await test.program.inTransaction(async (tx) => ({
      secret: await tx.apps.rotate(appId, 'secret', 0),
      api: await tx.apps.rotate(appId, 'api', 0),
    }))
    await addInstall(test.program, appId, 'I1', { user: 'anna@example.com' })
  })
  after(() => test.close())

  let keys: { api: string; secret: string }
  const device = () => ({ auth: basic(keys.api, keys.secret) })
  const path = (user = 'anna@example.com') => `/push/v1/users/${encodeURIComponent(user)}/messages`
  const sync = async (query = '', user?: string) => {
    const answer = await test.call('GET', path(user) + query, device())
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200)
    readAsAndroid(answer.body)
    readAsSwift(answer.body)
    return answer.body as (Json & { id: number })[]
  }
  const idsOf = async (query = '') => (await sync(query)).map(({ id }) => id).sort((a, b) => a - b)
  const add = async (fields: MessageFields = {}, sentAt?: number) => {
    const id = await addMessage(test.program, appId, fields)
    await giveMessage(test.program, appId, id, ['anna@example.com'], sentAt)
    return id
  }
  const since = (ms: number) => `?after=${new Date(ms).toISOString().slice(0, 19)}Z`
  const now = () => test.clock.now()
  const tell = async (type: string, data: unknown, more: Json = {}, installId = 'I1') => {
    const event = { type, uuid: `u${uuid++}`, timestamp: now(), data, userId: 'anna@example.com', ...more }
    const answer = await test.call('POST', `/events/v1/app-installs/${installId}/events`, {
      ...device(),
      body: [event],
    })
    expect([answer.status, answer.body]).to.deep.equal([202, {}])
  }
  const counts = (id: number) =>
    test.program.kernel.db
      .read('in_app_messages')
      .where({ id })
      .first('delivered', 'shown', 'dismissed', 'read', 'inbox_deleted')

  describe('the sync', () => {
    itAnswers('gives a message exactly as devices read it', async () => {
      const id = await add({
        content: { ver: 1, frame: { type: 'alert', nodes: [] } },
        data: { screen: 'offers' },
        inbox: { title: 'Hello', subtitle: '', from: now(), to: now() + DAY, imageUrl: 'https://example.com/a.png' },
        presentedWhen: 'next-open',
        ttlMs: HOUR,
      })
      expect(await sync()).to.deep.equal([
        {
          id,
          presentedWhen: 'next-open',
          content: { ver: 1, frame: { type: 'alert', nodes: [] } },
          data: { screen: 'offers' },
          badge: null,
          inbox: {
            title: 'Hello',
            subtitle: '',
            from: '2026-03-01T12:00:00+0000',
            to: '2026-03-02T12:00:00+0000',
            imagePath: 'https://example.com/a.png',
          },
          expiresAt: '2026-03-01T13:00:00+0000',
          sentAt: '2026-03-01T12:00:00+0000',
          openedAt: null,
          readAt: null,
          inboxDeletedAt: null,
          updatedAt: '2026-03-01T12:00:00+0000',
        },
      ])
    })

    itAnswers('gives null where there is nothing', async () => {
      await add({ inbox: { title: 'a', subtitle: 'b' } })
      await add()
      const [plain, boxed] = await sync()
      expect(boxed!.inbox).to.deep.equal({ title: 'a', subtitle: 'b', from: null, to: null, imagePath: null })
      expect(plain).to.include({ data: null, inbox: null, expiresAt: null })
    })

    for (const [what, fields] of [
      ['content that is no object', { content: [1] }],
      ['content that is null', { content: null }],
      ['an unknown moment', { presentedWhen: 'later' }],
    ] as const) {
      itAnswers(`leaves out a message with ${what}, and gives the rest`, async () => {
        const good = await add()
        await add(fields)
        expect(await idsOf()).to.deep.equal([good])
      })
    }

    it('gives what is stored beside the content in the right type or not at all', async () => {
      await add({ data: ['x'], inbox: { title: 1, subtitle: null, to: 'soon', imageUrl: 'a.png' } as never })
      const [message] = await sync()
      expect(message!.data).to.equal(null)
      expect(message!.inbox).to.deep.equal({ title: '', subtitle: '', from: null, to: null, imagePath: null })
    })

    it('without `after` gives what is current: not over, or still in the inbox', async () => {
      const start = now()
      const open = await add()
      await add({ ttlMs: HOUR }, start - 2 * HOUR)
      const boxed = await add({ ttlMs: HOUR, inbox: { title: 'a', subtitle: '' } }, start - 2 * HOUR)
      await add({ ttlMs: HOUR, inbox: { title: 'a', subtitle: '', to: start - 1 } }, start - 2 * HOUR)
      const closed = await add()
      const closedBoxed = await add({ inbox: { title: 'a', subtitle: '' } })
      const deleted = await add({ inbox: { title: 'a', subtitle: '' } })
      await add({ withdrawnAt: start })
      for (const id of [closed, closedBoxed]) await tell('k.message.dismissed', { type: 2, id })
      await tell('k.message.inbox.deleted', { type: 2, id: deleted })
      expect(await idsOf()).to.deep.equal([open, boxed, closedBoxed])
      const found = new Map((await sync()).map((message) => [message.id, message]))
      // Android would show it again otherwise.
      expect(found.get(boxed)!.openedAt).to.equal(found.get(boxed)!.expiresAt)
    })

    it('with `after` gives what changed since, and a little before, also what is over', async () => {
      const old = await add({}, now() - HOUR)
      const late = await add({}, now() - 4 * 60_000)
      const fresh = await add({})
      expect(await idsOf(since(now()))).to.deep.equal([late, fresh])
      expect(await idsOf(since(now() - HOUR))).to.deep.equal([old, late, fresh])
      await tell('k.message.read', { type: 2, id: old })
      expect(await idsOf(since(now()))).to.deep.equal([old, late, fresh])
    })

    for (const [what, skew] of [
      ['ten minutes ahead', 10 * 60_000],
      ['an hour ahead', HOUR],
      ['ten minutes behind', -10 * 60_000],
    ] as const) {
      itAnswers(`loses nothing for a device that asks by its own clock, which is ${what}`, async () => {
        const asked = now() + skew
        test.clock.set(now() + 60_000)
        const sent = await add()
        // Its push is opened at once, or its app some other time.
        expect(await idsOf(since(asked))).to.deep.equal([sent])
        test.clock.set(now() + 2 * HOUR)
        expect(await idsOf(since(asked))).to.deep.equal([sent])
      })
    }

    itAnswers(
      'with an `after` a little ahead of our clock gives what changed lately, and nothing for one far ahead',
      async () => {
        await add({}, now() - 2 * HOUR)
        const recent = await add({})
        expect(await idsOf(since(now() + HOUR))).to.deep.equal([recent])
        expect(await idsOf(since(now() + 70 * 60_000))).to.deep.equal([])
        expect(await idsOf('?after=2099-01-01T00:00:00Z')).to.deep.equal([])
      },
    )

    it('tells a device that was away for long what is current, and what became of what it has', async () => {
      const had = await add()
      const asked = now()
      test.clock.advance(2 * DAY)
      await tell('k.message.dismissed', { type: 2, id: had })
      test.clock.advance(HOUR)
      const current = await add()
      test.clock.advance(HOUR)
      const closed = await Promise.all(Array.from({ length: 130 }, () => add()))
      const rows = (trx: Sql) => trx('user_messages').whereIn('message_id', closed)
      await test.program.kernel.db.write((trx) => rows(trx).update({ dismissed_at: now() }))
      const told = new Map((await sync(since(asked))).map((message) => [message.id, message.openedAt]))
      expect([told.get(current), told.get(had)]).to.deep.equal([null, '2026-03-03T12:00:00+0000'])
      expect(told).to.have.property('size', 122)
    })

    it('tells devices that have it of a withdrawal', async () => {
      const id = await add({ inbox: { title: 'a', subtitle: '' } }, now() - DAY)
      const foreign = await addMessage(test.program, appId, { withdrawnAt: now() })
      await test.program.kernel.db.write((trx) =>
        trx('in_app_messages')
          .where({ id })
          .update({ withdrawn_at: now() + 999 }),
      )
      const [message, ...rest] = await sync(since(now() - HOUR))
      expect(rest, `not ${foreign}`).to.deep.equal([])
      expect(message).to.include({
        id,
        openedAt: '2026-03-01T12:00:00+0000',
        inboxDeletedAt: '2026-03-01T12:00:00+0000',
        updatedAt: '2026-03-01T12:00:00+0000',
      })
      expect(await sync(since(now() + 999 + HOUR - DAY + 1))).to.have.length(1)
      expect(await sync()).to.deep.equal([])
    })

    for (const [what, form] of [
      ['as both SDKs write it', '2026-03-01T11:00:00Z'],
      ['percent-encoded', encodeURIComponent('2026-03-01T11:00:00Z')],
      ['with a raw plus', '2026-03-01T11:00:00+0000'],
      ['with an encoded plus', '2026-03-01T11:00:00%2B0000'],
      ['with a colon in the offset', '2026-03-01T11:00:00+00:00'],
      ['with another offset', '2026-03-01T13:00:00%2B02:00'],
      ['with a fraction', '2026-03-01T11:00:00.123Z'],
      ['in Arabic digits', encodeURIComponent('٢٠٢٦-٠٣-٠١T١١:٠٠:٠٠Z')],
      ['in Persian digits', encodeURIComponent('۲۰۲۶-۰۳-۰۱T۱۱:۰۰:۰۰Z')],
      ['in Hindi digits', encodeURIComponent('२०२६-०३-०१T११:००:००Z')],
    ]) {
      itAnswers(`reads an \`after\` ${what}`, async () => {
        await add({}, now() - 3 * HOUR)
        const fresh = await add({}, now() - HOUR)
        expect(await idsOf(`?after=${form}`)).to.deep.equal([fresh])
      })
    }

    for (const form of ['', 'yesterday', '12', '2026-02-30T00:00:00Z', '2026-03-01T25:00:00Z', 'x'.repeat(100)]) {
      itAnswers(`refuses ${JSON.stringify(form.slice(0, 20))} as \`after\` and names it`, async () => {
        const { status, body } = await test.call('GET', `${path()}?after=${form}`, device())
        expect([status, Object.keys((body as { errors: Json }).errors)]).to.deep.equal([422, ['after']])
      })
    }

    itAnswers('is 404 for a user whom nobody knows, and empty for an install', async () => {
      const unknown = await test.call('GET', path('nobody'), device())
      expect([unknown.status, Object.keys(unknown.body as Json)]).to.deep.equal([404, ['error']])
      await addInstall(test.program, appId, 'I2')
      expect(await sync('', 'I2')).to.deep.equal([])
    })

    itAnswers('shows nothing of another app, whose users may have the same names', async () => {
      const id = await addMessage(test.program, appId)
      await addInstall(test.program, test.first.id, `J${uuid}`, { user: `user ${uuid}` })
      await giveMessage(test.program, test.first.id, id, [`user ${uuid}`])
      const answer = await test.call('GET', path(`user ${uuid}`), { auth: 'device' })
      expect(answer.body).to.deep.equal([])
    })

    it('goes on giving a user what he has when he takes his consent back', async () => {
      const id = await add()
      await tell('k.inApp.statusUpdated', { consented: true })
      await tell('k.inApp.statusUpdated', { consented: false })
      expect(await idsOf()).to.deep.equal([id])
    })

    itAnswers('asks for the device key', async () => {
      for (const auth of ['none', 'server', 'Basic !'] as const) {
        expect((await test.call('GET', path(), { auth })).status, auth).to.equal(401)
      }
    })
  })

  describe('what devices tell', () => {
    const events = [
      ['k.message.delivered', 'delivered', null],
      ['k.message.opened', 'shown', null],
      ['k.message.dismissed', 'dismissed', 'openedAt'],
      ['k.message.read', 'read', 'readAt'],
      ['k.message.inbox.deleted', 'inbox_deleted', 'inboxDeletedAt'],
    ] as const
    const none = { delivered: 0, shown: 0, dismissed: 0, read: 0, inbox_deleted: 0 }

    for (const [type, counter, field] of events) {
      it(`${type} counts once a user, at its first time`, async () => {
        const id = await add({ inbox: { title: 'a', subtitle: '' } })
        await addInstall(test.program, appId, 'I2', { user: 'anna@example.com' })
        test.clock.advance(HOUR)
        const [before] = await sync()
        await tell(type, { type: 2, id }, { timestamp: now() - 60_000 })
        await tell(type, { type: '2', id: String(id) }, {}, 'I2')
        await tell(type, { type: 2, id })
        expect(await counts(id)).to.deep.equal({ ...none, [counter]: 1 })
        const [told] = await sync(since(now() - 2 * HOUR))
        if (field === null) expect(told).to.deep.equal(before)
        else {
          const time = (ms: number) => new Date(ms).toISOString().slice(0, 19) + '+0000'
          expect(told).to.deep.equal({ ...before, [field]: time(now() - 60_000), updatedAt: time(now()) })
        }
      })
    }

    itAnswers('leaves a message alone that the user does not have, that is of another app, or a push', async () => {
      const id = await addMessage(test.program, appId)
      const mine = await add()
      const elsewhere = await addMessage(test.program, test.first.id)
      for (const [type] of events) {
        await tell(type, { type: 2, id })
        await tell(type, { type: 2, id: elsewhere })
        await tell(type, { type: 1, id: mine })
        await tell(type, { type: 2, id: mine }, { userId: 'bob' })
        for (const odd of [null, {}, { type: 2 }, { type: 2, id: -1 }, { type: 2, id: 'x' }]) await tell(type, odd)
      }
      for (const one of [id, mine, elsewhere]) expect(await counts(one)).to.deep.equal(none)
    })

    it('takes a whole batch together: several users, messages and kinds', async () => {
      const [one, two] = [await add(), await add()]
      await addInstall(test.program, appId, 'I2', { user: 'bob' })
      await giveMessage(test.program, appId, one, ['bob'])
      const body = ['anna@example.com', 'bob'].flatMap((userId) =>
        [one, two].flatMap((id) =>
          events.map(([type]) => ({ type, uuid: `u${uuid++}`, timestamp: now(), data: { type: 2, id }, userId })),
        ),
      )
      const answer = await test.call('POST', '/events/v1/app-installs/I1/events', { ...device(), body })
      expect(answer.status).to.equal(202)
      const all = (n: number) => ({ delivered: n, shown: n, dismissed: n, read: n, inbox_deleted: n })
      expect([await counts(one), await counts(two)]).to.deep.equal([all(2), all(1)])
    })

    itAnswers('a device whose clock is far behind has not seen it before it was sent', async () => {
      const id = await add()
      await tell('k.message.dismissed', { type: 2, id }, { timestamp: 1 })
      expect((await sync(since(now())))[0]!.openedAt).to.equal('2026-03-01T12:00:00+0000')
    })
  })
})

onEachDatabase('an in-app message that a server sends', (kind) => {
  it('reaches the devices of its users, comes back as a report, and goes when it is withdrawn', async () => {
    const test = await openTestServer({ kind })
    try {
      await addTemplates(test)
      await addUser(test, 'ann')
      const to = '2026-04-01T00:00:00+0000'
      const body = {
        target: { userIds: ['ann'] },
        template: 'hello',
        content: { Name: 'Ann' },
        presentedWhen: 'next-open',
        ttl: { expiresIn: 2, units: 'h' },
        data: { screen: 'offers' },
        inbox: { title: 'Hello', subtitle: '', to, imageUrl: 'https://example.com/a.png' },
      }
      const sent = await test.call('POST', '/messages/v1/in-app-messages', { body })
      expect(sent.status, JSON.stringify(sent.body)).to.equal(202)
      const { id } = (sent.body as { message: { id: number } }).message
      await handOut(test)
      const sync = async (query = '') => {
        const { body: list } = await test.call('GET', `/push/v1/users/ann/messages${query}`, { auth: 'device' })
        readAsAndroid(list)
        readAsSwift(list)
        return list as Json[]
      }
      const [message, ...more] = await sync()
      expect(more).to.deep.equal([])
      expect(message).to.deep.include({
        id,
        presentedWhen: 'next-open',
        data: { screen: 'offers' },
        inbox: { title: 'Hello', subtitle: '', from: null, to, imagePath: 'https://example.com/a.png' },
        expiresAt: '2026-03-01T14:00:00+0000',
        sentAt: '2026-03-01T12:00:00+0000',
      })
      expect(JSON.stringify(message!.content)).to.include('Hello Ann')
      const event = { type: 'k.message.read', uuid: 'u', timestamp: test.clock.now(), data: { type: 2, id } }
      await test.call('POST', '/events/v1/app-installs/ann-phone/events', { auth: 'device', body: [event] })
      const report = await test.call('GET', `/messages/v1/in-app-messages/${id}`)
      expect(JSON.stringify(report.body))
        .to.match(/"recipients":1\b/)
        .and.match(/"read":1\b/)
      test.clock.advance(HOUR)
      expect((await test.call('DELETE', `/messages/v1/in-app-messages/${id}`)).status).to.equal(204)
      expect(await sync()).to.deep.equal([])
      const [gone] = await sync('?after=2026-03-01T13:00:00Z')
      const at = '2026-03-01T13:00:00+0000'
      expect(gone).to.include({ id, openedAt: at, inboxDeletedAt: at, updatedAt: at })
    } finally {
      await test.close()
    }
  })
})
