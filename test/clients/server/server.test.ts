import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { AppsvcError, appsvc, type Options, signUser } from '../../../clients/server/src/index.ts'
import { deliverDue, fanOut, scriptedSender, withAndroids } from '../../support/delivery.ts'
import { openTestServer, type TestServer } from '../../support/http.ts'
import { addTemplates } from '../../support/in-app.ts'
import { addInstall } from '../../support/installs.ts'
import { onEachDatabase } from '../../support/program.ts'
import { column, makeTable } from '../../support/tables.ts'
import { troubled } from './troubled.ts'

onEachDatabase('the client for servers', (kind) => {
  let test: TestServer
  before(async () => {
    test = await openTestServer({ kind })
  })
  beforeEach(() => test.startOver())
  after(() => test.close())

  const waits: number[] = []
  const sleep = async (ms: number) => void waits.push(ms)
  beforeEach(() => waits.splice(0))

  const open = (more: Partial<Options> = {}) => {
    const { apiKey, serverKey } = test.first
    return appsvc({ url: test.address, apiKey, serverKey, sleep, ...more })
  }
  const content = { title: 'Hello', message: 'From a server' }
  const counted = async () => {
    let count = 0
    for await (const _ of open().list('/messages/v2/notifications')) count++
    return count
  }

  describe('a send', () => {
    it('is accepted, and names who gets nothing', async () => {
      await addInstall(test.program, test.first.id, 'phone', { user: 'anna' })
      const result = await open().notifications.send({ target: { userIds: ['anna', 'nobody'] }, content })
      expect(result.accepted && result.sent.id).to.be.a('number')
      expect(result.errors).to.deep.equal({ unknownUserIds: ['nobody'] })
    })

    it('to nobody is a value, not an exception', async () => {
      const result = await open().notifications.send({ target: { userIds: ['nobody'] }, content })
      expect(result).to.deep.equal({ accepted: false, sent: null, errors: { unknownUserIds: ['nobody'] } })
    })

    it('that makes no sense throws, with every wrong field', async () => {
      const sending = open().notifications.send({ target: {}, content: { title: '', message: 'x' } })
      const error = await sending.then(
        () => undefined,
        (thrown: unknown) => thrown as AppsvcError,
      )
      expect(error).to.be.instanceOf(AppsvcError)
      expect(error!.status).to.equal(422)
      expect(error!.errors).to.have.property('target')
      expect(error!.message).to.include('target needs at least one of')
    })

    it('of an in-app message to nobody is a value as well', async () => {
      await addTemplates(test)
      const request = { target: { userIds: ['nobody'] }, template: 'plain', presentedWhen: 'never' as const }
      const result = await open().inApp.send(request)
      expect(result).to.deep.equal({ accepted: false, sent: null, errors: { unknownUserIds: ['nobody'] } })
    })

    for (const trouble of ['lost', 'cut off'] as const) {
      it(`whose answer is ${trouble} is repeated with its key, and sent once`, async () => {
        await addInstall(test.program, test.first.id, 'phone')
        const { send, sent } = troubled(trouble)
        const result = await open({ fetch: send }).notifications.send({ target: { broadcast: true }, content })
        expect(result.accepted).to.equal(true)
        expect(sent.map(({ headers }) => headers.get('idempotency-key'))).to.have.length(2)
        expect(new Set(sent.map(({ headers }) => headers.get('idempotency-key'))).size).to.equal(1)
        expect(await counted()).to.equal(1)
      })
    }

    it('with a key of the caller is sent once, also by two programs', async () => {
      await addInstall(test.program, test.first.id, 'phone')
      const ids: unknown[] = []
      for (let i = 0; i < 2; i++) {
        const key = { idempotencyKey: 'order-17' }
        const result = await open().notifications.send({ target: { broadcast: true }, content }, key)
        ids.push(result.sent?.id)
      }
      expect(ids[0]).to.equal(ids[1])
      expect(await counted()).to.equal(1)
    })
  })

  describe('a call', () => {
    const busy = (status: number, after = '0') =>
      Response.json({ error: 'not now' }, { status, headers: { 'retry-after': after } })

    it('waits as the server says and goes on', async () => {
      const { send } = troubled(busy(503, '3'), busy(429, '1'))
      const { data } = await open({ fetch: send }).api.GET('/messages/channels')
      expect(data?.channels).to.deep.equal([])
      expect(waits).to.deep.equal([3000, 1000])
    })

    it('goes on when a proxy answers for a server that is away, with a page or with words', async () => {
      const page = new Response('<!doctype html>', { headers: { 'content-type': 'text/html; charset=utf-8' } })
      const { send, sent } = troubled(
        new Response('Bad gateway', { status: 502 }),
        page,
        new Response('', { status: 504 }),
      )
      const { data } = await open({ fetch: send }).api.GET('/messages/channels')
      expect(data?.channels).to.deep.equal([])
      expect(sent).to.have.length(4)
    })

    it('to an address that is not that of appsvc says so', async () => {
      const page = () => new Response('<!doctype html>', { headers: { 'content-type': 'text/html' } })
      const call = open({ fetch: async () => page(), retries: 1 }).notifications.send({
        target: { broadcast: true },
        content,
      })
      expect(await call.catch((error: Error) => error.message)).to.include('not the address of appsvc')
      const moved = new Response(null, { status: 301, headers: { location: 'https://elsewhere.example' } })
      const { send } = troubled(moved)
      const second = open({ fetch: send }).notifications.send({ target: { broadcast: true }, content })
      expect(await second.catch((error: Error) => error.message)).to.include('redirects')
    })

    it('that was refused to the end has the last answer as its error', async () => {
      const { send, sent } = troubled(busy(503), busy(503), busy(503))
      const { error, response } = await open({ fetch: send, retries: 2 }).api.GET('/messages/channels')
      expect([response.status, error]).to.deep.equal([503, { error: 'not now' }])
      expect(sent).to.have.length(3)
    })

    it('that makes a secret is never repeated when its answer is lost', async () => {
      const { send, sent } = troubled('lost')
      const made = open({ fetch: send }).api.POST('/messages/v1/webhooks', { body: { url: 'https://example.com/a' } })
      expect(await made.catch((error: Error) => error.message)).to.equal('fetch failed')
      expect(sent).to.have.length(1)
    })

    it('ends at once when its signal does, also between two attempts', async () => {
      const stop = new AbortController()
      const { send } = troubled(busy(503, '30'))
      const stopping = open({ fetch: send, sleep: async () => stop.abort() })
      const call = stopping.api.GET('/messages/channels', { signal: stop.signal })
      expect(await call.catch((error: Error) => error.name)).to.equal('AbortError')
    })

    it('gives up on an answer that does not come', async () => {
      const silent: Options['fetch'] = (_url, { signal }) =>
        new Promise((_, reject) => signal!.addEventListener('abort', () => reject(signal!.reason as Error)))
      const call = open({ fetch: silent, timeoutMs: 5, retries: 1 }).api.GET('/messages/channels')
      expect(await call.catch((error: Error) => error.name)).to.equal('TimeoutError')
      expect(waits).to.have.length(1)
    })

    it('sends its keys nowhere else, wherever an answer points', async () => {
      const { send, sent } = troubled(
        new Response(null, { status: 307, headers: { location: 'https://elsewhere.example' } }),
      )
      const { response } = await open({ fetch: send }).api.GET('/messages/channels')
      expect(response.status).to.equal(307)
      expect(sent).to.have.length(1)
    })

    it('with wrong keys is an error that says so', async () => {
      const { error, response } = await open({ serverKey: 'sk_wrong' }).api.GET('/messages/channels')
      expect(response.status).to.equal(401)
      expect(error?.error).to.be.a('string')
    })

    it('takes any identifier as one segment of its path', async () => {
      for (const userId of ['a/b', 'anna@example.com', 'ü ?#%']) {
        const params = { path: { userId } }
        const put = await open().api.PUT('/crm/v1/users/{userId}/attributes', { params, body: { plan: 'gold' } })
        expect(put.response.status, userId).to.be.within(200, 204)
        const { data } = await open().api.GET('/crm/v1/users/{userId}', { params })
        expect(data?.identifier).to.equal(userId)
      }
    })

    it('with an identifier that no address can hold is not made', async () => {
      for (const userId of ['', '.', '..']) {
        const call = open().api.DELETE('/crm/v1/users/{userId}', { params: { path: { userId } } })
        expect(await call.catch((error: Error) => error.message)).to.include('userId must be more')
      }
    })
  })

  describe('a list', () => {
    it('yields every item of every page', async () => {
      const names = Array.from({ length: 5 }, (_, i) => `Channel ${i}`)
      for (const name of names) {
        const body = { uuid: name.replace(' ', '-'), name, showInPortal: true }
        expect((await open().api.POST('/messages/channels', { body })).response.status).to.equal(201)
      }
      const found: string[] = []
      for await (const { name } of open().list('/messages/channels', { query: { limit: 2 } })) found.push(name ?? '')
      expect(found.toSorted()).to.deep.equal(names)
    })

    it('of users has the anonymous ones, and those who never used the app', async () => {
      await addInstall(test.program, test.first.id, 'phone')
      await test.program.inTransaction((tx) => tx.crm.putAttributes(test.first.id, 'anna', { plan: 'gold' }))
      const everybody: string[] = []
      for await (const user of open().list('/crm/v2/users', { query: { numberPerPage: 1 } }))
        everybody.push(user.identifier)
      expect(everybody.toSorted()).to.deep.equal(['anna', 'phone'])
      const filter = JSON.stringify({ field: 'attributes.plan', op: 'equals', value: 'gold' })
      const gold: string[] = []
      for await (const user of open().list('/crm/v2/users', { query: { filter } })) gold.push(user.identifier)
      expect(gold).to.deep.equal(['anna'])
    })

    it('of records goes by their cursor, with the REST key', async () => {
      const table = await makeTable(test, 'books', [column('title', 'string')])
      const alias = `${test.first.id}_${table.name}`
      const { key } = await test.program.inTransaction((tx) =>
        tx.restKeys.create(test.first.id, { permissions: ['create', 'read'] }),
      )
      const app = open({ restKey: key })
      const titles = ['Emma', 'Persuasion', 'Sanditon']
      for (const title of titles) {
        const params = { path: { tableAlias: alias } }
        expect(
          (await app.api.POST('/data/v1/data/{tableAlias}', { params, body: { title } })).response.status,
        ).to.equal(201)
      }
      const found: unknown[] = []
      for await (const { title } of app.records(alias, { query: { numberPerPage: 2 } })) found.push(title)
      expect(found).to.deep.equal(titles)
      expect(() => open().records(alias).next()).to.not.throw()
      expect(
        await open()
          .records(alias)
          .next()
          .catch((error: Error) => error.message),
      ).to.include('restKey')
    })

    it('that the server refuses throws', async () => {
      const reading = open({ serverKey: 'sk_wrong' }).list('/messages/channels').next()
      expect(await reading.catch((error: AppsvcError) => error.status)).to.equal(401)
    })
  })

  it('says what became of each recipient', async () => {
    await withAndroids(test, 3)
    const sent = await open().notifications.send({ target: { broadcast: true }, content })
    await fanOut(test)
    await deliverDue(test, scriptedSender(() => ({ kind: 'accepted' })).sender)
    const outcomes: string[] = []
    for await (const { outcome } of open().notifications.recipients(sent.sent!.id)) outcomes.push(outcome)
    expect(outcomes).to.deep.equal(['accepted', 'accepted', 'accepted'])
  })

  it('reports events a thousand at a time, once each, and says which were refused', async () => {
    const { send } = troubled('lost')
    const events = Array.from({ length: 1002 }, (_, n) => ({
      userId: 'anna',
      type: n === 1001 ? 'k.no' : 'order.paid',
      data: { n },
    }))
    const refused = await open({ fetch: send }).events.report(events)
    expect(refused.map(({ index }) => index)).to.deep.equal([1001])
    const stored = await test.program.events.after(test.first.id, 0, 5000)
    expect(stored.filter(({ type }) => type === 'order.paid')).to.have.length(1001)
  })

  it('signs a user as the server does', async () => {
    await test.program.inTransaction((tx) => tx.signedIds.setMode(test.first.id, 'optional'))
    const expires = new Date(test.clock.now() + 86_400_000)
    const theirs = await open().api.POST('/crm/v1/users/{userId}/token', {
      params: { path: { userId: 'ännä@example.com' } },
      body: { expiresIn: 86_400 },
    })
    const key = await test.program.inTransaction((tx) => tx.signedIds.rotate(test.first.id, 0))
    const ours = await signUser(key, 'ännä@example.com', { expires })
    expect(ours.split('.').slice(0, 3)).to.deep.equal(theirs.data!.token.split('.').slice(0, 3))
    const answer = await test.call('GET', `/crm/v1/users/${ours}/channels`, { auth: 'device' })
    expect(answer.status).to.equal(200)
  })
})

