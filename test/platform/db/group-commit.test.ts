import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect } from 'chai'
import knex, { type Knex } from 'knex'
import { createGroupCommit, type GroupCommit } from '../../../src/platform/db/group-commit.ts'
import { openSqlite, SqliteClient } from '../../../src/platform/db/sqlite-client.ts'
import { createWriteTurn, newWriteTurnCell, type WriteTurn } from '../../../src/platform/db/write-turn.ts'
import { AppError, messageOf } from '../../../src/platform/errors.ts'

/** Nobody misses the boat on a slow machine. */
const OPEN_DOORS = { boardingMs: 600_000 }

/** Returns the outcome of each promise: its value, or the sentence of its error. */
const outcomes = async (promises: Promise<unknown>[]) =>
  (await Promise.allSettled(promises)).map((one) => (one.status === 'fulfilled' ? one.value : messageOf(one.reason)))

describe('group commit', () => {
  let dir: string
  let file: string
  let writer: Knex
  let committed: number
  let commits: GroupCommit
  let write: GroupCommit['write']

  const openWriter = (patienceMs?: number) =>
    knex({
      client: SqliteClient as unknown as typeof Knex.Client,
      connection: { filename: file, role: 'writer', patienceMs } as Knex.StaticConnectionConfig,
      useNullAsDefault: true,
      pool: { min: 0, max: 1 },
    })
  const insert = (id: number) => async (trx: Knex.Transaction) => {
    await trx('notes').insert({ id })
    return id
  }
  const stored = async () => {
    const other = openSqlite(file, 'reader')
    const ids = other.prepare('SELECT id FROM notes ORDER BY id').pluck().all()
    other.close()
    return ids
  }

  const begin = (made: GroupCommit) => {
    commits = made
    write = made.write
  }

  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), 'appsvc-test-'))
    file = join(dir, 'db.sqlite')
    writer = openWriter()
    await writer.raw('CREATE TABLE notes (id integer PRIMARY KEY, parent integer REFERENCES notes (id), body text)')
    committed = 0
    writer.client.on('query', ({ sql }: { sql: string }) => {
      if (sql.startsWith('COMMIT')) committed++
    })
    begin(createGroupCommit(writer, createWriteTurn(newWriteTurnCell()), OPEN_DOORS))
  })

  afterEach(async () => {
    await commits.close()
    await writer.destroy()
    rmSync(dir, { recursive: true, force: true })
  })

  it('writes that arrive together share a commit, and all of them are on disk', async () => {
    const ids = Array.from({ length: 50 }, (_, i) => i + 1)
    expect(await Promise.all(ids.map((id) => write(insert(id))))).to.deep.equal(ids)
    expect(await stored()).to.deep.equal(ids)
    expect(committed).to.equal(1)
  })

  it('whoever comes after the doors are closed waits for the next transaction', async () => {
    begin(createGroupCommit(writer, createWriteTurn(newWriteTurnCell()), { boardingMs: 0 }))
    expect(await Promise.all([1, 2, 3].map((id) => write(insert(id))))).to.deep.equal([1, 2, 3])
    expect(committed).to.equal(3)
  })

  it('a write that arrives alone has a commit of its own', async () => {
    await write(insert(1))
    await write(insert(2))
    expect(committed).to.equal(2)
  })

  it('nobody is told before the commit is visible to others', async () => {
    const seen = await Promise.all([1, 2, 3].map((id) => write(insert(id)).then(stored)))
    for (const ids of seen) expect(ids).to.deep.equal([1, 2, 3])
  })

  it('a failing write takes back only itself', async () => {
    const failing = write(async (trx) => {
      await insert(2)(trx)
      throw new AppError('conflict', 'no')
    })
    expect(await outcomes([write(insert(1)), failing, write(insert(3)), write(insert(1))])).to.deep.equal([
      1,
      'no',
      3,
      'insert into `notes` (`id`) values (1) - UNIQUE constraint failed: notes.id',
    ])
    expect(await stored()).to.deep.equal([1, 3])
    expect(committed).to.equal(1)
  })

  it('a first write that fails takes back only itself, and those behind it are committed together', async () => {
    const failing = () =>
      write(async (trx) => {
        await insert(9)(trx)
        throw new AppError('conflict', 'no')
      })
    expect(await outcomes([failing(), failing(), write(insert(1)), failing(), write(insert(2))])).to.deep.equal([
      'no',
      'no',
      1,
      'no',
      2,
    ])
    expect(await stored()).to.deep.equal([1, 2])
    expect(committed).to.equal(1)
  })

  describe('of writes that may run again', () => {
    const ran: number[] = []
    let savepoints: number
    beforeEach(() => {
      ran.length = 0
      savepoints = 0
      writer.client.on('query', ({ sql }: { sql: string }) => {
        if (sql.startsWith('SAVEPOINT')) savepoints++
      })
    })
    const noted = (id: number, then?: Error) => async (trx: Knex.Transaction) => {
      ran.push(id)
      await insert(id)(trx)
      if (then) throw then
      return id
    }
    const refused = (why: string) => async () => {
      throw new Error(why)
    }
    const shared = (work: Parameters<GroupCommit['write']>[0]) => write(work, { shares: true })

    it('none has a savepoint, and one that is refused before it changes something fails alone', async () => {
      const done = outcomes([noted(1), refused('no'), noted(2), refused('never'), noted(3)].map(shared))
      expect(await done).to.deep.equal([1, 'no', 2, 'never', 3])
      expect(await stored()).to.deep.equal([1, 2, 3])
      expect({ ran, savepoints, committed }).to.deep.equal({ ran: [1, 2, 3], savepoints: 0, committed: 1 })
    })

    it('one that fails after a change leaves nothing, and the others run again, in savepoints', async () => {
      const done = outcomes([noted(1), noted(2), noted(3, new Error('broken')), noted(4)].map(shared))
      expect(await done).to.deep.equal([1, 2, 'broken', 4])
      expect(await stored()).to.deep.equal([1, 2, 4])
      expect(ran).to.deep.equal([1, 2, 3, 1, 2, 4])
      expect(savepoints).to.equal(3)
      await shared(noted(5))
      expect(savepoints).to.equal(3)
    })

    it('none is without a savepoint behind one that may not', async () => {
      const done = outcomes([write(noted(1)), shared(noted(2, new Error('broken'))), shared(noted(3))])
      expect(await done).to.deep.equal([1, 'broken', 3])
      expect(await stored()).to.deep.equal([1, 3])
      expect({ ran, savepoints }).to.deep.equal({ ran: [1, 2, 3], savepoints: 2 })
    })

    it('one that may not run again has a savepoint behind those that may, and does not run twice', async () => {
      const done = outcomes([shared(noted(1)), write(noted(2, new Error('broken'))), write(noted(3)), shared(noted(4))])
      expect(await done).to.deep.equal([1, 'broken', 3, 4])
      expect(await stored()).to.deep.equal([1, 3, 4])
      expect(ran).to.deep.equal([1, 2, 3, 4])
    })

    it('all fail when SQLite rolls everything back', async () => {
      const broken = async (trx: Knex.Transaction) => {
        await insert(2)(trx)
        await trx.raw('ROLLBACK')
        throw new Error('lost')
      }
      expect(await outcomes([noted(1), broken, noted(3)].map(shared))).to.deep.equal(['lost', 'lost', 3])
      expect(await stored()).to.deep.equal([3])
    })
  })

  it('a write of one statement needs no savepoint, and takes back only itself when it fails', async () => {
    const statements: string[] = []
    writer.client.on('query', ({ sql }: { sql: string }) => statements.push(sql))
    const single = (id: number) => write(insert(id), { isSingle: true })
    expect(await outcomes([single(1), single(1), single(2), write(insert(3)), single(3)])).to.deep.equal([
      1,
      'insert into `notes` (`id`) values (1) - UNIQUE constraint failed: notes.id',
      2,
      3,
      'insert into `notes` (`id`) values (3) - UNIQUE constraint failed: notes.id',
    ])
    expect(await stored()).to.deep.equal([1, 2, 3])
    expect(committed).to.equal(1)
    expect(statements.filter((sql) => sql.startsWith('SAVEPOINT'))).to.have.length(1)
  })

  it('a write of one statement fails for all when SQLite rolls everything back', async () => {
    const first = write(insert(1))
    const full = write(async (trx) => void (await trx.raw('INSERT OR ROLLBACK INTO notes (id) VALUES (1)')), {
      isSingle: true,
    })
    const sentences = await outcomes([first, full])
    for (const sentence of sentences) expect(sentence).to.include('UNIQUE constraint failed')
    expect(await stored()).to.deep.equal([])
    expect(await write(insert(1))).to.equal(1)
  })

  it('a handle that is kept does nothing between transactions', async () => {
    let kept: Knex.Transaction | undefined
    await write(async (trx) => {
      kept = trx
      await insert(1)(trx)
    })
    expect(await insert(2)(kept!).catch(messageOf)).to.include('the transaction has ended')
    expect(await stored()).to.deep.equal([1])
  })

  it('a write that arrives at the next turn of the event loop is still taken aboard', async () => {
    const { promise: later, resolve } = Promise.withResolvers<number>()
    await write(async (trx) => {
      setImmediate(() => resolve(write(insert(2))))
      return insert(1)(trx)
    })
    expect(committed, 'when the first is told').to.equal(1)
    expect(await stored()).to.deep.equal([1, 2])
    expect(await later).to.equal(2)
    expect(committed).to.equal(1)
  })

  it('an inner transaction that fails takes back only itself', async () => {
    await write(async (trx) => {
      await insert(1)(trx)
      await trx.transaction(async (inner) => {
        await insert(2)(inner)
        await inner.transaction(async (innermost) => void (await insert(3)(innermost)))
      })
      const failed = trx.transaction(async (inner) => {
        await insert(4)(inner)
        throw new Error('no')
      })
      expect(await outcomes([failed])).to.deep.equal(['no'])
      await insert(5)(trx)
    })
    expect(await stored()).to.deep.equal([1, 2, 3, 5])
  })

  it('a refused commit rejects everybody aboard, and the next write works', async () => {
    // Foreign keys that are checked late: nothing but COMMIT fails, and SQLite leaves the transaction open.
    const orphan = write(async (trx) => {
      await trx.raw('PRAGMA defer_foreign_keys = ON')
      await trx('notes').insert({ id: 2, parent: 99 })
    })
    const sentences = await outcomes([write(insert(1)), orphan, write(insert(3))])
    for (const sentence of sentences) expect(sentence).to.include('FOREIGN KEY constraint failed')
    expect(await stored()).to.deep.equal([])
    const other = openSqlite(file, 'writer')
    other.pragma('busy_timeout = 0')
    other.exec('BEGIN IMMEDIATE; COMMIT')
    other.close()
    expect(await write(insert(4))).to.equal(4)
    expect(await stored()).to.deep.equal([4])
  })

  it('a full disk is a 503 for everybody aboard, and the next write works', async () => {
    await write(insert(1))
    const small = write(insert(2))
    const big = write(async (trx) => {
      await trx.raw('PRAGMA max_page_count = 1')
      await trx('notes').insert({ id: 3, body: 'x'.repeat(1_000_000) })
    })
    for (const one of await Promise.allSettled([small, big])) {
      expect(one).to.have.nested.property('reason.code', 'unavailable')
      expect(one).to.have.nested.property('reason.message', 'the disk is full; nothing was changed, try again')
    }
    await write((trx) => trx.raw('PRAGMA max_page_count = 1000000'))
    await write(insert(5))
    expect(await stored()).to.deep.equal([1, 5])
  })

  it('what a write does after SQLite took everything back is not stored', async () => {
    const first = write(insert(7))
    const stubborn = write(async (trx) => {
      await insert(1)(trx)
      await trx.raw('INSERT OR ROLLBACK INTO notes (id) VALUES (1)').catch(() => {})
      await insert(2)(trx)
    })
    for (const sentence of await outcomes([first, stubborn])) expect(sentence).to.include('rolled the transaction back')
    expect(await stored()).to.deep.equal([])
    expect(await write(insert(3))).to.equal(3)
  })

  it('a transaction that cannot begin rejects those who wait as unavailable, and later ones work', async () => {
    const other = openSqlite(file, 'writer')
    const hasty = openWriter(1)
    begin(createGroupCommit(hasty, createWriteTurn(newWriteTurnCell()), OPEN_DOORS))
    other.exec('BEGIN IMMEDIATE')
    let ran = 0
    const settled = await Promise.allSettled([1, 2].map((id) => write((trx) => insert(id)(trx).finally(() => ran++))))
    for (const one of settled) expect(one).to.have.nested.property('reason.code', 'unavailable')
    expect(ran).to.equal(0)
    other.exec('ROLLBACK')
    other.close()
    expect(await write(insert(3))).to.equal(3)
    await commits.close()
    await hasty.destroy()
  })

  it('a write that arrives while a transaction cannot begin is not rejected with those who waited before', async () => {
    const other = openSqlite(file, 'writer')
    const hasty = openWriter(1)
    begin(createGroupCommit(hasty, createWriteTurn(newWriteTurnCell()), OPEN_DOORS))
    other.exec('BEGIN IMMEDIATE')
    const later = new Promise((resolve, reject) => {
      hasty.client.once('query', () => write(insert(2)).then(resolve, reject))
    })
    const first = write(insert(1)).catch((error: AppError) => {
      other.exec('ROLLBACK')
      return error.code
    })
    expect(await Promise.all([first, later])).to.deep.equal(['unavailable', 2])
    other.close()
    await commits.close()
    await hasty.destroy()
  })

  it('another process that writes is waited for, and everything else goes on meanwhile', async () => {
    const other = openSqlite(file, 'writer')
    other.exec('BEGIN IMMEDIATE')
    const waiting = write(insert(1))
    // With the wait inside the driver none of these turns would come before it gave up.
    for (let turns = 0; turns < 10; turns++) await nextTurn()
    other.exec('ROLLBACK')
    other.close()
    expect(await waiting).to.equal(1)
    expect(await stored()).to.deep.equal([1])
  })

  it('a turn that cannot be had rejects those who wait, and later ones work', async () => {
    const turn = createWriteTurn(newWriteTurnCell())
    let broken = true
    const fragile: WriteTurn = {
      take: () => (broken ? Promise.reject(new Error('no turn')) : turn.take()),
    }
    begin(createGroupCommit(writer, fragile, OPEN_DOORS))
    expect(await outcomes([write(insert(1)), write(insert(2))])).to.deep.equal(['no turn', 'no turn'])
    broken = false
    expect(await write(insert(3))).to.equal(3)
  })

  it('a write that is made while others settle is served', async () => {
    const chain = async (from: number) => {
      for (let id = from; id < from + 20; id++) await write(insert(id))
    }
    await Promise.all([chain(1), chain(101), chain(201)])
    expect(await stored()).to.have.length(60)
  })

  it('a write whose function throws before it returns a promise is rejected', async () => {
    const careless = (() => {
      throw new Error('at once')
    }) as unknown as () => Promise<void>
    expect(await outcomes([write(careless), write(insert(1))])).to.deep.equal(['at once', 1])
  })
})
