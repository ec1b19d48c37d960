import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import { loadConfig } from '../../src/config.ts'
import { CHECKS } from '../../src/doctor/checks.ts'
import { type CheckFinding, examine } from '../../src/doctor/examine.ts'
import { repair } from '../../src/doctor/repair.ts'
import { openSubject } from '../../src/doctor/subject.ts'
import { databaseFile } from '../../src/open.ts'
import type { Config } from '../../src/platform/config/settings.ts'
import { challengeCertificate, makeEcKey } from '../../src/platform/crypto/x509.ts'
import { connect } from '../../src/platform/db/connect.ts'
import { UNFINISHED_COPY } from '../../src/platform/db/migrate.ts'
import { silentLog } from '../../src/platform/log/log.ts'
import { run, temporaryDirectory } from '../cli/cli.ts'

/** Returns what the checks of these names find, without connecting anywhere. */
async function look(config: Config, names: readonly string[], offline = true): Promise<CheckFinding[]> {
  const subject = await openSubject({ config })
  try {
    const chosen = CHECKS.filter(({ name }) => names.includes(name))
    expect(chosen.map(({ name }) => name)).to.have.members(names)
    return (await examine(subject, chosen, { offline })).findings
  } finally {
    await subject.close()
  }
}

const said = (findings: readonly CheckFinding[]) =>
  findings.map(({ check, level, what }) => `${check} ${level}: ${what}`)

