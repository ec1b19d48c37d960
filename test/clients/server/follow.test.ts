import { expect } from 'chai'
import {
  type AppsvcError,
  appsvc,
  type FollowInit,
  type LoggedEvent,
  type Options,
} from '../../../clients/server/src/index.ts'
import { CutOff, readLines } from '../../../clients/server/src/lines.ts'
import { openTestServer, type TestServer } from '../../support/http.ts'
import { onEachDatabase } from '../../support/program.ts'
import { troubled } from './troubled.ts'

onEachDatabase('following the event log with the client for servers', (kind) => {
  let test: TestServer
  before(async () => {
    test = await openTestServer({ kind })
  })
  beforeEach(async () => {
    await test.startOver()
    await test.program.inTransaction((tx) => tx.crm.putAttributes(test.first.id, 'anna', {}))
  })
  after(() => test.close())

  const open = (more: Partial<Options> = {}) => {
    const { apiKey, serverKey } = test.first
    return appsvc({ url: test.address, apiKey, serverKey, sleep: async () => {}, retries: 0, ...more })
  }
  const report = (...numbers: number[]) =>
    open({ retries: 3 }).events.report(numbers.map((n) => ({ userId: 'anna', type: 'order.paid', data: { n } })))
  const numberOf = (event: LoggedEvent) => (event.data as { n: number }).n
  /** The numbers of the next `count` events. */
  const take = async (events: AsyncGenerator<LoggedEvent, void>, count: number) => {
    const found: number[] = []
    while (found.length < count) found.push(numberOf((await events.next()).value!))
    return found
  }
  const paid: FollowInit = { types: ['order.paid'] }

  it('yields what is stored, then what comes, also after the connection is gone', async () => {
    await report(1, 2)
    const events = open().events.follow(paid)
    expect(await take(events, 2)).to.deep.equal([1, 2])
    const coming = take(events, 1)
    await report(3)
    expect(await coming).to.deep.equal([3])
    const next = take(events, 1)
    test.hangUp()
    await report(4)
    expect(await next).to.deep.equal([4])
    await events.return()
  })

  it('yields nothing twice and loses nothing when an answer breaks off', async () => {
    const many = Array.from({ length: 40 }, (_, n) => n)
    await report(...many)
    const { send, sent } = troubled('cut off', 'lost', 'cut off', 'cut off')
    const events = open({ fetch: send }).events.follow(paid)
    expect(await take(events, 40)).to.deep.equal(many)
    expect(sent.length).to.be.above(4)
    await events.return()
  })

  it('goes on after answers 429 and 503, and begins behind `after`', async () => {
    await report(1, 2, 3)
    const first = open().events.follow(paid)
    const { id } = (await first.next()).value!
    await first.return()
    const { send } = troubled(Response.json({}, { status: 503 }), Response.json({}, { status: 429 }))
    const events = open({ fetch: send }).events.follow({ ...paid, after: id })
    expect(await take(events, 2)).to.deep.equal([2, 3])
    await events.return()
  })

  it('ends when its signal does, while it waits', async () => {
    const stop = new AbortController()
    const events = open().events.follow({ ...paid, signal: stop.signal })
    const next = events.next()
    stop.abort()
    expect(await next).to.deep.equal({ done: true, value: undefined })
  })

  it('throws what no repeat can mend: wrong keys, a wrong position, one that was forgotten', async () => {
    const failure = (init: FollowInit, more: Partial<Options> = {}) =>
      open(more)
        .events.follow(init)
        .next()
        .catch((error: AppsvcError) => error.status)
    expect(await failure({}, { serverKey: 'sk_wrong' })).to.equal(401)
    expect(await failure({ after: 'nonsense' })).to.equal(422)
    expect(await failure({ include: 'deliveries' })).to.equal(409)
    await report(1)
    const { id } = (await open().events.follow(paid).next()).value!
    await report(2)
    test.clock.advance(400 * 86_400_000)
    await test.program.inTransaction((tx) => tx.events.forget(365, 1000))
    expect(await failure({ after: id })).to.equal(410)
  })
})

describe('the pace of following the event log', () => {
  /** The queries and pauses of a client whose server answers at once that nothing is new. */
  const paceOf = async (timeoutMs: number) => {
    const stop = new AbortController()
    const asked: (string | null)[] = []
    const pauses: number[] = []
    const app = appsvc({
      url: 'https://app.example.com',
      apiKey: 'ak',
      serverKey: 'sk',
      timeoutMs,
      fetch: async (url) => {
        asked.push(new URL(url).searchParams.get('wait'))
        return new Response('', { headers: { 'content-type': 'application/x-ndjson', 'next-after': '1' } })
      },
      sleep: async (ms) => {
        pauses.push(ms)
        if (pauses.length === 3) stop.abort()
      },
    })
    for await (const event of app.events.follow({ signal: stop.signal })) expect(event).to.equal(undefined)
    return { asked, pauses }
  }

  it('leaves a second between questions, whatever the server does', async () => {
    expect((await paceOf(60_000)).pauses).to.deep.equal([1000, 1000, 1000])
  })

  it('lets the server wait for half of the time that an answer may take', async () => {
    for (const [timeoutMs, wait] of [
      [60_000, '20'],
      [10_000, '5'],
      [1, '1'],
    ] as const)
      expect((await paceOf(timeoutMs)).asked[0]).to.equal(wait)
  })
})

describe('lines of the client for servers', () => {
  const bodyOf = (...pieces: (string | Uint8Array | Error)[]) => {
    const left = [...pieces]
    return new ReadableStream<Uint8Array>({
      pull(to) {
        const piece = left.shift()
        if (piece === undefined) return to.close()
        if (piece instanceof Error) return to.error(piece)
        to.enqueue(typeof piece === 'string' ? new TextEncoder().encode(piece) : piece)
      },
    })
  }
  const read = async (body: ReadableStream<Uint8Array> | null, silentMs = 60_000) => {
    const found: unknown[] = []
    try {
      for await (const one of readLines(body, silentMs)) found.push(one)
    } catch (error) {
      found.push(error instanceof CutOff ? 'cut off' : error)
    }
    return found
  }

  it('may come in any pieces, also within a letter', async () => {
    const bytes = new TextEncoder().encode('{"a":"ü€𝄞"}\n{"b":2}\n')
    for (let at = 0; at < bytes.length; at++)
      expect(await read(bodyOf(bytes.subarray(0, at), bytes.subarray(at)))).to.deep.equal([{ a: 'ü€𝄞' }, { b: 2 }])
  })

  const CASES: readonly (readonly [what: string, pieces: (string | Error)[], found: unknown[]])[] = [
    ['nothing is no lines', [], []],
    ['empty lines count for nothing', ['\n\n{"a":1}\n\n'], [{ a: 1 }]],
    ['half a line at the end is an answer cut off', ['{"a":1}\n{"b":'], [{ a: 1 }, 'cut off']],
    ['a whole value without the end of its line is one, too', ['{"a":1}\n12'], [{ a: 1 }, 'cut off']],
    [
      'a connection that breaks is an answer cut off',
      ['{"a":1}\n', new TypeError('terminated')],
      [{ a: 1 }, 'cut off'],
    ],
  ]
  for (const [what, pieces, found] of CASES)
    it(what, async () => expect(await read(bodyOf(...pieces))).to.deep.equal(found))

  it('that stop coming are an answer cut off', async () => {
    expect(await read(new ReadableStream(), 5)).to.deep.equal(['cut off'])
  })

  it('of no body are none', async () => expect(await read(null)).to.deep.equal([]))
})
