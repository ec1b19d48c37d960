import { request } from 'node:http'
import { expect } from 'chai'
import { AppError } from '../../../src/platform/errors.ts'
import type { AskOptions, LongReads } from '../../../src/platform/long-reads/client.ts'
import { unhurried } from '../../../src/platform/long-reads/pace.ts'
import { openTestServer, type TestServer } from '../../support/http.ts'
import { onEachDatabase } from '../../support/program.ts'
import { column, makeTable, restKey } from '../../support/tables.ts'

const PATH = '/data/v1/data/1_things'
const filter = (field: string, operator: string, value: unknown) =>
  `filter=${encodeURIComponent(JSON.stringify({ field, operator, value }))}`

onEachDatabase('long reads over HTTP', (kind) => {
  let test: TestServer
  let key: string
  const asked: { call: string; args: readonly unknown[]; options: AskOptions }[] = []
  /** The thread's answer to a read. */
  let answer: (...of: Parameters<LongReads['ask']>) => Promise<unknown>

  before(async () => {
    // A statement on the thread of requests checks as many records as this.
    test = await openTestServer({ kind, settings: { 'limits.tableScan': '1000' } })
    key = await restKey(test)
    await makeTable(test, 'things', [column('n', 'integer', { indexed: true }), column('s', 'string')])
    for (let list = 0; list < 2; list++) {
      const body = Array.from({ length: 600 }, (_, i) => ({ n: i, s: `s ${i % 7}` }))
      expect((await test.call('POST', PATH, { auth: key, body })).status).to.equal(201)
    }
    test.program.kernel.longReads = {
      async ask<T>(call: string, args: readonly unknown[], options: AskOptions) {
        asked.push({ call, args, options })
        return (await answer(call, args, options)) as T
      },
      close() {},
    }
  })
  beforeEach(() => {
    asked.length = 0
    answer = (_call, args) => test.program.records.find(...(args as [number, string, never]), unhurried)
  })
  after(() => test.close())

  const get = (query: string) => test.call('GET', `${PATH}?${query}`, { auth: key })

  it('keep short reads on the thread of requests', async () => {
    for (const query of [
      '',
      'sortBy=-n',
      'page=20',
      'count=true',
      `sortBy=n&${filter('n', 'atLeast', 5)}`,
      `${filter('n', 'equals', 5)}&sortBy=s`,
      'page=1100&numberPerPage=1',
    ]) {
      expect((await get(query)).status, query).to.equal(200)
    }
    expect((await get('sortBy=nothing')).status).to.equal(422)
    expect((await test.call('GET', '/data/v1/data/1_nothing?sortBy=s', { auth: key })).status).to.equal(404)
    expect(asked).to.deep.equal([])
  })

  it('give every other read to the reader thread, with the app, its key and its time', async () => {
    const whole = await test.program.records.list(1, '1_things', { numberPerPage: 1000, sortBy: 's' })
    for (const query of [
      'sortBy=s',
      filter('s', 'contains', '3'),
      `sortBy=n&${filter('s', 'equals', 's 3')}&count=true`,
    ]) {
      const { status, body } = await get(query)
      expect(status).to.equal(200)
      expect(body).to.have.length(50)
    }
    expect(asked).to.have.length(3)
    expect(asked[0]).to.deep.include({ call: 'records.find' })
    expect(asked[0]!.options.who).to.deep.equal({
      app: 1,
      key: Buffer.from(key.split(' ')[1]!, 'base64').toString().split(':')[0],
    })
    expect(asked[0]!.options.seconds).to.equal(5)
    const { body, headers } = await get('sortBy=s&numberPerPage=1000')
    expect((body as { id: number }[]).map(({ id }) => id)).to.deep.equal(
      (whole.records as readonly { id: number }[]).map(({ id }) => id),
    )
    expect(headers.get('next-after')).to.equal(whole.next)
  })

  it('answer 503 with the remedy and a time to try again', async () => {
    answer = (_call, args) =>
      test.program.records.find(...(args as [number, string, never]), { ...unhurried, turn: late(2), seconds: 5 })
    const { status, headers, body } = await get('sortBy=s')
    expect(status).to.equal(503)
    expect(headers.get('retry-after')).to.equal('60')
    expect(JSON.stringify(body)).to.include('appsvc tables alter --app 1 things --set s:indexed')
    answer = async () => {
      throw new AppError('unavailable', 'too many', { headers: { 'Retry-After': '5' } })
    }
    expect((await get('sortBy=s')).status).to.equal(503)
  })

  it('tell the thread when the client has gone', async () => {
    const hasGone = new Promise<void>((resolve) => {
      answer = async (_call, _args, { signal }) => {
        signal!.addEventListener('abort', () => resolve())
        client.destroy()
        await hasGone
        throw new AppError('unavailable', 'the caller has gone')
      }
    })
    const client = request(`${test.address}${PATH}?sortBy=s`, { headers: { authorization: key } })
    client.on('error', () => {}).end()
    await hasGone
    expect(asked).to.have.length(1)
  })
})

/** A turn that is late after so many. */
function late(turns: number): () => Promise<boolean> {
  return async () => turns-- > 0
}
