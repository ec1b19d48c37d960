import { expect } from 'chai'
import { basic, openTestServer, type TestServer } from '../support/http.ts'
import { onEachDatabase } from '../support/program.ts'
import { HOOK } from '../support/webhooks.ts'

const PATH = '/messages/v1/webhooks'

onEachDatabase('the webhook interface', (kind) => {
  let test: TestServer
  before(async () => {
    test = await openTestServer({ kind, settings: { 'limits.webhooks': '3' } })
  })
  after(() => test.close())
  afterEach(() => test.program.kernel.db.write((trx) => trx('webhooks').delete()))

  const make = async (body: object = {}) =>
    (await test.call('POST', PATH, { body: { url: HOOK, ...body } })).body as { id: number; secret: string }

  it('makes one, shows its secret once, changes, rotates, lists and deletes it', async () => {
    const made = await test.call('POST', PATH, { body: { url: HOOK } })
    expect(made.status).to.equal(201)
    const { secret, ...shown } = made.body as Record<string, unknown> & { id: number; secret: string }
    expect(secret).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(shown).to.deep.equal({
      id: shown.id,
      appId: test.first.id,
      url: HOOK,
      types: null,
      batch: { max: 1, waitMs: 0 },
      enabled: true,
      state: 'on',
      offReason: null,
      failingSince: null,
      waitingSince: null,
      secretHint: `…${secret.slice(-4)}`,
      formerSecretUntil: null,
      replay: null,
      createdAt: '2026-03-01T12:00:00+0000',
      updatedAt: '2026-03-01T12:00:00+0000',
    })
    const own = `${PATH}/${shown.id}`
    expect((await test.call('GET', own)).body).to.deep.equal(shown)
    expect((await test.call('GET', PATH)).body).to.deep.equal({ webhooks: [shown] })

    const change = { url: 'https://other.example.com/', types: ['a', 'b', 'a'], batch: { max: 500, waitMs: 1000 } }
    const changed = await test.call('PATCH', own, { body: change })
    expect(changed.status).to.equal(200)
    expect(changed.body).to.deep.equal({ ...shown, ...change, types: ['a', 'b'] })
    const off = await test.call('PATCH', own, { body: { enabled: false, types: null } })
    expect(off.body).to.include({ state: 'off', enabled: false, types: null, offReason: 'switched off by hand' })
    expect((await test.call('PATCH', own, { body: { enabled: true } })).body).to.include({ state: 'on' })

    const rotated = await test.call('POST', `${own}/rotate`, { body: { overlapSeconds: 60 } })
    expect(rotated.status).to.equal(200)
    expect(rotated.body).to.include({ formerSecretUntil: '2026-03-01T12:01:00+0000' })
    expect((rotated.body as typeof shown).secret).to.not.equal(secret)
    const formerUntil = async () => ((await test.call('GET', own)).body as typeof shown).formerSecretUntil
    test.clock.advance(59_999)
    expect(await formerUntil()).to.equal('2026-03-01T12:01:00+0000')
    test.clock.advance(1)
    expect(await formerUntil(), 'from then on it is no secret any more').to.equal(null)
    test.clock.advance(-60_000)

    expect((await test.call('POST', `${own}/replay`, { body: { from: '2026-03-01' } })).status).to.equal(202)
    expect((await test.call('POST', `${own}/replay`, { body: { from: '2026-03-01' } })).status).to.equal(409)
    expect((await test.call('DELETE', `${own}/replay`)).status).to.equal(204)
    expect((await test.call('DELETE', `${own}/replay`)).status).to.equal(404)
    expect((await test.call('GET', `${own}/attempts`)).body).to.deep.equal({ attempts: [], next: null })

    expect((await test.call('DELETE', own)).status).to.equal(204)
    expect((await test.call('GET', own)).status).to.equal(404)
    expect((await test.call('GET', `${own}/attempts`)).status).to.equal(404)
  })

  it('never stores a secret in clear text, nor an answer with one', async () => {
    const headers = { 'idempotency-key': 'twice' }
    const bodies = [1, 2].map(() => test.call('POST', PATH, { body: { url: HOOK }, headers }))
    const made = (await Promise.all(bodies)).map(({ body }) => body as { id: number; secret: string })
    expect(made[0]!.id).to.not.equal(made[1]!.id)
    const sql = test.program.kernel.db.read
    const stored = JSON.stringify([await sql('webhooks'), await sql('idempotency_keys')])
    for (const { secret } of made) expect(stored).to.not.include(secret.slice('whsec_'.length))
  })

  const wrong: [string, object, string][] = [
    ['no address', { url: undefined }, 'url'],
    ['an address of this machine', { url: 'https://127.0.0.1/' }, 'url'],
    ['an address of the network', { url: 'https://10.0.0.1/' }, 'url'],
    ['another scheme', { url: 'http://hooks.example.com/' }, 'url'],
    ['another port', { url: 'https://hooks.example.com:8443/' }, 'url'],
    ['a password in the address', { url: 'https://a:b@hooks.example.com/' }, 'url'],
    ['no types', { types: [] }, 'types'],
    ['a type that is no text', { types: [7] }, 'types[0]'],
    ['too large batches', { batch: { max: 501 } }, 'batch.max'],
    ['no batches', { batch: { max: 0 } }, 'batch.max'],
    ['a wait of two hours', { batch: { waitMs: 7_200_000 } }, 'batch.waitMs'],
    ['a misspelt field', { type: ['a'] }, 'type'],
    ['a misspelt field of the batch', { batch: { wait: 1 } }, 'batch.wait'],
  ]
  for (const [what, body, field] of wrong) {
    it(`refuses ${what}, and names the field`, async () => {
      const { status, body: answer } = await test.call('POST', PATH, { body: { url: HOOK, ...body } })
      expect(status).to.equal(422)
      expect((answer as { errors: object }).errors).to.have.all.keys(field)
    })
  }

  it('refuses a replay of what is neither a time nor an event', async () => {
    const { id } = await make()
    const { status, body } = await test.call('POST', `${PATH}/${id}/replay`, { body: { from: 'yesterday', to: 7 } })
    expect(status).to.equal(422)
    expect((body as { errors: object }).errors).to.have.all.keys('from', 'to')
  })

  it('takes no more than the setting allows, in whatever order', async () => {
    const all = await Promise.all(Array.from({ length: 5 }, () => test.call('POST', PATH, { body: { url: HOOK } })))
    expect(all.map(({ status }) => status).sort((a, b) => a - b)).to.deep.equal([201, 201, 201, 409, 409])
  })

  it('answers 404 to the webhook of another app', async () => {
    const { id } = await make()
    const other = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))
    const auth = basic(other.apiKey, other.serverKey)
    for (const [method, path, body] of [
      ['GET', ''],
      ['PATCH', '', { enabled: false }],
      ['DELETE', ''],
      ['POST', '/rotate', {}],
      ['POST', '/replay', { from: '2026-01-01' }],
      ['DELETE', '/replay'],
      ['GET', '/attempts'],
    ] as const) {
      const answer = await test.call(method, `${PATH}/${id}${path}`, { auth, ...(body && { body }) })
      expect(answer.status, `${method} ${path}`).to.equal(404)
    }
    expect((await test.call('GET', PATH, { auth })).body).to.deep.equal({ webhooks: [] })
  })

  it('shows since when an endpoint waits', async () => {
    const { id } = await make({ types: ['bought'] })
    await test.program.inTransaction((tx) =>
      tx.events.ingest(test.first.id, 'phone', [
        { type: 'other', uuid: '1', timestamp: 0 },
        { type: 'bought', uuid: '2', timestamp: 0 },
      ]),
    )
    expect((await test.call('GET', `${PATH}/${id}`)).body).to.include({ waitingSince: '2026-03-01T12:00:00+0000' })
  })
})
