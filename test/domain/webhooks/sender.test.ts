import { expect } from 'chai'
import { Webhook as Verifier } from 'standardwebhooks'
import { RETRY_AFTER_MS } from '../../../src/domain/webhooks/retry-schedule.ts'
import { databaseNow } from '../../../src/platform/db/dialect.ts'
import { HttpFailure } from '../../../src/platform/net/http-exchange.ts'
import { erase } from '../../support/erasures.ts'
import { eventually } from '../../support/eventually.ts'
import { onEachDatabase, type TestProgram } from '../../support/program.ts'
import { sharedDatabase } from '../../support/shared-database.ts'
import { addWebhook, HOOK, numbersOf, scriptedEndpoints, tracker, webhookWorker } from '../../support/webhooks.ts'

const HOUR_MS = 3_600_000

onEachDatabase('sending to webhooks', (kind) => {
  let test: TestProgram
  let track: ReturnType<typeof tracker>['track']
  const openShared = sharedDatabase(kind)
  beforeEach(async () => {
    test = await openShared()
    // The reference verifier compares with the real time.
    test.clock.set(Date.now())
    ;({ track } = tracker(test))
    await track()
  })
  afterEach(() => test.close())

  const show = (id: number) => test.program.webhooks.get(test.first.id, id)

  it('brings each event from now on, one a message, in order, as the reference verifier wants it', async () => {
    const { secret } = await addWebhook(test)
    const numbers = await track(3)
    const { received, send } = scriptedEndpoints()
    await webhookWorker(test, send).turn()
    expect(received.map(numbersOf)).to.deep.equal(numbers.map((n) => [n]))
    const verifier = new Verifier(secret)
    for (const { text, headers, url } of received) {
      expect(url).to.equal(HOOK)
      expect(verifier.verify(text, headers)).to.deep.equal(JSON.parse(text))
      expect(() => verifier.verify(`${text} `, headers)).to.throw('No matching signature')
    }
    const { body } = received[0]!
    expect(body).to.have.all.keys('type', 'timestamp', 'data')
    expect(body.type).to.equal('bought')
    expect(body.data).to.include({ type: 'bought', installId: 'phone', timestamp: body.timestamp })
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).to.equal(3)
  })

  it('brings batches, filled up or as old as the rule says, of the wanted types only', async () => {
    await addWebhook(test, { types: ['bought'], batch: { max: 3, waitMs: 2000 } })
    await track(1, 'other')
    const { received, send } = scriptedEndpoints()
    const worker = webhookWorker(test, send)
    const numbers = [...(await track(2)), ...(await track(1, 'other').then(() => [])), ...(await track(2))]
    await worker.turn()
    expect(received.map(numbersOf)).to.deep.equal([numbers.slice(0, 3)])
    test.clock.advance(1999)
    await worker.turn()
    expect(received).to.have.length(1)
    test.clock.advance(1)
    await worker.turn()
    expect(received.map(numbersOf)).to.deep.equal([numbers.slice(0, 3), numbers.slice(3)])
    expect(received[1]!.body.type).to.equal('batch')
    await worker.turn()
    expect(received).to.have.length(2)
  })

  it('signs with both secrets while the secret is being changed, then with the new one', async () => {
    const { webhook, secret } = await addWebhook(test)
    const rotated = await test.program.inTransaction((tx) => tx.webhooks.rotate(test.first.id, webhook.id, 60))
    const { received, send } = scriptedEndpoints()
    const worker = webhookWorker(test, send)
    await track()
    await worker.turn()
    for (const one of [secret, rotated.secret]) {
      expect(() => new Verifier(one).verify(received[0]!.text, received[0]!.headers)).to.not.throw()
    }
    test.clock.advance(59_999)
    await track()
    await worker.turn()
    expect(() => new Verifier(secret).verify(received[1]!.text, received[1]!.headers)).to.not.throw()
    test.clock.advance(1)
    await track()
    await worker.turn()
    const { text, headers } = received[2]!
    expect(() => new Verifier(rotated.secret).verify(text, headers)).to.not.throw()
    expect(() => new Verifier(secret).verify(text, headers)).to.throw('No matching signature')
  })

  it('keeps no former secret when it is changed at once', async () => {
    const { webhook, secret } = await addWebhook(test)
    const rotate = (overlapSeconds: number) =>
      test.program.inTransaction((tx) => tx.webhooks.rotate(test.first.id, webhook.id, overlapSeconds))
    const former = async () => {
      const row = await test.program.kernel.db.read('webhooks').where({ id: webhook.id }).first()
      return [row.former_sealed === null, row.former_until]
    }
    await rotate(1)
    expect(await former()).to.deep.equal([false, test.clock.now() + 1000])
    await rotate(0)
    expect(await former()).to.deep.equal([true, null])
    const { received, send } = scriptedEndpoints()
    await track()
    await webhookWorker(test, send).turn()
    expect(() => new Verifier(secret).verify(received[0]!.text, received[0]!.headers)).to.throw('No matching signature')
  })

  it('repeats a message with the same id and events until it is taken, and nothing passes it', async () => {
    await addWebhook(test, { batch: { max: 2 } })
    const numbers = await track(3)
    const answers = ['dies', 500, 301, 429, 200, 200] as const
    let asked = 0
    const { received, send } = scriptedEndpoints(() => answers[asked++] ?? 200)
    const worker = webhookWorker(test, send)
    for (let i = 0; i < 5; i++) {
      await worker.turn()
      // More events, and another rule, change nothing about a message that is under way.
      await track()
      test.clock.advance(RETRY_AFTER_MS[i]!)
    }
    const first = received.slice(0, 5)
    expect(first.map(numbersOf)).to.deep.equal(first.map(() => numbers.slice(0, 2)))
    expect(new Set(first.map(({ headers }) => headers['webhook-id'])).size).to.equal(1)
    expect(numbersOf(received[5]!)).to.deep.equal([numbers[2], numbers[2]! + 1])
    expect(received[5]!.headers['webhook-id']).to.not.equal(received[0]!.headers['webhook-id'])
  })

  it('keeps the events of a message when the rule or the types change meanwhile', async () => {
    const { webhook } = await addWebhook(test, { batch: { max: 3 } })
    const numbers = await track(3)
    let status = 500
    const { received, send } = scriptedEndpoints(() => status)
    const worker = webhookWorker(test, send)
    await worker.turn()
    const change = { types: ['other'], batch: { max: 1 } }
    await test.program.inTransaction((tx) => tx.webhooks.update(test.first.id, webhook.id, change))
    await track(2)
    status = 200
    test.clock.advance(RETRY_AFTER_MS[0])
    await worker.turn()
    expect(received.map(numbersOf)).to.deep.equal([numbers, numbers])
    expect(received[1]!.text).to.equal(received[0]!.text)
  })

  it('breaks a request off when the server stops, and sends the same message again', async () => {
    const { webhook } = await addWebhook(test, { batch: { max: 10 } })
    await track(2)
    const { received, send } = scriptedEndpoints()
    const stop = new AbortController()
    const worker = webhookWorker(
      test,
      (request) =>
        new Promise((_, reject) => {
          void send(request)
          request.signal!.addEventListener('abort', () => reject(new HttpFailure('uncertain', 'broken off')))
          stop.abort()
        }),
      'stopping',
      stop.signal,
    )
    await worker.turn()
    expect(await test.program.webhooks.attempts(test.first.id, webhook.id, { limit: 10 })).to.deep.include({
      attempts: [],
    })
    expect(await show(webhook.id)).to.include({ state: 'on', failingSince: null })
    await track()
    await webhookWorker(test, send, 'next').turn()
    expect(received).to.have.length(3)
    expect(received[1]!.text).to.equal(received[0]!.text)
    expect(received[1]!.headers['webhook-id']).to.equal(received[0]!.headers['webhook-id'])
  })

  it('takes an erased user out of a message that waits, and goes on when nothing of it is left', async () => {
    const { program, first } = test
    const report = async (userId: string, uuid: string) => {
      const event = { userId, uuid, type: 'paid', timestamp: test.clock.now(), data: { card: `${userId}-card` } }
      expect(await program.inTransaction((tx) => tx.serverEvents.take(first.id, [event]))).to.deep.equal([])
    }
    const { webhook } = await addWebhook(test, { types: ['paid'], batch: { max: 2 } })
    for (const [userId, uuid] of [
      ['ann', '1'],
      ['bob', '2'],
      ['ann', '3'],
    ] as const)
      await report(userId, uuid)
    let status = 500
    const { received, send } = scriptedEndpoints(() => status)
    const worker = webhookWorker(test, send)
    await worker.turn()
    expect(received[0]!.text).to.include('ann-card')
    expect(await erase(test, 'ann')).to.equal('done')
    test.clock.advance(RETRY_AFTER_MS[0])
    await worker.turn()
    expect(received[1]!.headers['webhook-id']).to.equal(received[0]!.headers['webhook-id'])
    expect(received[1]!.text).to.include('bob-card').and.not.include('ann')
    expect((await show(webhook.id)).failingSince).to.equal(test.clock.now() - RETRY_AFTER_MS[0])
    expect(await erase(test, 'bob')).to.equal('done')
    const requests = received.length
    test.clock.advance(RETRY_AFTER_MS[1])
    await worker.turn()
    expect(received).to.have.length(requests)
    expect(await show(webhook.id)).to.include({ state: 'on', failingSince: null, waitingSince: null })
    expect(JSON.stringify(await program.kernel.db.read('webhook_attempts'))).to.not.match(/ann|bob/)
    status = 200
    await report('cid', '4')
    await worker.turn()
    expect(received.at(-1)!.text).to.include('cid-card')
  })

  it('leaves an endpoint alone for as long as it asks', async () => {
    await addWebhook(test)
    await track()
    const { received, send } = scriptedEndpoints(() => ({ status: 503, headers: { 'retry-after': '120' } }))
    const worker = webhookWorker(test, send)
    await worker.turn()
    test.clock.advance(119_999)
    await worker.turn()
    expect(received).to.have.length(1)
    test.clock.advance(1)
    await worker.turn()
    expect(received).to.have.length(2)
  })

  it('loses nothing in an outage of two days', async () => {
    const { webhook } = await addWebhook(test, { batch: { max: 500 } })
    const begun = test.clock.now()
    const isBack = () => test.clock.now() - begun >= 48 * HOUR_MS
    const { received, send } = scriptedEndpoints(() => (isBack() ? 200 : 'dies'))
    const worker = webhookWorker(test, send)
    const numbers: number[] = []
    let inOutage = 0
    for (let hour = 0; hour < 80; hour++) {
      numbers.push(...(await track()))
      await worker.turn()
      if (!isBack()) inOutage = received.length
      test.clock.advance(HOUR_MS)
    }
    await worker.turn()
    // At once, and hourly looks find the waits of 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 14 h over.
    expect(inOutage).to.equal(8)
    const taken = received.slice(inOutage).flatMap(numbersOf)
    expect(taken).to.deep.equal(numbers)
    expect(await show(webhook.id)).to.include({ state: 'on', failingSince: null, waitingSince: null })
  })

  it('switches an endpoint off when the schedule is over, and goes on from there when it is switched on', async () => {
    const { webhook } = await addWebhook(test)
    const numbers = await track(2)
    let status = 500
    const { received, send } = scriptedEndpoints(() => status)
    const worker = webhookWorker(test, send)
    await worker.turn()
    for (const wait of RETRY_AFTER_MS) {
      expect(await show(webhook.id)).to.include({ state: 'on' })
      test.clock.advance(wait)
      await worker.turn()
    }
    expect(received).to.have.length(RETRY_AFTER_MS.length + 1)
    const off = await show(webhook.id)
    expect(off).to.include({ state: 'off', offReason: 'no success in 10 attempts; the last one: answered 500' })
    test.clock.advance(100 * HOUR_MS)
    await worker.turn()
    expect(received).to.have.length(RETRY_AFTER_MS.length + 1)
    status = 200
    await test.program.inTransaction((tx) => tx.webhooks.update(test.first.id, webhook.id, { enabled: true }))
    await worker.turn()
    expect(received.slice(-2).map(numbersOf)).to.deep.equal(numbers.map((n) => [n]))
    expect(received.at(-2)!.headers['webhook-id']).to.equal(received[0]!.headers['webhook-id'])
    expect(await show(webhook.id)).to.include({ state: 'on', offReason: null, failingSince: null })
  })

  it('switches an endpoint off that answers 410', async () => {
    const { webhook } = await addWebhook(test)
    await track(2)
    const { received, send } = scriptedEndpoints(() => 410)
    const worker = webhookWorker(test, send)
    await worker.turn()
    test.clock.advance(HOUR_MS)
    await worker.turn()
    expect(received).to.have.length(1)
    const { offReason, state, waitingSince } = await show(webhook.id)
    expect(state).to.equal('off')
    expect(offReason).to.include('410')
    expect(waitingSince).to.be.a('number')
  })

  it('never has two requests of an endpoint under way, and a slow one stops no other', async () => {
    await addWebhook(test)
    await addWebhook(test, { url: 'https://quick.example.com/' })
    await track(2)
    let release!: (status: number) => void
    const slow = new Promise<number>((resolve) => (release = resolve))
    const { received, send } = scriptedEndpoints(({ url }) => (url === HOOK ? slow : 200))
    const worker = webhookWorker(test, send)
    const elsewhere = webhookWorker(test, send, 'elsewhere')
    await worker.look()
    // Until then it has not taken the message, and the other one might.
    await eventually(() => received.some(({ url }) => url === HOOK), 'the slow endpoint is asked')
    await elsewhere.turn()
    await worker.look()
    await track()
    await elsewhere.turn()
    expect(received.filter(({ url }) => url === HOOK)).to.have.length(1)
    release(200)
    await worker.settled()
    await worker.turn()
    expect(received.filter(({ url }) => url === HOOK)).to.have.length(3)
    expect(received.filter(({ url }) => url !== HOOK)).to.have.length(3)
  })

  it('stores nothing of an answer that comes after another worker took over', async () => {
    await addWebhook(test)
    const [number] = await track()
    let release!: (status: number) => void
    const slow = new Promise<number>((resolve) => (release = resolve))
    const late = scriptedEndpoints(() => slow)
    const worker = webhookWorker(test, late.send)
    await worker.look()
    while (late.received.length === 0) await new Promise((resolve) => setImmediate(resolve))
    // A request ends after 15 s; whoever takes over from a killed worker waits no longer than for pushes.
    const { read } = test.program.kernel.db
    const { left } = await read('webhook_cursors').first({ left: read.raw(`lease_until - ${databaseNow(read)}`) })
    expect(Number(left)).to.be.within(10_000, 30_000)
    await test.program.kernel.db.write((trx) => trx('webhook_cursors').update({ lease_until: 0 }))
    const other = scriptedEndpoints(() => 500)
    await webhookWorker(test, other.send, 'other').turn()
    release(200)
    await worker.settled()
    expect(other.received.map(numbersOf)).to.deep.equal([[number]])
    expect(other.received[0]!.headers['webhook-id']).to.equal(late.received[0]!.headers['webhook-id'])
    // The failure of the other worker is what counts: the message comes once more.
    test.clock.advance(RETRY_AFTER_MS[0])
    const again = scriptedEndpoints()
    await webhookWorker(test, again.send, 'again').turn()
    expect(again.received.map(numbersOf)).to.deep.equal([[number]])
  })

  it('leaves out the data of a large event and says so', async () => {
    await addWebhook(test, { batch: { max: 2 } })
    await track(1, 'bought', { note: 'x'.repeat(65_450) })
    await track(1)
    const { received, send } = scriptedEndpoints()
    await webhookWorker(test, send).turn()
    const [large, small] = received[0]!.body.data as Record<string, unknown>[]
    expect(large).to.include({ truncated: true, type: 'bought' }).and.not.have.property('data')
    expect(small).to.have.property('data')
  })

  it('replays a span beside what happens, marked and with ids of its own, and ends', async () => {
    const { webhook } = await addWebhook(test)
    const { received, send } = scriptedEndpoints()
    const worker = webhookWorker(test, send)
    const [a] = await track()
    test.clock.advance(60_000)
    const from = test.clock.now()
    const [b, c] = await track(2)
    test.clock.advance(60_000)
    const to = test.clock.now()
    const [d] = await track()
    await worker.turn()
    const before = received.splice(0)
    expect(before.flatMap(numbersOf)).to.deep.equal([a, b, c, d])
    const span = { from: new Date(from).toISOString(), to: new Date(to).toISOString() }
    const replayed = await test.program.inTransaction((tx) => tx.webhooks.replay(test.first.id, webhook.id, span))
    expect(replayed.replay).to.deep.equal({ from, to })
    const [e] = await track()
    await worker.turn()
    const live = received.filter(({ body }) => body.replay === undefined)
    const again = received.filter(({ body }) => body.replay === true)
    expect(live.flatMap(numbersOf)).to.deep.equal([e])
    expect(again.flatMap(numbersOf)).to.deep.equal([b, c])
    const ids = new Set([...before, ...received].map(({ headers }) => headers['webhook-id']))
    expect(ids.size).to.equal(before.length + received.length)
    expect((await show(webhook.id)).replay).to.equal(null)

    // By ids: behind the first one, up to the last one.
    const idOf = (n: number) => (before[n]!.body.data as { id: string }).id
    const edges = { from: idOf(0), to: idOf(2) }
    await test.program.inTransaction((tx) => tx.webhooks.replay(test.first.id, webhook.id, edges))
    received.splice(0)
    await worker.turn()
    expect(received.flatMap(numbersOf)).to.deep.equal([b, c])
  })

  it('keeps what came of each request for seven days', async () => {
    const { webhook } = await addWebhook(test)
    await track()
    const answers = ['dies', 200] as const
    let asked = 0
    const worker = webhookWorker(test, scriptedEndpoints(() => answers[asked++] ?? 200).send)
    await worker.turn()
    test.clock.advance(RETRY_AFTER_MS[0])
    await worker.turn()
    const list = () => test.program.webhooks.attempts(test.first.id, webhook.id, { limit: 1 })
    const { attempts, next } = await list()
    expect(attempts[0]).to.include({ attempt: 2, status: 200, reason: null, events: 1, kind: 'live' })
    const older = await test.program.webhooks.attempts(test.first.id, webhook.id, { after: next!, limit: 1 })
    expect(older.attempts[0]).to.include({ attempt: 1, status: null, reason: 'socket hang up' })
    expect(older.next).to.equal(null)
    test.clock.advance(7 * 24 * HOUR_MS + 1)
    expect(await test.program.inTransaction((tx) => tx.webhookDeliveries.forget(10))).to.equal(2)
  })
})
