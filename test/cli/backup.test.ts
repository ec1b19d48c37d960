import { randomBytes } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect } from 'chai'
import { replaces } from '../../migrations/former.ts'
import { migrations } from '../../migrations/index.ts'
import { loadConfig } from '../../src/config.ts'
import { readManifest } from '../../src/domain/backups/manifest.ts'
import { addListed, erasuresFile } from '../../src/domain/erasures/list-file.ts'
import { openProgram } from '../../src/open.ts'
import { connect } from '../../src/platform/db/connect.ts'
import { migrateDown } from '../../src/platform/db/migrate.ts'
import { silentLog } from '../../src/platform/log/log.ts'
import { eventually } from '../support/eventually.ts'
import { addPerson } from '../support/people.ts'
import { PROGRAMS_MS } from '../support/programs.ts'
import { mountSmallDisk, needsSmallDisk } from '../support/small-disk.ts'
import { ended, killAll, type Ran, run, start, temporaryDirectory } from './cli.ts'

const { dir, end } = temporaryDirectory()
const at = (...path: string[]) => join(dir, ...path)
const data = at('data')
const key = join(data, 'master.key')
const own = (name: string) => /^appsvc-\d{8}T\d{6}Z\.sqlite$/.test(name)

interface Backed {
  backup: string
  bytes: number
  rows: number
  tables: number
  sha256: string
  removed: string[]
  key: string | null
}

const backup = (...argv: string[]) => run(['backup', ...argv, '--data-dir', data, '--json'])
const restore = (from: string, to: string, ...argv: string[]) =>
  run(['restore', from, '--data-dir', to, '--json', ...argv])
const errorOf = (ran: Ran) => `${ran.code} ${ran.json<{ error: string }>().error}`

/** Every table with its rows, as SQLite would print them; the row of `instance` is what a restore changes. */
function contentOf(file: string): Record<string, unknown[]> {
  const db = new Database(file, { readonly: true })
  try {
    const names = db
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
      .pluck()
      .all() as string[]
    return Object.fromEntries(
      names
        .filter((name) => name !== 'instance')
        .map((name) => [name, db.prepare(`SELECT * FROM "${name}"`).raw().all()]),
    )
  } finally {
    db.close()
  }
}