describe('the list of calls that the client for servers never repeats', () => {
  interface Operation {
    security?: Record<string, unknown>[]
    parameters?: { $ref?: string }[]
  }
  const document = JSON.parse(readFileSync(join(import.meta.dirname, '../../../docs/openapi.json'), 'utf8')) as {
    paths: Record<string, Record<string, Operation>>
  }
  /** POSTs that change nothing, or the same when they are repeated. */
  const READING = new Set([
    '/crm/v1/users/{userId}/token',
    '/messages/v1/geofences/import/preview',
    '/messages/v1/in-app-messages/preview',
    '/messages/v1/push-templates/{uid}/preview',
    '/messages/v1/segments/{id}/count',
    '/messages/v1/templates/{uid}/preview',
    '/messages/v2/notifications/preview',
  ])

  it('has every POST that changes something and keeps no idempotency key', async () => {
    const posts = Object.entries(document.paths).filter(
      ([, { post }]) =>
        post?.security?.some((one) => 'serverKey' in one || 'restKey' in one) &&
        !post.parameters?.some(({ $ref }) => $ref?.endsWith('/IdempotencyKey')),
    )
    const found = posts.map(([path]) => path).filter((path) => !READING.has(path))
    expect(found).to.deep.equal(['/messages/v1/webhooks', '/messages/v1/webhooks/{id}/rotate'])
    for (const path of found) {
      let calls = 0
      const lose = async () => {
        calls++
        throw new TypeError('fetch failed')
      }
      const app = appsvc({ url: 'https://a.example', apiKey: 'a', serverKey: 's', fetch: lose, sleep: async () => {} })
      const posting = app.api.POST(path as '/messages/v1/webhooks', {
        params: { path: { id: 1 } } as never,
        body: {} as never,
      })
      expect(await posting.catch((error: Error) => error.message)).to.equal('fetch failed')
      expect(calls).to.equal(1)
    }
  })
})

