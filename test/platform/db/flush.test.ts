import { fdatasync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import knex, { type Knex } from 'knex'
import { createFlush, type FlushOptions } from '../../../src/platform/db/flush.ts'
import { createGroupCommit, type GroupCommit } from '../../../src/platform/db/group-commit.ts'
import {
  createSoundness,
  newSoundnessCell,
  type Soundness,
  UNKEPT_SENTENCE,
} from '../../../src/platform/db/soundness.ts'
import { openSqlite, SqliteClient } from '../../../src/platform/db/sqlite-client.ts'
import { createWriteTurn, newWriteTurnCell } from '../../../src/platform/db/write-turn.ts'
import { messageOf } from '../../../src/platform/errors.ts'

type Datasync = NonNullable<FlushOptions['datasync']>

describe('a flush beside the thread', () => {
  let dir: string
  let file: string
  let cell: SharedArrayBuffer
  let soundness: Soundness
  const ends: (() => Promise<void>)[] = []

  /** A writer whose log is flushed with this function. */
  function open(datasync: Datasync): GroupCommit['write'] & Pick<GroupCommit, 'between'> {
    const flush = createFlush({ file: `${file}-wal`, cell, soundness, byItself: false, datasync })
    const writer = knex({
      client: SqliteClient as unknown as typeof Knex.Client,
      connection: { filename: file, role: 'writer' } as Knex.StaticConnectionConfig,
      useNullAsDefault: true,
      pool: { min: 0, max: 1 },
      flush,
      flushesAside: true,
    } as Knex.Config)
    const { write, between, close } = createGroupCommit(writer, createWriteTurn(newWriteTurnCell()), { flush })
    ends.push(async () => {
      await close()
      await writer.destroy()
      await flush.close()
    })
    return Object.assign(write, { between })
  }

  const insert = (id: number) => async (trx: Knex.Transaction) => {
    await trx('notes').insert({ id, body: 'x'.repeat(id % 50 === 0 ? 20_000 : 100) })
    return id
  }
  const idsIn = (name: string): number[] => {
    const other = openSqlite(name, 'reader')
    try {
      return other.prepare('SELECT id FROM notes ORDER BY id').pluck().all() as number[]
    } finally {
      other.close()
    }
  }

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'appsvc-test-'))
    file = join(dir, 'db.sqlite')
    cell = newSoundnessCell()
    soundness = createSoundness(cell)
    const made = openSqlite(file, 'writer')
    made.exec('CREATE TABLE notes (id INTEGER PRIMARY KEY, body TEXT)')
    made.close()
  })
  afterEach(async () => {
    for (const end of ends.splice(0)) await end()
    rmSync(dir, { recursive: true, force: true })
  })

  it('is waited for before anybody is told, while the next transaction is already committed', async () => {
    const flushes: (() => void)[] = []
    const begun = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const write = open((_, done) => {
      flushes.push(() => done(null))
      begun[flushes.length - 1]!.resolve()
    })
    const told: number[] = []
    const tell = (id: number) => void told.push(id)
    const first = write(insert(1)).then(tell)
    await begun[0]!.promise
    const second = write(insert(2)).then(tell)
    while (idsIn(file).length < 2) await new Promise(setImmediate)
    expect(told, 'both are committed, none is on disk').to.deep.equal([])
    flushes[0]!()
    await first
    await begun[1]!.promise
    expect(told, 'the second was committed after the first flush began').to.deep.equal([1])
    flushes[1]!()
    await second
    expect(told).to.deep.equal([1, 2])
  })

  it('refusals wait for it, too: they may rest on what is not on disk yet', async () => {
    let release: (() => void) | undefined
    const begun = Promise.withResolvers<void>()
    const write = open((_, done) => {
      if (release) return done(null)
      release = () => done(null)
      begun.resolve()
    })
    const first = write(insert(1))
    await begun.promise
    let refused: string | undefined
    const second = write(insert(1)).catch((error: unknown) => void (refused = messageOf(error)))
    for (let turns = 0; turns < 20; turns++) await new Promise(setImmediate)
    expect(refused).to.equal(undefined)
    release!()
    await Promise.all([first, second])
    expect(refused).to.include('UNIQUE')
  })

  it('leaves on disk whatever anybody was told of, wherever the power is cut', async () => {
    const images: { told: number[]; database: Buffer; log: Buffer }[] = []
    const told: number[] = []
    const write = open((fd, done) => {
      // What the disk surely has when this flush is done: SQLite itself flushes both files around a checkpoint.
      const [database, log] = [readFileSync(file), readFileSync(`${file}-wal`)]
      fdatasync(fd, (error) => {
        images.push({ told: [], database, log })
        done(error)
      })
    })
    const chain = async (from: number) => {
      for (let id = from; id < from + 25; id++) {
        await write(insert(id))
        told.push(id)
        images.at(-1)!.told = [...told]
        if (id % 20 === 0) await write.between((connection) => void connection.pragma('wal_checkpoint(TRUNCATE)'))
      }
    }
    await Promise.all([chain(1), chain(41), chain(81)])
    expect(images.length).to.be.above(20)
    const cut = join(dir, 'cut.sqlite')
    for (const [i, image] of images.entries()) {
      // Of what was written after the flush the disk may have any part, or nonsense.
      const next = images[i + 1]?.log ?? Buffer.alloc(0)
      const more = next.subarray(image.log.length, image.log.length + 1 + ((i * 997) % 5000))
      for (const tail of [Buffer.alloc(0), more, Buffer.alloc(4120, 0xa5)]) {
        writeFileSync(cut, image.database)
        writeFileSync(`${cut}-wal`, Buffer.concat([image.log, tail]))
        rmSync(`${cut}-shm`, { force: true })
        expect(idsIn(cut), `image ${i}`).to.include.members(image.told)
      }
    }
  })

  it('that fails is final: nobody is told of success, and no thread writes any more', async () => {
    const broken = Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' })
    let calls = 0
    // Linux reports a failed write once, and the next flush succeeds.
    const write = open((_, done) => setImmediate(done, calls++ === 0 ? broken : null))
    const outcomes = await Promise.all([1, 2].map((id) => write(insert(id)).catch((error: unknown) => error)))
    for (const outcome of outcomes) expect(outcome).to.include({ code: 'unavailable', message: UNKEPT_SENTENCE })
    expect(await write(insert(3)).catch(messageOf)).to.equal(UNKEPT_SENTENCE)
    expect(calls).to.equal(1)
    const elsewhere = createSoundness(cell)
    expect(elsewhere.damaged).to.equal(true)
    expect(() => elsewhere.check()).to.throw(UNKEPT_SENTENCE)
  })

  it('that fails is not taken for a good one when damage was found before', async () => {
    const begun = Promise.withResolvers<() => void>()
    const write = open((_, done) => begun.resolve(() => done(new Error('EIO: i/o error, fdatasync'))))
    const outcome = write(insert(1)).catch(messageOf)
    const fail = await begun.promise
    soundness.condemn()
    fail()
    expect(await outcome).to.equal(UNKEPT_SENTENCE)
  })

  it('is done by whoever reads in another thread and has to be sure', async () => {
    let release: (() => void) | undefined
    const write = open((_, done) => void (release = () => done(null)))
    const told = write(insert(1))
    while (idsIn(file).length < 1) await new Promise(setImmediate)
    let flushed = 0
    const other = createFlush({
      file: `${file}-wal`,
      cell,
      soundness: createSoundness(cell),
      byItself: true,
      datasync: (fd, done) => {
        flushed++
        fdatasync(fd, done)
      },
    })
    await other.settle()
    expect(flushed).to.equal(1)
    expect(other.settle(), 'everything is on disk').to.equal(undefined)
    await other.close()
    release!()
    await told
  })
})
