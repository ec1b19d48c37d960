import { expect } from 'chai'
import { firstLine, killAll, run, start } from '../cli/cli.ts'
import { type Appliance, openAppliance, receptions, tokensOf } from '../support/appliance.ts'
import { eventually } from '../support/eventually.ts'
import { basic } from '../support/http.ts'
import { needs } from '../support/needs.ts'
import { openPgBouncer, type PgBouncer } from '../support/pgbouncer.ts'
import { dropPostgresDatabase, freshPostgresDatabase } from '../support/postgres.ts'
import { onPostgres } from '../support/program.ts'
import { PROGRAMS_MS } from '../support/programs.ts'

const ANDROIDS = 400
const UPLOADS = 400
const AT_A_TIME = 8

onPostgres('two nodes behind PgBouncer in transaction mode', function () {
  this.timeout(PROGRAMS_MS)
  let url: string
  let bouncer: PgBouncer
  let one: Appliance
  let other: string

  before(async function () {
    needs(this, 'pgbouncer')
    url = await freshPostgresDatabase()
    bouncer = await openPgBouncer(url, { size: 8 })
    const environment = {
      APPSVC_DATABASE_URL: bouncer.urlOf(url),
      APPSVC_DATABASE_POOLER: 'transaction',
      APPSVC_DELIVERY_PAGE_SIZE: '100',
      APPSVC_WORKERS_DELIVER: '1',
      APPSVC_LIMITS_TABLE_SCAN: '1000',
    }
    one = await openAppliance({ androids: ANDROIDS, url, environment })
    await one.inside((program) =>
      program.inTransaction((tx) =>
        tx.metrics.put(one.first.id, 'revenue', { event: 'order.paid', where: null, value: 'data.amount' }),
      ),
    )
    await one.start()
    const env = { PATH: process.env.PATH, ...one.environment }
    const argv = ['serve', '--port', '0', '--json', '--data-dir', one.dir]
    other = (await firstLine<{ listening: string }>(start(argv, { env }))).listening
  })
  after(async () => {
    killAll()
    await one?.close()
    await bouncer?.close()
    if (url) await dropPostgresDatabase(url)
  })

  it('take every upload, and followers count each once', async () => {
    const authorization = basic(one.first.apiKey, one.first.secretKey)
    const left = Array.from({ length: UPLOADS }, (_, i) => i)
    const statuses = new Map<number, number>()
    const uploadOne = async (i: number) => {
      const path = `/events/v1/app-installs/device-${i % 50}/events`
      const body = [{ type: 'order.paid', uuid: `order ${i}`, timestamp: Date.now(), data: { amount: 2 } }]
      const headers = { authorization, 'content-type': 'application/json' }
      const request = { method: 'POST', headers, body: JSON.stringify(body) }
      const status =
        i % 2 === 0
          ? (await one.call('POST', path, body, { authorization })).status
          : (await fetch(other + path, request)).status
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
    const uploader = async () => {
      for (let i = left.pop(); i !== undefined; i = left.pop()) await uploadOne(i)
    }
    await Promise.all(Array.from({ length: AT_A_TIME }, uploader))
    expect([...statuses.keys()].every((status) => status < 300)).to.equal(true)
    await one.inside(({ kernel: { db } }) =>
      eventually(
        async () => Number((await db.read('metric_days').sum({ sum: 'count' }).first())!.sum) === UPLOADS,
        'all are counted',
      ),
    )
  })

  it('send each push once, and apply a file of subscribers', async () => {
    const id = await one.broadcast()
    const { counts } = await one.finished(id)
    // The devices of the uploads have no token.
    expect(counts).to.include({ accepted: ANDROIDS, failed: 0 })
    expect(receptions(one.sandbox, tokensOf(ANDROIDS), id)).to.deep.equal({ lost: 0, extra: 0 })
    expect((await one.call('POST', '/messages/channels', { uuid: 'news', name: 'News' })).status).to.equal(201)
    const file = new Blob([Array.from({ length: 50 }, (_, i) => `device-${i}\n`).join('')], { type: 'text/csv' })
    const answer = await one.upload('/messages/v2/channels/news/subscribers-file', file, 'users.csv')
    expect(answer.status).to.equal(202)
    const path = `/messages/v2/channels/news/imports/${(answer.body as { import: { id: string } }).import.id}`
    let found: { state: string; applied: number } | undefined
    await eventually(async () => {
      found = ((await one.call('GET', path)).body as { import: typeof found }).import
      return found?.state === 'done'
    }, 'the file is applied')
    expect(found).to.include({ applied: 50 })
  })

  it('read long lists, and are examined, without a word in the log', async () => {
    const filter = JSON.stringify({ field: 'os', op: 'equals', value: 'iOS' })
    const users = await one.call('GET', '/crm/v2/users?activeSince=2020-01-01')
    expect(users.status).to.equal(200)
    const { code, stdout, stderr } = await run(
      ['segments', 'preview', '--filter', '-', '--json', '--data-dir', one.dir],
      { stdin: filter, environment: one.environment },
    )
    expect(code, stdout + stderr).to.equal(0)
    const doctor = await run(['doctor', '--offline', '--json', '--data-dir', one.dir], { environment: one.environment })
    const { findings } = doctor.json<{ findings: { check: string; level: string; what: string }[] }>()
    expect(findings.find(({ check }) => check === 'pooler')).to.deep.include({ level: 'ok' })
    expect(one.log()).to.equal('')
  })

  it('do not start without the setting, and say what to set', async () => {
    const argv = ['serve', '--port', '0', '--data-dir', one.dir]
    const { code, stderr } = await run(argv, { environment: { ...one.environment, APPSVC_DATABASE_POOLER: 'none' } })
    expect(code).to.equal(78)
    expect(stderr).to.include('set database.pooler: transaction')
  })
})
