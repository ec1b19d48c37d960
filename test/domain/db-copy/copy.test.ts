import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { expect } from 'chai'
import pg from 'pg'
import { migrations } from '../../../migrations/index.ts'
import {
  type CopiedDatabase,
  copyDatabase,
  type DatabaseCopyParts,
  type Place,
} from '../../../src/domain/db-copy/copy.ts'
import { logRepository } from '../../../src/domain/followers/log/repository.ts'
import { readCursor, writeCursor } from '../../../src/domain/followers/position.ts'
import { connect, type Database } from '../../../src/platform/db/connect.ts'
import { silentLog } from '../../../src/platform/log/log.ts'
import { systemClock } from '../../../src/platform/time/clock.ts'
import { createProgram } from '../../../src/program.ts'
import { broadcast, deliverDue, scriptedSender, withAndroids } from '../../support/delivery.ts'
import { fillEveryTable, notFilled, wholeDatabase } from '../../support/every-table.ts'
import { partitions, tend } from '../../support/partitions.ts'
import { dropPostgresDatabase, freshPostgresDatabase } from '../../support/postgres.ts'
import {
  type DatabaseKind,
  onEachDatabase,
  onPostgres,
  openTestProgram,
  type TestProgram,
} from '../../support/program.ts'
import { column } from '../../support/tables.ts'

const INTERRUPTED = 'interrupted'

/** Kinds of database on which it is known that a row of every table is made. */
const checked = new Set<DatabaseKind>()

/** Makes a row of every table in a program on a database of the kind; `more` adds what a test wants. Closes the database. */
async function fill(test: TestProgram, kind: DatabaseKind, more?: (test: TestProgram) => Promise<void>): Promise<void> {
  const { db } = test.program.kernel
  const before = checked.has(kind) ? undefined : await wholeDatabase(db.read)
  await fillEveryTable(test.program, test.first.id)
  if (before) expect(notFilled(before, await wholeDatabase(db.read))).to.have.members(['apps', 'app_keys'])
  checked.add(kind)
  await oddRecords(test)
  await more?.(test)
  await db.close()
}

let filled: Promise<string> | undefined

/** A directory with a filled SQLite database, of which tests take copies. */
async function makeFilled(): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'appsvc-test-'))
  process.once('exit', () => rmSync(dir, { recursive: true, force: true }))
  const test = await openTestProgram()
  await fill(test, 'sqlite')
  copyFileSync(join(test.dir, 'appsvc.sqlite'), join(dir, 'appsvc.sqlite'))
  await test.close()
  return dir
}

/** Places and databases of one test, which `end` removes. */
function surroundings() {
  const undo: (() => unknown)[] = []
  const directory = () => {
    const dir = mkdtempSync(join(tmpdir(), 'appsvc-test-'))
    undo.push(() => rmSync(dir, { recursive: true, force: true }))
    return { file: join(dir, 'appsvc.sqlite'), shown: dir }
  }
  return {
    async end() {
      for (const one of undo.splice(0).reverse()) await one()
    },
    async place(kind: DatabaseKind): Promise<Place> {
      if (kind === 'sqlite') return directory()
      const url = await freshPostgresDatabase({ migrated: false })
      undo.push(() => dropPostgresDatabase(url))
      return { url, file: '', shown: 'postgres://the-new-place' }
    },
    open({ url, file }: Place): Database {
      const db = connect({ url, file, log: silentLog })
      undo.push(() => db.close())
      return db
    },
    /** A database of the kind with a row in every table, which no program has open. */
    async full(kind: DatabaseKind, more?: (test: TestProgram) => Promise<void>): Promise<Place> {
      if (kind === 'sqlite' && !more) {
        const { file } = directory()
        copyFileSync(join(await (filled ??= makeFilled()), 'appsvc.sqlite'), file)
        return { file, shown: 'the old place' }
      }
      let url: string | undefined
      const test = await openTestProgram({ kind, via: async (given) => (url = given) })
      undo.push(() => test.close())
      await fill(test, kind, more)
      return { url, file: join(test.dir, 'appsvc.sqlite'), shown: 'the old place' }
    },
  }
}

