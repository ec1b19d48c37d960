import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { CHECKS } from '../../../src/doctor/checks.ts'
import { nextAt, readLastBackup, storeFailure } from '../../../src/domain/backups/last-backup.ts'
import { vendorAddresses } from '../../../src/domain/gateways/registry.ts'
import { keepLine } from '../../../src/platform/log/tail.ts'
import { openTestServer, type TestServer } from '../../support/http.ts'
import { addPerson } from '../../support/people.ts'

/** An address where nobody listens. */
const CLOSED = 'https://127.0.0.1:1'

describe('the health of the server, for people', () => {
  let test: TestServer
  let auth: string
  const to = mkdtempSync(join(tmpdir(), 'appsvc-backups-'))

  before(async () => {
    const nowhere = Object.fromEntries(Object.keys(vendorAddresses).map((name) => [`gateways.${name}`, CLOSED]))
    const settings = { ...nowhere, 'backup.to': to, 'nats.url': 'nats://user:S3cret@127.0.0.1:1' }
    test = await openTestServer({ settings })
    auth = `Bearer ${(await addPerson(test.program, { roles: [{ appId: null, role: 'operator' }], scopes: ['see', 'operate'] })).token}`
  })
  after(() => test.close())

  it('finds what the doctor finds, and counts it alike', async () => {
    const { body } = await test.call('GET', '/admin/v1/health', { auth })
    const told = body as { errors: number; warnings: number; underWay: string[]; leftOut: { check: string }[] }
    const { findings } = body as { findings: { check: string; level: string }[] }
    expect(told.underWay).to.deep.equal([])
    const heard = new Set([...findings, ...told.leftOut].map(({ check }) => check))
    // These say nothing where there is nothing of theirs.
    const silent = 'load lanes conservation credentials certificates links pooler replica wal transactions nodes'.split(
      ' ',
    )
    expect(CHECKS.map(({ name }) => name).filter((name) => !heard.has(name) && !silent.includes(name))).to.deep.equal(
      [],
    )
    const levels = findings.map(({ level }) => level)
    expect(told.errors).to.equal(levels.filter((level) => level === 'error').length)
    expect(told.warnings).to.equal(levels.filter((level) => level === 'warning').length)
    // Vendors that are replaced by addresses where nobody listens.
    expect(told.warnings).to.be.at.least(2 * Object.keys(vendorAddresses).length)
  })

  it('has findings with remedies, nodes, lanes and backups', async () => {
    const { status, body } = await test.call('GET', '/admin/v1/health', { auth })
    expect(status).to.equal(200)
    const { findings, backup, database } = body as {
      findings: { check: string; level: string; sentence: string; remedy: string | null }[]
      backup: { to: string; last: null }
      database: string
    }
    expect(database).to.equal(test.program.kernel.db.kind)
    expect(findings.length).to.be.above(4)
    for (const { level, remedy, sentence } of findings) {
      expect(sentence).to.not.equal('')
      if (level === 'warning' || level === 'error') expect(remedy, sentence).to.be.a('string')
    }
    expect(backup).to.include({ to, last: null })
  })

  it('shows every setting, where it comes from, and no secret', async () => {
    const { body } = await test.call('GET', '/admin/v1/settings', { auth })
    const { items } = body as { items: { name: string; value: unknown; isDefault: boolean; source: string | null }[] }
    expect(items.find(({ name }) => name === 'backup.to')).to.include({ value: to, isDefault: false })
    expect(items.find(({ name }) => name === 'nats.url')).to.include({ isDefault: false })
    expect(items.find(({ name }) => name === 'log.format')).to.include({ isDefault: true })
    expect(JSON.stringify(body)).to.not.include('S3cret')
  })

  it('shows the newest lines of the log by level and text', async () => {
    const line = (level: string, msg: string) =>
      `${JSON.stringify({ level, time: '2026-03-01T09:00:00.000Z', thread: 'x', msg })}\n`
    for (const [level, msg] of [
      ['info', 'a walrus arrived'],
      ['warn', 'the walrus is late'],
      ['debug', 'a walrus in detail'],
    ] as const) {
      keepLine(line(level, msg))
    }
    keepLine(line('error', `walrus ${'x'.repeat(5000)}`))
    const lines = async (query: string) =>
      (
        (await test.call('GET', `/admin/v1/log?${query}`, { auth })).body as {
          items: { level: string; message: string }[]
        }
      ).items
    expect((await lines('text=WALRUS')).map(({ level }) => level)).to.deep.equal(['error', 'warn', 'info'])
    expect((await lines('text=walrus&level=warn&limit=1')).map(({ message }) => message.length)).to.deep.equal([1000])
    expect((await test.call('GET', '/admin/v1/log?limit=0', { auth })).status).to.equal(422)
  })

  it('makes the next backup due at once, and once', async () => {
    const { config, clock } = test.program.kernel
    expect((await test.call('POST', '/admin/v1/backups', { auth, body: {} })).status).to.equal(202)
    const last = readLastBackup(config.dataDir)
    expect(nextAt(last, 86_400_000)).to.be.at.most(clock.now())
    storeFailure(config.dataDir, { at: clock.now(), error: 'no' })
    expect(readLastBackup(config.dataDir).wanted).to.equal(undefined)
    expect(readFileSync(join(config.dataDir, 'backup.json'), 'utf8')).to.not.include('wanted')
  })

  it('says what to set where the server makes no backups', async () => {
    const other = await openTestServer()
    try {
      const { token } = await addPerson(other.program)
      const { status, body } = await other.call('POST', '/admin/v1/backups', { auth: `Bearer ${token}`, body: {} })
      expect(status).to.equal(409)
      expect((body as { error: string }).error).to.match(/backup\.to|own tools/)
    } finally {
      await other.close()
    }
  })
})
