import { expect } from 'chai'
import { openTestServer, type TestServer } from '../../support/http.ts'
import { onSqliteDaily } from '../../support/program.ts'

const EURO = { field: 'data.currency', op: 'equals', value: 'EUR' }
const REVENUE = { event: 'order.paid', where: EURO, value: 'data.amount' }

onSqliteDaily('metrics over HTTP', (kind) => {
  let server: TestServer
  before(async () => {
    server = await openTestServer({ kind, settings: { 'limits.metrics': '2' } })
  })
  after(() => server.close())

  const call = (method: string, path: string, body?: unknown, auth = 'server') =>
    server.call(method, `/messages/v1${path}`, { auth, ...(body !== undefined && { body }) })

  it('are created with 201, replaced with 200, read, listed and deleted', async () => {
    const made = await call('PUT', '/metrics/revenue', REVENUE)
    expect([made.status, made.body]).to.deep.equal([
      201,
      { ...(made.body as { id: number; since: string }), name: 'revenue', ...REVENUE },
    ])
    const same = await call('PUT', '/metrics/revenue', REVENUE)
    expect([same.status, same.body]).to.deep.equal([200, made.body])
    const other = await call('PUT', '/metrics/revenue', { event: 'order.paid', where: null })
    expect(other.status).to.equal(200)
    expect(other.body).to.include({ event: 'order.paid', where: null, value: null })
    expect((other.body as { id: number }).id).not.to.equal((made.body as { id: number }).id)
    expect((await call('GET', '/metrics/revenue')).body).to.deep.equal(other.body)
    expect((await call('GET', '/metrics')).body).to.deep.equal({ metrics: [other.body] })
    expect((await call('DELETE', '/metrics/revenue')).status).to.equal(204)
    expect((await call('GET', '/metrics/revenue')).status).to.equal(404)
    expect((await call('DELETE', '/metrics/revenue')).status).to.equal(404)
  })

  const wrong: [string, string, object, string[]][] = [
    ['a name with a blank', '/metrics/a%20b', REVENUE, ['name']],
    ['no event', '/metrics/a', {}, ['event']],
    ['a misspelt key', '/metrics/a', { event: 'e', were: EURO }, ['were']],
    ['a where that is none', '/metrics/a', { event: 'e', where: { field: 'plan', op: 'like' } }, ['where.field']],
    ['a long where', '/metrics/a', { event: 'e', where: { ...EURO, op: 'in', value: longList() } }, ['where']],
    ['a value that is no path', '/metrics/a', { event: 'e', value: 'amount' }, ['value']],
  ]
  for (const [what, path, body, keys] of wrong) {
    it(`answer 422 to ${what}`, async () => {
      const { status, body: answer } = await call('PUT', path, body)
      const { errors } = answer as { errors: object }
      expect([status, Object.keys(errors)]).to.deep.equal([422, keys])
    })
  }

  it('are refused with 409 beyond the setting, and while a segment names them', async () => {
    for (const name of ['a', 'b']) await call('PUT', `/metrics/${name}`, { event: name })
    expect((await call('PUT', '/metrics/c', { event: 'c' })).status).to.equal(409)
    const filter = { field: 'metrics.a', op: 'atLeast', value: 3, withinDays: 30 }
    const made = await call('POST', '/segments', { name: 'S', filter })
    expect([made.status, (made.body as { filter: object }).filter]).to.deep.equal([201, filter])
    expect((await call('DELETE', '/metrics/a')).status).to.equal(409)
    expect((await call('DELETE', '/metrics/b')).status).to.equal(204)
  })

  const fields: [object, string, string][] = [
    [{ field: 'metrics.none', value: 1 }, 'filter.field', 'there is no metric "none"'],
    [
      { field: 'metrics.', value: 1 },
      'filter.field',
      'must be metrics.NAME, where NAME must have 1 to 64 of the characters a-z A-Z 0-9 . _ - and begin with a letter or digit',
    ],
    [{ field: 'metrics.a', value: '1' }, 'filter.value', 'must be a number from -9000000000 to 9000000000'],
    [
      { field: 'metrics.a', value: 1, withinDays: 0.5 },
      'filter.withinDays',
      'must be a whole number of days from 1 to 36500',
    ],
    [
      { field: 'os', value: 1, withinDays: 3 },
      'filter.withinDays',
      'is not a field of a filter (and, or, not, field, op, operator, value)',
    ],
  ]
  for (const [more, place, problem] of fields) {
    it(`are wrong in a segment: ${JSON.stringify(more)}`, async () => {
      const { status, body } = await call('POST', '/segments', { name: 'S', filter: { op: 'atLeast', ...more } })
      expect([status, (body as { errors: Record<string, string[]> }).errors[place]]).to.deep.equal([422, [problem]])
    })
  }
})

function longList(): string[] {
  return Array.from({ length: 20 }, (_, i) => `${i}`.padEnd(1000, 'x'))
}