/** A data table of every type, with values at the edges, that refers to itself. */
async function oddRecords({ program, first }: TestProgram): Promise<void> {
  const types = ['string', 'text', 'integer', 'number', 'boolean', 'datetime', 'json'] as const
  const values = [
    { string: '', text: '', integer: 0, number: 0.1, boolean: false, datetime: '0001-01-01T00:00:00.000Z', json: {} },
    {
      string: 'O\'Brien ? \\ " \u{1F600} \u0301 \ufeff',
      text: 'line\r\n\ttab, {"}" \u2028',
      integer: Number.MAX_SAFE_INTEGER,
      number: 1e-308,
      boolean: true,
      datetime: '9999-12-31T23:59:59.999Z',
      json: { a: [1, null, 'Ü', '\\u0000'], b: 1.5e300 },
    },
    { integer: -1, number: -1.7976931348623157e308 },
  ]
  const columns = [
    ...types.map((type) => column(`a_${type}`, type)),
    column('must', 'string', { required: true, unique: true }),
    column('other', 'reference', { references: 'odd' }),
    column('name', 'string', { collate: 'de', indexed: true }),
  ]
  const bodies = values.map((row, i) => ({
    ...Object.fromEntries(Object.entries(row).map(([type, value]) => [`a_${type}`, value])),
    must: `must ${i}`,
    name: `Ä${i}`,
  }))
  await program.inTransaction(async (tx) => {
    const { alias } = await tx.tables.create(first.id, 'odd', columns)
    await tx.records.create(first.id, alias, bodies)
    await tx.records.create(first.id, alias, { must: 'last', other: 1 })
  })
}

const parts = (from: Place, to: Place): DatabaseCopyParts => ({
  from,
  to,
  migrations,
  clock: systemClock,
  log: silentLog,
  restart: false,
})

/** The contents, without what each side knows of itself. */
async function contents(db: Database): Promise<Record<string, string[]>> {
  const found = Object.fromEntries(await wholeDatabase(db.read))
  const { instance: _, schema_migrations: __, ...rest } = found
  return rest
}

/** Returns how SQLite keeps the last number of the event log. */
const seqType = async ({ read }: Database): Promise<string> =>
  (await read('sqlite_sequence').where({ name: 'events' }).first(read.raw('typeof(seq) AS type'))).type

/** Lets the event log jump; `seqType` afterwards. */
async function jumped(db: Database): Promise<string> {
  await db.write((trx) => logRepository(trx).jump())
  return seqType(db)
}