describe('backup and restore', function () {
  this.timeout(PROGRAMS_MS)
  let file: string
  before(async () => {
    await run(['apps', 'create', 'Bakery', '--data-dir', data])
    const { config } = await loadConfig({ environment: {}, flags: { dataDir: data } })
    const program = openProgram({ config })
    await program.inTransaction((tx) => tx.channels.create(1, { uuid: 'news', name: 'Neuigkeiten – Brot & Brötchen' }))
    // With a session and a personal token.
    await addPerson(program)
    await program.close()
    file = at('one.sqlite')
    expect((await backup(file)).code).to.equal(0)
  })
  after(killAll)
  after(end)

  it('give the same rows in every table, private files, and a manifest that says what is in it', async () => {
    const manifest = readManifest(readFileSync(`${file}.json`, 'utf8'))!
    expect(manifest.schema).to.equal(Object.keys(migrations).sort().at(-1))
    expect(manifest.tables).to.include({ apps: 1, channels: 1 })
    expect(manifest.bytes).to.equal(statSync(file).size)
    for (const one of [file, `${file}.json`]) expect(statSync(one).mode & 0o777).to.equal(0o600)

    const to = at('same')
    const ran = await restore(file, to, '--key-file', key)
    expect(ran.json()).to.include({
      held: true,
      pendingSteps: 0,
      rows: Object.values(manifest.tables).reduce((a, b) => a + b),
    })
    const { admin_sessions: ended, ...kept } = contentOf(join(to, 'appsvc.sqlite'))
    const { admin_sessions: open, ...whole } = contentOf(join(data, 'appsvc.sqlite'))
    expect(kept).to.deep.equal(whole)
    // Who signed out after the backup stays out.
    expect([open, ended].map((rows) => rows?.length)).to.deep.equal([1, 0])
    expect(readFileSync(join(to, 'master.key'), 'utf8')).to.equal(readFileSync(key, 'utf8'))
    for (const name of ['appsvc.sqlite', 'master.key']) expect(statSync(join(to, name)).mode & 0o777).to.equal(0o600)
    const shown = await run(['channels', 'list', 'Bakery', '--data-dir', to])
    expect(shown.stdout).to.include('Neuigkeiten – Brot & Brötchen')
  })

  it('leave a held database, which status tells and release ends', async () => {
    const to = at('held')
    await restore(file, to, '--key-file', key)
    const held = async () =>
      (await run(['status', '--json', '--data-dir', to])).json<{ held: { reason: string } | null }>().held
    expect((await held())?.reason).to.match(/^it was restored from .*one\.sqlite, a backup of \d{4}-/)
    expect((await run(['release', '--yes', '--json', '--data-dir', to])).json()).to.include({ released: true })
    expect(await held()).to.equal(null)
    // Once more changes nothing.
    const again = await run(['release', '--yes', '--json', '--data-dir', to])
    expect([again.code, again.json<{ released: boolean }>().released]).to.deep.equal([0, false])
  })

  it('say for people that the key is not in it, or that it is beside it', async () => {
    const apart = await run(['backup', at('apart.sqlite'), '--data-dir', data])
    expect(apart.stdout)
      .to.match(/checked/)
      .and.include(`The key is not in it: keep ${key} apart.`)
    expect(existsSync(at('apart.sqlite.key'))).to.equal(false)
    const beside = await run(['backup', at('beside.sqlite'), '--with-key', '--data-dir', data])
    expect(beside.stdout).to.include(`The key is beside it (${at('beside.sqlite.key')})`)
    expect(statSync(at('beside.sqlite.key')).mode & 0o777).to.equal(0o600)
    const ran = await run(['restore', at('beside.sqlite'), '--data-dir', at('with-key')])
    expect(ran.stdout).to.include('It is held: nothing is sent.').and.include('appsvc release')
    expect(readFileSync(at('with-key', 'master.key'), 'utf8')).to.equal(readFileSync(key, 'utf8'))
  })

  it('put no key beside it that does not open it: a rotation may have changed the key meanwhile', async () => {
    writeFileSync(at('next.key'), `${Buffer.alloc(32, 9).toString('base64')}\n`, { mode: 0o600 })
    const environment = { APPSVC_MASTER_KEY_FILE: at('next.key') }
    const ran = await run(['backup', at('rotated.sqlite'), '--with-key', '--data-dir', data, '--json'], { environment })
    expect(errorOf(ran)).to.match(
      /^75 the master key in .*next\.key is not the one of the backup: .* run the backup again$/,
    )
    expect(readdirSync(dir).filter((name) => name.startsWith('rotated'))).to.deep.equal([])
  })

  it('refuse to replace a file without --force, and replace it whole with it', async () => {
    const taken = at('taken.sqlite')
    writeFileSync(taken, 'precious')
    expect(errorOf(await backup(taken))).to.equal(`75 ${taken} exists: name another file, or replace it with --force`)
    expect(readFileSync(taken, 'utf8')).to.equal('precious')
    expect((await backup(taken, '--force')).code).to.equal(0)
    expect((await restore(taken, at('forced'), '--key-file', key)).code).to.equal(0)
  })

  it('refuse a folder, a device and an empty name where a file is meant, and leave them as they are', async () => {
    const device = at('device')
    symlinkSync('/dev/null', device)
    for (const refused of [await backup(device), await backup(device, '--force'), await restore(device, at('null'))]) {
      expect(errorOf(refused)).to.equal(`65 ${device} is no regular file: name another`)
    }
    expect(lstatSync(device).isSymbolicLink()).to.equal(true)
    const withKey = async (named: string) => errorOf(await restore(file, at('no-key'), '--key-file', named))
    expect(await withKey('')).to.equal('64 --key-file is empty: name the file with the master key')
    expect(await withKey(at())).to.equal(`65 --key-file: ${at()} is a directory`)
    expect(await withKey('/dev/zero')).to.match(/^65 --key-file: \/dev\/zero has more than/)
    expect(existsSync(at('no-key'))).to.equal(false)
  })

  it('give a directory names by the time, keep the newest, and delete nothing that is not theirs', async () => {
    const place = at('many')
    mkdirSync(place)
    const foreign = 'appsvc-20200101T000000Z.sqlite'
    const manifest = JSON.parse(readFileSync(`${file}.json`, 'utf8'))
    // Of another server, without a manifest, with another name; and two old ones of ours.
    writeFileSync(join(place, foreign), 'x')
    writeFileSync(join(place, `${foreign}.json`), JSON.stringify({ ...manifest, keyCheck: 'another' }))
    writeFileSync(join(place, 'appsvc-20200102T000000Z.sqlite'), 'x')
    writeFileSync(join(place, 'notes.sqlite'), 'x')
    for (const day of ['03', '04']) {
      copyFileSync(file, join(place, `appsvc-202001${day}T000000Z.sqlite`))
      copyFileSync(`${file}.json`, join(place, `appsvc-202001${day}T000000Z.sqlite.json`))
    }
    const made = (await backup(place, '--keep', '2')).json<Backed>()
    expect(made.removed).to.deep.equal([join(place, 'appsvc-20200103T000000Z.sqlite')])
    const names = readdirSync(place)
    expect(names.filter(own)).to.have.members([
      foreign,
      'appsvc-20200102T000000Z.sqlite',
      'appsvc-20200104T000000Z.sqlite',
      made.backup.slice(place.length + 1),
    ])
    expect(names).to.include('notes.sqlite')
    expect(names.filter((name) => name.startsWith('.'))).to.deep.equal([])
    // The newest of a directory is restored.
    expect((await restore(place, at('newest'), '--key-file', key)).json()).to.include({ restored: made.backup })
    const status = await run(['status', '--json', '--data-dir', data])
    expect(status.json<{ backup: { last: { backup: string } } }>().backup.last.backup).to.equal(made.backup)
  })

  it('bring the files that belong to the database, and the newest erasure list', async () => {
    const from = at('files')
    await restore(file, from, '--key-file', key)
    const upload = 'subscribers-00000000-0000-4000-8000-000000000001.csv'
    const csv = Buffer.concat([randomBytes(1_500_000), Buffer.from('last')])
    mkdirSync(join(from, 'uploads'))
    writeFileSync(join(from, 'uploads', upload), csv)
    writeFileSync(join(from, 'uploads', 'other.txt'), 'no upload')
    const erased = (id: string) => ({ id, appId: 1, kind: 'user', digest: 'ab', requestedAt: 1 }) as const
    addListed(erasuresFile(from), erased('before'))
    const place = at('files-backup')
    const backed = await run(['backup', `${place}/`, '--data-dir', from, '--json'])
    const first = backed.json<Backed>().backup
    // Somebody is erased after the first backup; the second one knows it.
    addListed(erasuresFile(from), erased('after'))
    await eventually(async () => {
      const second = await run(['backup', place, '--data-dir', from, '--json'])
      return second.code === 0
    }, 'a second with a name of its own')
    const to = at('files-restored')
    expect((await restore(first, to, '--key-file', key)).json()).to.include({ uploads: 1 })
    expect(readFileSync(join(to, 'uploads', upload)).equals(csv)).to.equal(true)
    expect(readdirSync(join(to, 'uploads'))).to.deep.equal([upload])
    const list = readFileSync(erasuresFile(to), 'utf8')
    for (const id of ['before', 'after']) expect(list.split(`"id":"${id}"`)).to.have.lengthOf(2)
    const tables = Object.keys(contentOf(join(to, 'appsvc.sqlite')))
    expect(tables).to.not.include('backup_files')
  })

  it('restore a backup of an older version, which the next start migrates', async () => {
    const from = at('older')
    await restore(file, from, '--key-file', key)
    await run(['migrate', 'down', '--yes', '--data-dir', from])
    const older = at('older.sqlite')
    expect((await run(['backup', older, '--data-dir', from])).code).to.equal(0)
    const to = at('older-restored')
    expect((await restore(older, to, '--key-file', key)).json()).to.include({ pendingSteps: 1 })
    const up = await run(['migrate', 'up', '--json', '--data-dir', to])
    expect(up.json<{ applied: string[] }>().applied).to.have.lengthOf(1)
    const status = await run(['status', '--json', '--data-dir', to])
    expect(status.json<{ held: object | null }>().held).to.not.equal(null)
  })

  it('restore a backup of before there was one step for each family of tables', async () => {
    const former = at('former.sqlite')
    copyFileSync(file, former)
    const newer = connect({ file: former, log: silentLog })
    const isReplacing = Object.values(migrations).map((step) => 'replaces' in step)
    await migrateDown(newer, migrations, isReplacing.length - 1 - isReplacing.indexOf(true))
    await newer.close()
    const db = new Database(former)
    db.exec('DELETE FROM schema_migrations')
    const insert = db.prepare('INSERT INTO schema_migrations (name, applied_at) VALUES (?, 1)')
    for (const name of replaces.names) insert.run(name)
    db.close()
    const to = at('former-restored')
    const steps = Object.keys(migrations).length
    expect((await restore(former, to, '--key-file', key)).json()).to.include({
      schema: replaces.names.at(-1),
      pendingSteps: steps,
    })
    const up = await run(['migrate', 'up', '--json', '--data-dir', to])
    const { applied, snapshot } = up.json<{ applied: string[]; snapshot: string }>()
    expect(applied).to.have.lengthOf(steps)
    expect(existsSync(snapshot)).to.equal(true)
    const status = await run(['status', '--json', '--data-dir', to])
    expect(status.json<{ apps: number }>().apps).to.be.greaterThan(0)
  })

  it('restore a copy without a manifest by its content alone, and say so', async () => {
    const bare = at('bare.sqlite')
    copyFileSync(file, bare)
    const ran = await restore(bare, at('bare'), '--key-file', key)
    expect(ran.code).to.equal(0)
    expect(ran.stderr).to.include('has no manifest')
    truncateSync(bare, statSync(bare).size / 2)
    expect(errorOf(await restore(bare, at('bare-cut'), '--key-file', key))).to.match(/^65 .*bare\.sqlite is damaged/)
  })

  describe('refuse', () => {
    /** A copy of the backup that was changed, and its manifest. */
    function changed(name: string, change: (db: Database.Database) => void, manifest = false): string {
      const copy = at(name)
      copyFileSync(file, copy)
      if (manifest) copyFileSync(`${file}.json`, `${copy}.json`)
      const db = new Database(copy)
      change(db)
      db.close()
      return copy
    }

    const cases: Record<string, { run: () => Promise<Ran>; says: RegExp; leaves?: string }> = {
      'PostgreSQL, and name its tools': {
        run: () => run(['backup', at('pg.sqlite'), '--json', '--database-url', 'postgres://localhost/x']),
        says: /^78 appsvc backs up SQLite only.*pg_dump or pgBackRest.*appsvc db copy --to DIR/,
      },
      'to restore with PostgreSQL configured': {
        run: () => run(['restore', file, '--json', '--database-url', 'postgres://localhost/x']),
        says: /^78 a backup is an SQLite database/,
      },
      'a data directory without a database': {
        run: () => run(['backup', at('none.sqlite'), '--json', '--data-dir', at('nothing')]),
        says: /^66 there is no database in/,
      },
      'a place inside the data directory': { run: () => backup(`${data}/`), says: /^64 .*is in the data directory/ },
      'a missing place': { run: () => run(['backup', '--data-dir', data, '--json']), says: /^64 TO is missing/ },
      'an unknown scheme': { run: () => backup('ftp://example.com/x'), says: /^64 ftp:\/\/ is not supported/ },
      'credentials in the address': {
        run: () => backup('s3://key:secret@bucket/x'),
        says: /^64 the address must not contain credentials/,
      },
      'an impossible bucket': { run: () => backup('s3://B/x'), says: /^64 .*must be s3:\/\/bucket\/prefix/ },
      'a file in a directory that is missing': {
        run: () => backup(at('no', 'where', 'x.sqlite')),
        says: /^66 there is no directory/,
      },
      '--every with a file': {
        run: () => backup(at('e.sqlite'), '--every', '24h'),
        says: /^64 --every needs a directory/,
      },
      '--keep with a file': { run: () => backup(at('e.sqlite'), '--keep', '3'), says: /^64 --keep needs a directory/ },
      'an --every that is no duration': {
        run: () => backup(`${at('e')}/`, '--every', 'daily'),
        says: /^64 --every must be/,
      },
      'a backup that is not there': { run: () => restore(at('no.sqlite'), at('r0')), says: /^66 there is no backup/ },
      'a directory without a backup': {
        run: () => restore(`${at('empty')}/`, at('r1')),
        says: /^66 there is no complete backup/,
      },
      'a data directory that has a database': {
        run: () => restore(file, data),
        says: /^75 .*already has a database.*--data-dir/,
      },
      'without the key': {
        run: () => restore(file, at('r2')),
        says: /^78 the master key is missing.*--key-file/,
        leaves: 'r2',
      },
      'a key file that is not there': {
        run: () => restore(file, at('r3'), '--key-file', at('no.key')),
        says: /^66 --key-file: there is no file/,
      },
      'a key file that is none': {
        run: () => restore(file, at('r4'), '--key-file', `${file}.json`),
        says: /^78 .*must contain 32 bytes/,
      },
      'another key': {
        async run() {
          writeFileSync(at('wrong.key'), `${randomBytes(32).toString('base64')}\n`)
          return restore(file, at('r5'), '--key-file', at('wrong.key'))
        },
        says: /^78 the master key in .*wrong\.key is not the one of this backup/,
        leaves: 'r5',
      },
      'another key in its place': {
        async run() {
          mkdirSync(at('r6'))
          writeFileSync(at('r6', 'master.key'), `${randomBytes(32).toString('base64')}\n`)
          return restore(file, at('r6'))
        },
        says: /^78 the master key in .*r6\/master\.key is not the one of this backup/,
      },
      'a newer schema': {
        run: () =>
          restore(
            changed('newer.sqlite', (db) =>
              db.exec("INSERT INTO schema_migrations (name, applied_at) VALUES ('9999_later', 0)"),
            ),
            at('r7'),
          ),
        says: /^78 .*made by a newer appsvc \(it has 9999_later\)/,
        leaves: 'r7',
      },
      'a schema that lacks steps of before': {
        run: () =>
          restore(
            changed('old.sqlite', (db) =>
              db.exec("INSERT INTO schema_migrations (name, applied_at) VALUES ('0001_apps', 0)"),
            ),
            at('r7a'),
          ),
        says: new RegExp(
          `^78 .*is older than this appsvc can migrate: restore it with the program of commit ${replaces.commit}`,
        ),
        leaves: 'r7a',
      },
      'another database': {
        run: () =>
          restore(
            changed('other.sqlite', (db) => db.exec('DROP TABLE schema_migrations')),
            at('r8'),
          ),
        says: /^65 .*is not a database of appsvc/,
      },
      'a file that was changed after it was backed up': {
        run: () =>
          restore(
            changed('edited.sqlite', (db) => db.exec("UPDATE apps SET name = 'Bakers'"), true),
            at('r9'),
          ),
        says: /^65 .*is not what was backed up/,
        leaves: 'r9',
      },
      'a file that was cut': {
        async run() {
          const cut = changed('cut.sqlite', () => {}, true)
          truncateSync(cut, statSync(cut).size - 4096)
          return restore(cut, at('r10'))
        },
        says: /^65 .*bytes and its manifest says .*it was cut/,
        leaves: 'r10',
      },
      'a file that is no database': {
        async run() {
          writeFileSync(
            at('text.sqlite'),
            'a text that is long enough to be looked at, and is not a database'.repeat(99),
          )
          return restore(at('text.sqlite'), at('r11'))
        },
        says: /^65 .*text\.sqlite is damaged/,
      },
      'a damaged manifest': {
        async run() {
          const copy = changed('manifest.sqlite', () => {})
          writeFileSync(`${copy}.json`, '{}')
          return restore(copy, at('r12'))
        },
        says: /^65 the manifest .* is damaged/,
      },
    }

    for (const [what, { run: act, says, leaves }] of Object.entries(cases)) {
      it(what, async () => {
        expect(errorOf(await act())).to.match(says)
        // Neither the lock nor the directory that it made.
        if (leaves) expect(existsSync(at(leaves))).to.equal(false)
      })
    }

    it('a disk without room, and leave nothing', function () {
      needsSmallDisk(this)
      const small = at('small')
      const unmount = mountSmallDisk(small, '8m')
      return backup(`${small}/`)
        .then((ran) => {
          expect(errorOf(ran)).to.match(/^69 a backup needs \d+ MiB in .*small, and \d MiB are free/)
          expect(readdirSync(small)).to.deep.equal([])
        })
        .finally(() => unmount())
    })
  })

  it('go on with --every until SIGTERM, keep the newest, and leave nothing unfinished', async () => {
    const place = at('loop')
    const child = start(['backup', `${place}/`, '--every', '1s', '--keep', '2', '--json', '--data-dir', data])
    const done = ended(child)
    const complete = () => (existsSync(place) ? readdirSync(place).filter(own) : [])
    const seen = new Set<string>()
    await eventually(() => {
      for (const name of complete()) seen.add(name)
      return seen.size >= 3
    }, 'three backups were made')
    child.kill('SIGTERM')
    const { code, stdout } = await done
    expect(code).to.equal(0)
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Backed)
    expect(lines.length).to.be.at.least(2)
    expect(complete().length).to.be.within(1, 3)
    expect(readdirSync(place).filter((name) => name.startsWith('.'))).to.deep.equal([])
  })

  it('report a failure in the loop, and go on', async () => {
    const place = at('loop-fails')
    writeFileSync(place, 'a file')
    const child = start(['backup', `${place}/`, '--every', '1s', '--json', '--data-dir', data])
    const done = ended(child)
    let said = ''
    child.stderr!.on('data', (chunk) => (said += chunk))
    await eventually(() => said.includes('the backup failed:'), 'it has failed')
    const status = await run(['status', '--json', '--data-dir', data])
    expect(status.json<{ backup: { failure: { error: string } } }>().backup.failure.error).to.include(
      'is not a directory',
    )
    rmSync(place)
    await eventually(
      () => existsSync(place) && readdirSync(place).some((name) => name.endsWith('.json')),
      'it has gone on',
    )
    child.kill('SIGTERM')
    expect((await done).code).to.equal(0)
    const after = await run(['status', '--json', '--data-dir', data])
    expect(after.json<{ backup: object }>().backup).to.not.have.property('failure')
  })
})
