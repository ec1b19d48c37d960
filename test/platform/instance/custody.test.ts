import { copyFileSync, cpSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect } from 'chai'
import { loadConfig } from '../../../src/config.ts'
import { custodyOf, openProgram } from '../../../src/open.ts'
import { messageOf } from '../../../src/platform/errors.ts'
import type { Custody } from '../../../src/platform/instance/custody.ts'
import type { Program } from '../../../src/program.ts'
import { dropPostgresDatabase, freshPostgresDatabase } from '../../support/postgres.ts'
import { onPostgres } from '../../support/program.ts'

/** A program on a data directory, as a start of the server opens it. */
async function onDirectory<T>(
  dir: string,
  work: (custody: Custody, program: Program) => Promise<T>,
  url = '',
): Promise<T> {
  const { config } = await loadConfig({ environment: {}, flags: { dataDir: dir, 'database.url': url } })
  const program = openProgram({ config })
  try {
    await program.migrate()
    return await work(custodyOf(program), program)
  } finally {
    await program.close()
  }
}

/** One run of the server, which ends as it is told. Returns why it was held. */
function serve(dir: string, end: 'clean' | 'killed' = 'clean', url = ''): Promise<string | undefined> {
  return onDirectory(
    dir,
    async (custody) => {
      const hold = await custody.takeOver()
      await custody.advance()
      if (end === 'clean') await custody.advance()
      return hold?.reason
    },
    url,
  )
}

describe('custody of an SQLite database', () => {
  let migrated: string
  let home: string
  let dir: string
  const file = (name: string) => join(dir, name)

  // A database that nobody has served yet.
  before(async () => {
    migrated = mkdtempSync(join(tmpdir(), 'appsvc-custody-'))
    await onDirectory(migrated, async () => {})
  })
  after(() => rmSync(migrated, { recursive: true, force: true }))

  beforeEach(async () => {
    home = mkdtempSync(join(tmpdir(), 'appsvc-custody-'))
    dir = join(home, 'data')
    cpSync(migrated, dir, { recursive: true })
    await onDirectory(dir, (_, program) => program.inTransaction((tx) => tx.apps.create({ name: 'x' })))
    await serve(dir)
  })
  afterEach(() => rmSync(home, { recursive: true, force: true }))

  /** A backup as SQLite makes it while the server runs. */
  function backUp(to: string): void {
    const db = new Database(file('appsvc.sqlite'))
    db.prepare('VACUUM INTO ?').run(to)
    db.close()
  }

  function putBack(backup: string, how: 'same inode' | 'new file'): void {
    for (const side of ['-wal', '-shm']) rmSync(file(`appsvc.sqlite${side}`), { force: true })
    if (how === 'new file') rmSync(file('appsvc.sqlite'))
    if (how === 'new file') copyFileSync(backup, file('appsvc.sqlite'))
    else writeFileSync(file('appsvc.sqlite'), readFileSync(backup))
  }

  const sends: Record<string, () => Promise<unknown> | void> = {
    'a clean end': () => {},
    'a kill': () => serve(dir, 'killed'),
    'a directory of another name': () => {
      renameSync(dir, join(home, 'other'))
      dir = join(home, 'other')
    },
    'a kill between the mark in the database and the one in the file': async () => {
      const before = readFileSync(file('appsvc.mark'))
      await serve(dir, 'killed')
      await onDirectory(dir, (custody) => custody.advance())
      // One step behind, as the kill leaves it.
      const { previousMark } = await onDirectory(dir, (_, program) => program.instance.read())
      expect(previousMark).to.not.equal(before.toString().trim())
      writeFileSync(file('appsvc.mark'), previousMark!)
    },
  }
  for (const [name, act] of Object.entries(sends)) {
    it(`sends after ${name}`, async () => {
      await act()
      expect(await serve(dir)).to.equal(undefined)
      expect(await serve(dir)).to.equal(undefined)
    })
  }

  it('makes the event log jump past what the lost database has answered, once', async () => {
    const record = () =>
      onDirectory(dir, async (_, program) => {
        await program.inTransaction((tx) => tx.events.record(1, { type: 'a', data: null }))
        return program.eventLog.end()
      })
    backUp(join(home, 'backup'))
    const lost = await record()
    await serve(dir)
    putBack(join(home, 'backup'), 'new file')
    expect(await serve(dir)).to.match(/copied or restored/)
    const next = await record()
    expect(next.id).to.be.greaterThan(lost.id + 1e9)
    await serve(dir)
    expect((await record()).id).to.equal(next.id + 1)
  })

  const holds: Record<string, [() => Promise<unknown> | void, RegExp]> = {
    'a copied directory': [
      () => {
        cpSync(dir, join(home, 'copy'), { recursive: true, preserveTimestamps: true })
        dir = join(home, 'copy')
      },
      /copied or restored/,
    ],
    'a directory that was deleted and copied back': [
      () => {
        cpSync(dir, join(home, 'backup'), { recursive: true, preserveTimestamps: true })
        rmSync(dir, { recursive: true })
        cpSync(join(home, 'backup'), dir, { recursive: true, preserveTimestamps: true })
      },
      /copied or restored/,
    ],
    'a backup over the same inode': [
      async () => {
        backUp(join(home, 'backup'))
        await serve(dir)
        putBack(join(home, 'backup'), 'same inode')
      },
      /not of the same time/,
    ],
    'the whole directory of a backup over the same inodes, its mark too': [
      async () => {
        cpSync(dir, join(home, 'backup'), { recursive: true })
        await serve(dir)
        for (const name of ['appsvc.sqlite', 'appsvc.mark'])
          writeFileSync(file(name), readFileSync(join(home, 'backup', name)))
        for (const side of ['-wal', '-shm']) rmSync(file(`appsvc.sqlite${side}`), { force: true })
      },
      /not of the same time/,
    ],
    'a backup of the same minute in a new file': [
      () => {
        backUp(join(home, 'backup'))
        putBack(join(home, 'backup'), 'new file')
      },
      /copied or restored/,
    ],
    'a missing mark': [() => rmSync(file('appsvc.mark')), /appsvc.mark is missing/],
    'a damaged mark': [() => writeFileSync(file('appsvc.mark'), ''), /not of the same time/],
    'a backup from before there were marks': [
      () =>
        onDirectory(dir, (_, program) =>
          program.inTransaction(async ({ instance }) => {
            await instance.setMarks({ mark: null, previousMark: null })
            await instance.setIdentity(null)
          }),
        ),
      /older than the mark/,
    ],
  }
  for (const [name, [act, why]] of Object.entries(holds)) {
    it(`is held after ${name}, also at the next start, until it is released`, async () => {
      await act()
      expect(await onDirectory(dir, (custody) => custody.suspicion()), 'seen without changing anything').to.match(why)
      expect(await serve(dir)).to.match(why)
      expect(await serve(dir, 'killed'), 'at the next start').to.match(why)
      expect(await onDirectory(dir, (custody) => custody.release(true))).to.equal(true)
      expect(await serve(dir), 'after the release').to.equal(undefined)
    })

    it(`after ${name} can be released before anybody serves it`, async () => {
      await act()
      expect(await onDirectory(dir, (custody) => custody.release(true))).to.equal(true)
      expect(await serve(dir)).to.equal(undefined)
    })
  }

  it('makes no empty database beside an old mark: the one that was here is gone', async () => {
    for (const side of ['', '-wal', '-shm']) rmSync(file(`appsvc.sqlite${side}`), { force: true })
    const refusal = await serve(dir).then(() => 'served', messageOf)
    expect(refusal).to.include('appsvc.sqlite is gone or empty').and.include('appsvc restore')
  })

  it('keeps sending when the file could not be written for a while: it never falls two steps behind', async () => {
    const mark = readFileSync(file('appsvc.mark'))
    // The database takes the mark, the file does not.
    const lostOne = async () => {
      const kept = readFileSync(file('appsvc.mark'))
      await onDirectory(dir, async (custody) => {
        expect(await custody.takeOver()).to.equal(undefined)
        await custody.advance()
      })
      const { previousMark } = await onDirectory(dir, (_, program) => program.instance.read())
      expect(previousMark, 'what stands in the file was accepted').to.not.equal(null)
      writeFileSync(file('appsvc.mark'), previousMark!)
      return kept
    }
    for (let i = 0; i < 3; i++) await lostOne()
    expect(await serve(dir)).to.equal(undefined)
    expect(readFileSync(file('appsvc.mark')).equals(mark)).to.equal(false)
  })
})