onPostgres('moving a database', () => {
  const { end, full, open, place } = surroundings()
  afterEach(end)

  describe('a full one, from SQLite to PostgreSQL', () => {
    // The copy is made once: each test writes what no other looks for.
    const world = surroundings()
    let from: Place
    let there: Place
    let moved: CopiedDatabase
    before(async () => {
      from = await world.full('sqlite')
      there = await world.place('postgres')
      moved = await copyDatabase(parts(from, there))
    })
    after(world.end)

    it('and back: a row of every table, and values at the edges, are the same', async () => {
      expect(moved.tables.filter(({ equal }) => !equal)).to.deep.equal([])
      expect(moved.rows).to.be.greaterThan(60)
      const back = await place('sqlite')
      await copyDatabase(parts(there, back))
      expect(await contents(open(back))).to.deep.equal(await contents(open(from)))
    })

    it('triggers count there, references hold, and automatic numbers go on', async () => {
      const { read, write } = open(there)
      const [of] = await read('geofence_users')
      const user = await read('users').max({ id: 'id' }).first()
      const last = await open(from).read('sqlite_sequence').where({ name: 'users' }).first('seq')
      const row = { ...(await read('users').first()), identifier: 'one more' }
      const [made] = await write((trx) =>
        trx('users')
          .insert({ ...row, id: undefined })
          .returning('id'),
      )
      expect(made.id)
        .to.equal(last.seq + 1)
        .and.greaterThan(Number(user!.id))
      await write((trx) => trx('geofence_presence').where({ geofence_id: of.geofence_id }).delete())
      expect(await read('geofence_users').where({ geofence_id: of.geofence_id })).to.deep.equal([])
      const { alias } = await read('data_tables').where({ name: 'odd' }).first('alias')
      const broken = await write((trx) => trx(`data_${alias}`).where({ id: 1 }).update({ other: 999 })).catch(
        (error: Error) => error.message,
      )
      expect(broken).to.include('foreign key')
    })

    it('every position stays valid, and new events come behind it', async () => {
      const was = await logRepository(open(from).read).read({ appId: 1, limit: 100 })
      const { read, write } = open(there)
      const log = logRepository(read)
      const event = { app_id: 1, uuid: 'new', type: 'paid', happened_at: 1, received_at: 1 }
      await write((trx) => trx('events').insert(event))
      const now = await log.read({ appId: 1, limit: 100 })
      expect(now.events.map(({ cursor }) => cursor).slice(0, -1)).to.deep.equal(was.events.map(({ cursor }) => cursor))
      const later = await log.read({ appId: 1, after: was.next, limit: 100 })
      expect(later.events.map(({ uuid }) => uuid)).to.deep.equal(['new'])
      expect(later.missed).to.equal(false)
    })
  })

  for (const to of ['sqlite', 'postgres'] as const)
    it(`events in several partitions become one table on ${to}, and are all there`, async () => {
      const from = await full('postgres', async (test) => {
        test.clock.advance(1.5 * 86_400_000)
        await tend(test)
        // As from a device whose clock was days ahead.
        const { id: _, tx: __, ...repeat } = await test.program.kernel.db.read('events').orderBy('id').first()
        await test.program.kernel.db.write((trx) => trx('events').insert(repeat))
        await test.program.inTransaction((tx) => tx.events.record(test.first.id, { type: 'later', data: null }))
        expect((await partitions(test)).map(([name]) => name)).to.deep.equal(['events_0', 'events_1'])
      })
      const there = await place(to)
      const moved = await copyDatabase(parts(from, there))
      expect(moved.tables.filter(({ equal }) => !equal)).to.deep.equal([])
      expect(moved.tables.filter(({ name }) => name.startsWith('events')).map(({ name }) => name)).to.deep.equal([
        'events',
      ])
      const types: string[] = await open(there).read('events').orderBy('id').pluck('type')
      expect(types.at(-1)).to.equal('later')
      const uuids: string[] = await open(there).read('events').pluck('uuid')
      expect(new Set(uuids).size).to.equal(uuids.length)
      const log = logRepository(open(there).read)
      expect((await log.read({ appId: 1, limit: 100 })).events.at(-1)!.type).to.equal('later')
    })

  it('a restored database, whose log an earlier version let jump, moves', async () => {
    const from = await full('sqlite')
    const { write } = open(from)
    expect(await jumped(open(from))).to.equal('integer')
    await write((trx) =>
      trx('sqlite_sequence')
        .where({ name: 'events' })
        .increment('seq', 2 ** 40),
    )
    expect(await seqType(open(from))).to.equal('real')
    const moved = await copyDatabase(parts(from, await place('postgres')))
    expect(moved.tables.filter(({ equal }) => !equal)).to.deep.equal([])
  })

  it('what waits in the old database is sent from the new one, once, and geofences are found there, also after the log has jumped', async () => {
    const before = await openTestProgram()
    try {
      await withAndroids(before, 3)
      await broadcast(before)
      const bounds = { west: 1, south: 1, east: 2, north: 2 }
      const geofence = {
        ...bounds,
        app_id: before.first.id,
        name: 'g',
        is_enabled: true,
        kind: 'circle',
        bounds: '{}',
        digest: 'g',
        tags: '[]',
      }
      await before.program.kernel.db.write((trx) =>
        trx('geofences').insert({ ...geofence, created_at: 1, updated_at: 1 }),
      )
      // As in a restored database.
      expect(await jumped(before.program.kernel.db)).to.equal('integer')
      await before.program.kernel.db.close()
      const between = await place('postgres')
      const there = await place('sqlite')
      const moved = await copyDatabase(parts({ file: join(before.dir, 'appsvc.sqlite'), shown: 'old' }, between))
      expect(moved.tables.filter(({ equal }) => !equal)).to.deep.equal([])
      await copyDatabase(parts(between, there))
      const db = open(there)
      const { config, clock, log, vault } = before.program.kernel
      const after = { ...before, program: createProgram({ config, clock, log, vault, db }) }
      expect(await db.read('geofence_boxes').select('id')).to.have.length(1)
      const { sender, sent } = scriptedSender(() => ({ kind: 'accepted' }))
      await deliverDue(after, sender)
      expect(sent).to.have.length(3)
      await deliverDue(after, sender)
      expect(sent).to.have.length(3)
      expect(await after.program.apps.authenticate(before.first.apiKey, before.first.serverKey, 'server')).to.equal(
        before.first.id,
      )
      const next = await after.program.inTransaction((tx) => tx.apps.create({ name: 'Next' }))
      expect(next.id).to.equal(before.first.id + 1)
    } finally {
      await before.close()
    }
  })

  it('from PostgreSQL, followers and webhooks go on behind the same event, and readers outside are told', async () => {
    const seen: { before: string[]; rest: string[] } = { before: [], rest: [] }
    const from = await full('postgres', async ({ program, first }) => {
      const { db } = program.kernel
      const event = (id: number, tx: number) => ({
        id,
        tx,
        app_id: first.id,
        uuid: `e${id}`,
        type: 'paid',
        happened_at: 1,
        received_at: 1,
      })
      await db.write((trx) => trx('events').delete())
      // Two transactions that drew their numbers in one order and committed in the other.
      await db.write((trx) =>
        trx('events').insert([event(101, 20), event(102, 30), event(103, 20), event(104, 30), event(105, 40)]),
      )
      const log = logRepository(db.read)
      const all = await log.read({ appId: first.id, limit: 10 })
      seen.before = all.events.map(({ uuid }) => uuid)
      const cursor = all.events[1]!.cursor
      await db.write((trx) => trx('followers').update({ cursor }))
      const end = { tx: 35, id: Number.MAX_SAFE_INTEGER }
      await db.write((trx) =>
        trx('webhook_cursors').update({ cursor: writeCursor(end), batch: JSON.stringify({ until: cursor }) }),
      )
      await db.write((trx) => trx('events_id_seq').select(trx.raw(`setval('events_id_seq', 105)`)))
    })
    expect(seen.before).to.deep.equal(['e101', 'e103', 'e102', 'e104', 'e105'])
    const there = await place('sqlite')
    // At the first of the two hosts nobody listens.
    const { host } = new URL(from.url!)
    const url = from.url!.replace(`@${host}`, `@127.0.0.1:1,${host}`)
    await copyDatabase(parts({ ...from, url }, there))
    const { read } = open(there)
    const log = logRepository(read)
    const after = async (cursor: string) =>
      (await log.read({ appId: 1, after: readCursor(cursor)!, limit: 10 })).events.map(({ uuid }) => uuid)
    expect((await log.read({ appId: 1, limit: 10 })).events.map(({ uuid }) => uuid)).to.deep.equal(seen.before)
    expect(await after((await read('followers').first('cursor')).cursor)).to.deep.equal(['e102', 'e104', 'e105'])
    const webhook = await read('webhook_cursors').first('cursor', 'batch')
    expect(await after(webhook.cursor)).to.deep.equal(['e105'])
    expect(await after(JSON.parse(webhook.batch).until)).to.deep.equal(['e102', 'e104', 'e105'])
    const outside = await log.read({ appId: 1, after: { tx: 20, id: 103 }, limit: 10 })
    expect(outside.missed).to.equal(true)
  })
})