describe('the options of the client for servers', () => {
  const right: Options = { url: 'https://push.example.com/', apiKey: 'ak_1', serverKey: 'sk_1' }
  const WRONG: readonly (readonly [Record<string, unknown>, named: string])[] = [
    [{ url: '' }, 'url'],
    [{ url: 'push.example.com' }, 'url'],
    [{ url: 'ftp://push.example.com' }, 'url'],
    [{ url: 'https://ak:sk@push.example.com' }, 'url'],
    [{ url: 'https://push.example.com/?a' }, 'url'],
    [{ url: undefined }, 'url'],
    [{ apiKey: '' }, 'apiKey'],
    [{ apiKey: 'a:b' }, 'apiKey'],
    [{ serverKey: undefined }, 'serverKey'],
    [{ serverKey: 'sk_1\n' }, 'serverKey'],
    [{ restKey: '' }, 'restKey'],
    [{ retries: -1 }, 'retries'],
    [{ retries: Number.NaN }, 'retries'],
    [{ timeoutMs: 0 }, 'timeoutMs'],
    [{ timeoutMs: '5' }, 'timeoutMs'],
  ]
  for (const [wrong, named] of WRONG)
    it(`refuse ${JSON.stringify(wrong)}`, () => {
      expect(() => appsvc({ ...right, ...wrong })).to.throw(TypeError, new RegExp(`^${named} must be`))
    })

  it('take an address with a slash or a path at its end', async () => {
    for (const url of ['https://push.example.com/', 'https://push.example.com/push//']) {
      const asked: string[] = []
      const send: Options['fetch'] = async (address) => (
        asked.push(address), Response.json({ channels: [], next: null })
      )
      await appsvc({ ...right, url, fetch: send }).api.GET('/messages/channels')
      expect(asked).to.deep.equal([`${url.replace(/\/+$/, '')}/messages/channels`])
    }
  })
})
