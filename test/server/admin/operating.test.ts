import { mkdtempSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { migrations } from '../../../migrations/index.ts'
import packageJson from '../../../package.json' with { type: 'json' }
import { makeBackup } from '../../../src/domain/backups/make.ts'
import { placeOfServer } from '../../../src/domain/backups/places.ts'
import { readVerifications, storeVerification, verifyBackup } from '../../../src/domain/backups/verify.ts'
import { databaseFile } from '../../../src/open.ts'
import { totalsOf } from '../../../src/server/metrics/totals.ts'
import { createLoadReporter } from '../../../src/workers/load.ts'
import { openTestServer, type TestServer } from '../../support/http.ts'
import { addPerson } from '../../support/people.ts'

interface Listed {
  name: string
  address: string
  bytes: number
  rows: number
  isOfThisKey: boolean
  isBeingVerified: boolean
  verification: { error: string | null } | null
}

describe('operating a server, for people', () => {
  let test: TestServer
  let auth: string
  const to = mkdtempSync(join(tmpdir(), 'appsvc-backups-'))

  before(async () => {
    test = await openTestServer({ kind: 'sqlite', settings: { 'backup.to': to } })
    const roles = [{ appId: null, role: 'operator' as const }]
    auth = `Bearer ${(await addPerson(test.program, { roles, scopes: ['see', 'operate'] })).token}`
  })
  after(() => test.close())

  const list = async () => ((await test.call('GET', '/admin/v1/backups', { auth })).body as { items: Listed[] }).items
  const backUp = () => {
    const { config, clock } = test.program.kernel
    const database = databaseFile(config)
    const { dataDir } = config
    return makeBackup({ program: packageJson.version, dataDir, database, place: placeOfServer(config), clock })
  }

  it('reads the load of a period, a day unless told', async () => {
    await createLoadReporter(test.program).report()
    const { status, body } = await test.call('GET', '/admin/v1/load', { auth })
    expect(status).to.equal(200)
    const { spanSeconds, points } = body as { spanSeconds: number; points: Record<string, unknown>[] }
    expect([spanSeconds, points.length]).to.deep.equal([900, 1])
    expect(points[0]).to.include({ serverCalls: 0, errors: 0, accepted: 0 })
    expect(points[0]!.databaseBytes).to.be.above(0)
    const hour = (await test.call('GET', '/admin/v1/load?period=hour', { auth })).body as { spanSeconds: number }
    expect(hour.spanSeconds).to.equal(60)
    const wrong = await test.call('GET', '/admin/v1/load?period=year', { auth })
    expect(wrong.status).to.equal(422)
    expect(wrong.body).to.have.nested.property('errors.period')
  })

  it('lists backups, and what was found when one was verified', async () => {
    expect(await list()).to.deep.equal([])
    const { address, manifest } = await backUp()
    const [one] = await list()
    expect(one).to.include({ address, bytes: manifest.bytes, isOfThisKey: true, isBeingVerified: false })
    expect(one!.rows).to.be.above(0)
    expect(one!.verification).to.equal(null)
    const { dataDir } = test.program.kernel.config
    const asked = await test.call('POST', `/admin/v1/backups/${one!.name}/verify`, { auth, body: {} })
    expect([asked.status, asked.body]).to.deep.equal([202, { name: one!.name }])
    expect((await list())[0]!.isBeingVerified).to.equal(true)
    expect(readVerifications(dataDir).wanted?.name).to.equal(one!.name)
    storeVerification(dataDir, { name: one!.name, at: test.clock.now(), seconds: 1, error: null })
    expect((await list())[0]).to.include({ isBeingVerified: false })
    expect((await list())[0]!.verification).to.include({ error: null })
    // Somebody else wants another one meanwhile: it stays wanted.
    writeFileSync(join(dataDir, 'backup-checks.json'), '{"wanted":{"name":"other","at":1},"done":[7,{"name":"a"}]}')
    storeVerification(dataDir, { name: one!.name, at: 2, seconds: 1, error: 'damaged' })
    expect(readVerifications(dataDir)).to.deep.equal({
      wanted: { name: 'other', at: 1 },
      done: [{ name: one!.name, at: 2, seconds: 1, error: 'damaged' }],
    })
    writeFileSync(join(dataDir, 'backup-checks.json'), '{')
    expect(readVerifications(dataDir)).to.deep.equal({ done: [] })
  })

  it('verifies a backup as a restore would: one that was cut is named, and nothing of the copy stays', async () => {
    const { config } = test.program.kernel
    const { store } = placeOfServer(config)
    const [one] = await list()
    const verify = () => verifyBackup({ store, name: one!.name, dataDir: config.dataDir, migrations })
    expect((await verify())?.bytes).to.equal(one!.bytes)
    truncateSync(one!.address, one!.bytes - 4096)
    const error = await verify().then(
      () => 'nothing',
      (thrown: Error) => thrown.message,
    )
    expect(error).to.include('it was cut or replaced')
    const { readdirSync } = await import('node:fs')
    expect(readdirSync(config.dataDir).filter((file) => file.includes('checking'))).to.deep.equal([])
  })

  it('refuses a backup that there is not, and a name that could lead elsewhere', async () => {
    for (const name of ['appsvc-20200101T000000Z.sqlite', '..%2Fappsvc.sqlite', 'none']) {
      const { status, body } = await test.call('POST', `/admin/v1/backups/${name}/verify`, { auth, body: {} })
      expect(status, name).to.equal(404)
      expect((body as { error: string }).error).to.include('GET /admin/v1/backups lists them')
    }
  })

  it('says what to set where the server makes no backups', async () => {
    const other = await openTestServer()
    try {
      const by = { auth: `Bearer ${(await addPerson(other.program)).token}` }
      for (const { status, body } of [
        await other.call('GET', '/admin/v1/backups', by),
        await other.call('POST', '/admin/v1/backups/x/verify', { ...by, body: {} }),
      ]) {
        expect(status).to.equal(409)
        expect((body as { error: string }).error).to.match(/backup\.to|own tools/)
      }
    } finally {
      await other.close()
    }
  })

  it('counts calls by who made them, and errors of all', () => {
    const series = (area: string, method: string, route: string, statuses: [number, number][]) => ({
      area,
      method,
      route,
      statuses: new Map(statuses),
      durations: [],
      seconds: 0,
    })
    const total = totalsOf([
      series('messages', 'post', '/v2/notifications', [
        [202, 3],
        [500, 2],
      ]),
      series('events', 'post', '/v1/events', [[202, 7]]),
      series('admin', 'get', '/v1/health', [[200, 9]]),
      series('none', 'other', 'unknown', [
        [404, 5],
        [503, 1],
      ]),
    ])
    expect(total.errors).to.equal(3)
    expect(total.serverCalls + total.deviceCalls).to.equal(12)
  })
})