onEachDatabase('a move from here', (kind) => {
  const { end, full, open, place } = surroundings()
  afterEach(end)

  const other: DatabaseKind = kind === 'sqlite' ? 'postgres' : 'sqlite'
  const held = async (where: Place) =>
    (await open(where).read('instance').first('held_reason')).held_reason as string | null

  it('nobody can write to the source meanwhile; then it is held, and the copy is not', async () => {
    const from = await full(kind)
    const there = await place(kind)
    let tried: string | undefined
    const moved = await copyDatabase({
      ...parts(from, there),
      async onProgress() {
        if (tried !== undefined) return
        tried = 'it was written'
        tried = await tryToWrite(from)
      },
    })
    expect(tried).to.match(/lock/)
    expect(moved.held).to.equal(null)
    expect(await held(from)).to.equal(`this database was moved to ${there.shown}, and only one of the two may send`)
    expect(await held(there)).to.equal(null)
    if (kind === 'postgres') await endAll(from)
    const again = await copyDatabase(parts(from, { ...(await place('sqlite')), shown: 'elsewhere' })).catch(
      (error: Error) => error.message,
    )
    expect(again).to.include('was moved to').and.include('appsvc release')
  })

  it('the copy of a held source is held for the same reason', async () => {
    const restored = await full(kind, async ({ program }) => {
      await program.kernel.db.write((trx) => trx('instance').update({ held_at: 1, held_reason: 'it was restored' }))
    })
    const further = await place('sqlite')
    expect((await copyDatabase(parts(restored, further))).held).to.equal('it was restored')
    expect(await held(further)).to.equal('it was restored')
  })

  it('interrupted after each page it goes on where it was, also when the source has changed', async () => {
    const from = await full(kind)
    const there = await place(other)
    const how: string[] = []
    const attempt = (most: number) => {
      const stop = new AbortController()
      let pages = 0
      return copyDatabase({
        ...parts(from, there),
        signal: stop.signal,
        onResumed: (word) => void how.push(word),
        onProgress: () => {
          if (++pages >= most) stop.abort(new Error(INTERRUPTED))
        },
      }).catch((error: Error) => expect(error.message).to.equal(INTERRUPTED))
    }
    for (const most of [15, 60]) await attempt(most)
    expect(how).to.deep.equal(['goes on'])
    const refused = await copyDatabase(parts(there, await place(kind))).catch((error: Error) => error.message)
    expect(refused).to.include('unfinished target')
    await open(from).write((trx) => trx('apps').update({ name: 'Changed' }))
    if (kind === 'postgres') await endAll(from)
    await attempt(15)
    expect(how.at(-1)).to.equal('begins anew')
    const moved = await copyDatabase(parts(from, there))
    expect(moved.tables.filter(({ equal }) => !equal)).to.deep.equal([])
    expect((await open(there).read('apps').first('name')).name).to.equal('Changed')
  })

  it('a target with something else in it is refused, and a row that was changed there is found', async () => {
    const from = await full(kind)
    const taken = await place(other)
    await open(taken).write((trx) => trx.schema.createTable('theirs', (t) => void t.increments('id')))
    const refused = await copyDatabase({
      ...parts(from, { ...taken, shown: 'there' }),
      // The schema is the same in whatever order its steps are told.
      migrations: Object.fromEntries(Object.entries(migrations).toReversed()),
    }).catch((error: Error) => error.message)
    expect(refused).to.equal('there is not empty: name an empty database or directory')

    const there = await place(other)
    let changed = false
    const differs = await copyDatabase({
      ...parts(from, there),
      async onProgress(stage) {
        if (stage !== 'comparing' || changed) return
        changed = true
        const db = connect({ ...there, log: silentLog })
        await db.write((trx) => trx('users').update({ identifier: 'somebody else' }))
        await db.close()
      },
    }).catch((error: Error) => error.message)
    expect(differs).to.include('the copy differs from the source in users (')
    expect(await held(from)).to.equal(null)
  })
})

/** Closes what the test itself has open on PostgreSQL: a move refuses a source that others use. */
async function endAll({ url }: Place): Promise<void> {
  const db = connect({ url, file: '', log: silentLog, pool: 1 })
  await db.read.raw(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  )
  await db.close()
}

async function tryToWrite({ url, file }: Place): Promise<string> {
  if (url) {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    const answer = await client
      .query(`SET lock_timeout = 1; UPDATE apps SET name = 'x'`)
      .catch((error: Error) => error.message)
    await client.end()
    return typeof answer === 'string' ? answer : 'it was written'
  }
  const db = new Sqlite(file, { timeout: 0 })
  try {
    db.exec(`UPDATE apps SET name = 'x'`)
    return 'it was written'
  } catch (error) {
    return String(error)
  } finally {
    db.close()
  }
}