onPostgres('custody of a PostgreSQL database', () => {
  const urls: string[] = []
  let home: string
  const fresh = async () => {
    const url = await freshPostgresDatabase()
    urls.push(url)
    return url
  }
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'appsvc-custody-'))
  })
  afterEach(async () => {
    rmSync(home, { recursive: true, force: true })
    for (const url of urls.splice(0)) await dropPostgresDatabase(url)
  })

  it('sends after restarts, also from another directory', async () => {
    const url = await fresh()
    expect(await serve(join(home, 'a'), 'clean', url)).to.equal(undefined)
    cpSync(join(home, 'a'), join(home, 'b'), { recursive: true })
    expect(await serve(join(home, 'b'), 'killed', url)).to.equal(undefined)
  })

  it('is held when what it holds came from another database, on every node, until it is released', async () => {
    const [from, to] = [await fresh(), await fresh()]
    await serve(join(home, 'a'), 'clean', from)
    const identity = await onDirectory(
      join(home, 'a'),
      async (_, program) => (await program.instance.read()).identity,
      from,
    )
    expect(identity).to.match(/^postgres \d+\/\d+$/)
    // What pg_dump and pg_restore would bring.
    await onDirectory(
      join(home, 'a'),
      (_, program) => program.inTransaction((tx) => tx.instance.setIdentity(identity)),
      to,
    )
    const [one, two] = await Promise.all([serve(join(home, 'a'), 'clean', to), serve(join(home, 'a'), 'clean', to)])
    expect([one, two]).to.have.lengthOf(2)
    for (const reason of [one, two]) expect(reason).to.match(/not the PostgreSQL database that was used last/)
    expect(await serve(join(home, 'a'), 'clean', to)).to.match(/not the PostgreSQL/)
    await onDirectory(join(home, 'a'), (custody) => custody.release(true), to)
    expect(await serve(join(home, 'a'), 'clean', to)).to.equal(undefined)
  })
})