describe('a broken world', () => {
  const { dir, end } = temporaryDirectory()
  after(end)
  let made = 0
  let template: string

  before(async () => {
    template = join(dir, 'template')
    expect((await run(['apps', 'create', 'Bakery', '--data-dir', template])).code).to.equal(0)
  })

  /** A data directory of its own, with database and key. */
  async function world(flags: Record<string, string> = {}): Promise<Config> {
    const data = join(dir, `world-${++made}`)
    mkdirSync(data, { mode: 0o700 })
    for (const name of ['appsvc.sqlite', 'master.key']) {
      copyFileSync(join(template, name), join(data, name))
      chmodSync(join(data, name), 0o600)
    }
    return (await loadConfig({ environment: {}, flags: { dataDir: data, ...flags } })).config
  }

  /** Runs a statement on the database of a world. */
  async function change(config: Config, sql: string): Promise<void> {
    const db = connect({ file: databaseFile(config), log: silentLog })
    await db.write((trx) => trx.raw(sql))
    await db.checkpoint()
    await db.close()
  }

  /** Rows: what breaks the world, and what the check says then and not before. */
  const ROWS: [what: string, check: string, (config: Config) => Promise<void> | void, level: string, words: string][] =
    [
      [
        'a key that others may read',
        'data-directory',
        ({ dataDir }) => chmodSync(join(dataDir, 'master.key'), 0o644),
        'warning',
        'other users may read',
      ],
      [
        'a directory that others may read',
        'data-directory',
        ({ dataDir }) => chmodSync(dataDir, 0o755),
        'warning',
        'other users may read',
      ],
      [
        'a draft that a kill left',
        'data-directory',
        ({ dataDir }) => leave(join(dataDir, 'appsvc.mark.new')),
        'warning',
        'left behind',
      ],
      [
        'a key of before that others may read',
        'data-directory',
        ({ dataDir }) => writeFileSync(join(dataDir, 'master.key.former-1'), 'x', { mode: 0o644 }),
        'warning',
        'master.key.former-1',
      ],
      [
        'the draft of a restore beside a database',
        'data-directory',
        ({ dataDir }) => leave(join(dataDir, 'appsvc.sqlite.restoring')),
        'warning',
        'left behind',
      ],
      [
        'a restore that was interrupted',
        'database',
        (config) => renameSync(databaseFile(config), `${databaseFile(config)}.restoring`),
        'error',
        'was interrupted',
      ],
      [
        'the target of a copy that was interrupted',
        'schema',
        (config) => change(config, `INSERT INTO schema_migrations (name, applied_at) VALUES ('${UNFINISHED_COPY}', 1)`),
        'error',
        'unfinished target',
      ],
      [
        'a rotation that was killed at its beginning',
        'master-key',
        ({ dataDir }) => writeFileSync(join(dataDir, 'master.key.next'), `${Buffer.alloc(32, 9).toString('base64')}\n`),
        'warning',
        'before it changed anything',
      ],
      [
        'a rotation that was killed near its end',
        'master-key',
        ({ dataDir }) => {
          renameSync(join(dataDir, 'master.key'), join(dataDir, 'master.key.next'))
          writeFileSync(join(dataDir, 'master.key'), `${Buffer.alloc(32, 9).toString('base64')}\n`)
        },
        'warning',
        'belongs to',
      ],
      [
        'a backup that failed',
        'backups',
        ({ dataDir }) =>
          writeFileSync(join(dataDir, 'backup.json'), '{"failure":{"at":1,"error":"no room"}}', { mode: 0o600 }),
        'error',
        'no room',
      ],
      ['no master key', 'master-key', ({ dataDir }) => rmSync(join(dataDir, 'master.key')), 'error', 'is missing'],
      [
        'another master key',
        'master-key',
        ({ dataDir }) => writeFileSync(join(dataDir, 'master.key'), `${Buffer.alloc(32, 9).toString('base64')}\n`),
        'error',
        'is not the one of this database',
      ],
      [
        'half a master key',
        'master-key',
        ({ dataDir }) => writeFileSync(join(dataDir, 'master.key'), 'c2hvcnQ=\n'),
        'error',
        'not 32 bytes',
      ],
      [
        'a key that the database does not know yet',
        'master-key',
        (config) => change(config, 'UPDATE instance SET key_check = NULL'),
        'ok',
        'belongs to no key yet',
      ],
      [
        'a schema of a newer version',
        'schema',
        (config) => change(config, "INSERT INTO schema_migrations (name, applied_at) VALUES ('9999_x', 1)"),
        'error',
        '9999_x',
      ],
      [
        'a schema that lacks steps of before',
        'schema',
        (config) => change(config, "INSERT INTO schema_migrations (name, applied_at) VALUES ('0001_apps', 1)"),
        'error',
        'older than this version of appsvc can migrate',
      ],
      [
        'a file that is no database',
        'database',
        (config) => writeFileSync(databaseFile(config), 'x'.repeat(8192)),
        'error',
        'damaged',
      ],
      ['a damaged page', 'integrity', damagePage, 'error', 'damaged'],
      ['a full disk', 'disk', () => {}, 'error', 'nearly full'],
    ]
  for (const [what, check, spoil, level, words] of ROWS) {
    it(`with ${what} makes the check ${check} say ${level}`, async () => {
      const config = await world()
      const before = await look(config, [check])
      expect(
        before.filter((finding) => finding.level === level && finding.what.includes(words)),
        said(before).join('\n'),
      ).to.deep.equal([])
      await spoil(config)
      const flags = { dataDir: config.dataDir, ...(what === 'a full disk' && { 'disk.lowWater': '999999999999999' }) }
      const after = await look((await loadConfig({ environment: {}, flags })).config, [check])
      expect(
        after.some((finding) => finding.level === level && finding.what.includes(words)),
        said(after).join('\n'),
      ).to.equal(true)
      expect(
        after.filter((finding) => /; (stop|restore) /.test(finding.what)),
        'what to do stands in the remedy',
      ).to.deep.equal([])
    })
  }

  it('with files of TLS that do not fit each other, or a name, says so', async () => {
    const [right, wrong] = [await makeEcKey(), await makeEcKey()]
    const [certFile, keyFile] = [join(dir, 'tls.pem'), join(dir, 'tls.key')]
    const write = (key: typeof right, mode: number) => {
      writeFileSync(keyFile, key.export({ type: 'pkcs8', format: 'pem' }))
      chmodSync(keyFile, mode)
    }
    writeFileSync(certFile, challengeCertificate('a.example', 'x', right, Date.now()))
    const flags = { 'tls.certFile': certFile, 'tls.keyFile': keyFile, baseUrl: 'https://b.example' }
    const config = await world(flags)
    write(right, 0o600)
    const fitting = said(await look(config, ['certificates'])).join()
    expect(fitting).to.include('not for b.example (baseUrl)').and.not.include('error')
    write(wrong, 0o644)
    const found = said(await look(config, ['certificates'])).join()
    expect(found).to.include('certificates error: tls.certFile and tls.keyFile cannot be used together')
    expect(found).to.include('every user may read')
    rmSync(keyFile)
    expect(said(await look(config, ['certificates'])).join())
      .to.include('certificates error: tls.keyFile cannot be read')
      .and.not.include('cannot be used together')
  })

  it('is repaired as far as that is safe, and says so', async () => {
    const config = await world()
    const { dataDir } = config
    chmodSync(join(dataDir, 'master.key'), 0o640)
    chmodSync(dataDir, 0o750)
    leave(join(dataDir, 'master.key.4711.0a1b2c3d'))
    writeFileSync(join(dataDir, 'doctor.1.tmp'), 'young')
    const ran = await run(['doctor', '--fix', '--offline', '--json', '--data-dir', dataDir])
    const { repairs, findings } = ran.json<{ repairs: { did: string }[]; findings: CheckFinding[] }>()
    expect(repairs.map(({ did }) => did).join('\n'))
      .to.include('mode 700')
      .and.include('mode 600')
      .and.include('removed')
    expect(repairs).to.have.length(3)
    expect(ran.code).to.equal(0)
    expect(said(findings).filter((line) => line.startsWith('data-directory') && !line.includes(' ok: '))).to.deep.equal(
      [],
    )
    expect(statSync(dataDir).mode & 0o777).to.equal(0o700)
    expect(statSync(join(dataDir, 'master.key')).mode & 0o777).to.equal(0o600)
    // It may be of a check that runs.
    expect(existsSync(join(dataDir, 'doctor.1.tmp'))).to.equal(true)
  })

  it('with an older schema is changed only after a yes', async () => {
    const config = await world()
    const { dataDir } = config
    expect((await run(['migrate', 'down', '--yes', '--data-dir', dataDir])).code).to.equal(0)
    const findings = await look(config, ['schema', 'lanes'])
    expect(said(findings).join()).to.include('schema warning: the schema is older than this version by 1 step')
    const schema = CHECKS.filter(({ name }) => name === 'schema')
    for (const yes of [false, true]) {
      const subject = await openSubject({ config })
      const asked: string[] = []
      const done = await repair(subject, schema, async (question) => {
        asked.push(question)
        return yes
      })
      await subject.close()
      expect(asked).to.have.length(1)
      expect(done.length).to.equal(yes ? 1 : 0)
    }
    expect(said(await look(config, ['schema'])).join()).to.include('schema ok')
  })

  it('that is empty is not an error, and stays empty', async () => {
    const none = join(dir, 'none')
    const ran = await run(['doctor', '--offline', '--json', '--fix', '--yes', '--data-dir', none])
    const { ok, leftOut } = ran.json<{ ok: boolean; leftOut: { check: string; why: string }[] }>()
    expect([ran.code, ok]).to.deep.equal([0, true])
    expect(leftOut).to.deep.include({ check: 'lanes', why: 'there is no database yet' })
    expect(existsSync(none)).to.equal(false)
  })

  it('with wrong settings names them, and exits with 78', async () => {
    const environment = { APPSVC_PORT: 'eighty', APPSVC_DATADIRR: 'x' }
    const ran = await run(['doctor', '--offline', '--json', '--data-dir', join(dir, 'none')], { environment })
    const { findings } = ran.json<{ findings: CheckFinding[] }>()
    expect([ran.code, findings.length]).to.deep.equal([78, 1])
    expect(findings[0]!.what).to.include('APPSVC_PORT must be').and.include('APPSVC_DATADIRR is not a setting')
  })

  it('whose PostgreSQL is away says so, and exits with 78', async () => {
    const environment = { APPSVC_DATABASE_URL: 'postgres://nobody:hidden@127.0.0.1:1/none' }
    const ran = await run(['doctor', '--offline', '--json', '--data-dir', join(dir, 'none')], { environment })
    const { findings } = ran.json<{ findings: CheckFinding[] }>()
    expect(ran.code).to.equal(78)
    expect(said(findings).join('\n')).to.include('database error: the database does not answer')
    expect(ran.stdout + ran.stderr).to.not.include('hidden')
  })

  it('is shown by groups on a terminal, what is wrong last and with its remedy', async () => {
    const config = await world()
    chmodSync(join(config.dataDir, 'master.key'), 0o644)
    writeFileSync(join(config.dataDir, 'appsvc.mark.new'), 'young')
    const argv = ['doctor', '--offline', '--data-dir', config.dataDir]
    const { stdout, code } = await run(argv, { tty: true, environment: { TERM: 'xterm' } })
    expect(code).to.equal(0)
    expect(stdout).to.include('\u001B[1mMachine and settings').and.include('\u001B[33mwarning')
    const plain = (await run(argv)).stdout
    expect(plain.indexOf('Sending')).to.be.greaterThan(plain.indexOf('Database'))
    const wrong = plain.slice(plain.search(/^\d+ warnings?$/m))
    expect(wrong).to.match(
      /^warning {2}data-directory {2}other users may read \S+\n +chmod 600 \S+, or appsvc doctor --fix$/m,
    )
    expect(plain.slice(0, -wrong.length)).to.not.include('warning')
    expect(plain).to.not.include('\u001B')
  })

  it('at whose address somebody else answers is an error', async () => {
    let page = '<h1>It works!</h1>'
    const server = createServer((_, response) => void response.end(page))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const config = await world({ baseUrl: base })
    expect(said(await look(config, ['addresses'], false)).join())
      .to.include('addresses warning')
      .and.include('answers 200')
    page = '{"status":"ok"}'
    expect(said(await look(config, ['addresses'], false))).to.deep.equal([`addresses ok: ${base} leads to this server`])
    await new Promise((resolve) => server.close(resolve))
    const gone = said(await look(config, ['addresses'], false)).join()
    expect(gone).to.include('addresses warning').and.include('cannot be reached')
  })
})

/** A file that a process left here an hour ago. */
function leave(path: string): void {
  writeFileSync(path, 'draft', { mode: 0o600 })
  const hourAgo = Date.now() / 1000 - 3600
  utimesSync(path, hourAgo, hourAgo)
}

/** Writes over the root page of a table. */
async function damagePage(config: Config): Promise<void> {
  const file = databaseFile(config)
  const db = connect({ file, log: silentLog })
  const { rootpage } = (await db.read('sqlite_schema').where({ name: 'segments' }).first('rootpage')) as {
    rootpage: number
  }
  await db.close()
  const bytes = readFileSync(file)
  const size = bytes.readUInt16BE(16)
  bytes.fill(0xff, (rootpage - 1) * size, rootpage * size)
  writeFileSync(file, bytes)
}
