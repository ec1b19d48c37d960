import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { keeperOf } from '../../src/domain/channels/files/choice.ts'
import { createIngestion } from '../../src/domain/channels/ingest.ts'
import { receiveSubscribersFile } from '../../src/domain/channels/subscribers-file.ts'
import { noDisk } from '../../src/platform/files/disk-space.ts'
import type { Program } from '../../src/program.ts'
import { ingest } from '../../src/workers/jobs/ingest.ts'
import { createWake } from '../../src/workers/jobs/job.ts'
import { type Appliance, openAppliance } from '../support/appliance.ts'
import { reaches } from '../support/depth.ts'
import { eventually } from '../support/eventually.ts'
import { type Death, liveUntil } from '../support/mortal.ts'
import { onEachDatabase, openTestProgram, type TestProgram } from '../support/program.ts'
import { PROGRAMS_MS } from '../support/programs.ts'

const USERS = 12_000
/** More than a batch, so that there is a place in the middle to go on from. */
const LINES = 262_000
const GHOST_EVERY = 40_000

const isGhost = (i: number) => i % GHOST_EVERY === 7
const ghosts = Array.from({ length: LINES }, (_, i) => i).filter(isGhost)

function csv(): string {
  let text = ''
  for (let i = 0; i < LINES; i++) text += isGhost(i) ? `ghost-${i}\n` : `user-${1 + ((i * 7919) % USERS)}\n`
  return text
}

interface Import {
  id: string
  state: string
  applied: number
  unknown: number
  error: string | null
  unknownUsers: { line: number; userId: string }[]
}

onEachDatabase('a large file of subscribers', (kind) => {
  if (!reaches('long')) return
  let one: Appliance
  beforeEach(async function () {
    this.timeout(PROGRAMS_MS)
    one = await openAppliance({ kind })
    await one.inside((program) =>
      program.kernel.db.write((trx) =>
        trx.raw(
          `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${USERS}) INSERT INTO users
             (app_id, identifier, anonymous, listed, install_count, first_active, last_active, created_at, updated_at)
           SELECT CAST(? AS bigint), 'user-' || i, FALSE, FALSE, 0, 0, 0, 0, 0 FROM n`,
          [one.first.id],
        ),
      ),
    )
  })
  afterEach(() => one.close())

  async function upload(): Promise<string> {
    await one.call('POST', '/messages/channels', { uuid: 'news', name: 'News' })
    const file = new Blob([csv()], { type: 'text/csv' })
    const { status, body } = await one.upload('/messages/v2/channels/news/subscribers-file', file, 'users.csv')
    expect(status).to.equal(202)
    return (body as { import: Import }).import.id
  }

  async function expectApplied(id: string): Promise<void> {
    const path = `/messages/v2/channels/news/imports/${id}`
    const read = async () => ((await one.call('GET', path)).body as { import: Import }).import
    await eventually(async () => (await read()).state === 'done', 'the file is applied')
    const done = await read()
    expect(done).to.include({ applied: LINES - ghosts.length, unknown: ghosts.length, error: null })
    expect(done.unknownUsers).to.deep.equal(ghosts.map((i) => ({ line: i + 1, userId: `ghost-${i}` })))
    expect((await one.stop()).code).to.equal(0)
    const { users } = await one.inside((program) => program.channels.counts(one.first.id, 1))
    expect(users).to.equal(USERS)
  }

  it('is applied exactly, however often kill -9 ends the server in the middle of it', async function () {
    this.timeout(PROGRAMS_MS)
    // Up to the answer nothing is read of the file: the thread that does it dies later.
    // On PostgreSQL each of the two batches is one transaction.
    const [first, ...others] =
      kind === 'sqlite'
        ? ['ingest.subscribed:2', 'ingest.subscribed:9', 'ingest.advanced:1', 'ingest.advanced:1']
        : ['ingest.subscribed:1', 'ingest.subscribed:2', 'ingest.subscribed:1', 'ingest.advanced:1']
    await one.start({ APPSVC_FAILPOINTS: first })
    const id = await upload()
    await one.ended()
    // A quick one may die before it says where it listens.
    for (const point of others) {
      await one.start({ APPSVC_FAILPOINTS: point }).catch(() => {})
      await one.ended()
    }
    await one.start()
    await expectApplied(id)
    // The last kill came between the last commit and the deletion of the file: on disk that waits for the next tidying.
    if (kind === 'sqlite') expect(readdirSync(join(one.dir, 'uploads'))).to.have.length(1)
  })

  it('is applied exactly when SIGTERM comes in the middle of it', async function () {
    this.timeout(PROGRAMS_MS)
    await one.start()
    const id = await upload()
    expect((await one.stop()).code).to.equal(0)
    await one.start()
    await expectApplied(id)
    if (kind === 'sqlite') expect(readdirSync(join(one.dir, 'uploads'))).to.deep.equal([])
  })
})

onEachDatabase('a file of subscribers', (kind) => {
  const USERS = 60
  let test: TestProgram
  beforeEach(async () => {
    test = await openTestProgram({ kind })
    await test.program.inTransaction(async ({ crm }) => {
      for (let i = 0; i < USERS; i++) await crm.putAttributes(test.first.id, `user-${i}`, {})
    })
  })
  afterEach(() => test.close())

  /** The import of a file of so many lines, of which every seventh names nobody. */
  async function upload(lines: number) {
    const channel = await test.program.inTransaction((tx) => tx.channels.create(test.first.id, { uuid: 'news' }))
    const file = receiveSubscribersFile(keeperOf(test.program, test.first.id), noDisk.takeIn)
    await file.begin('users.csv', 'text/csv')
    const names = Array.from({ length: lines }, (_, i) => (i % 7 === 3 ? `ghost-${i}` : `user-${(i * 17) % USERS}`))
    await file.write(Buffer.from(`${names.join('\n')}\n`))
    const taken = await file.end()
    const one = await test.program.inTransaction((tx) => tx.channelImports.queue(channel, taken))
    return {
      row: one.row,
      async expectApplied(): Promise<void> {
        const unknown = names.flatMap((identifier, i) =>
          identifier.startsWith('ghost') ? [{ line: i + 1, identifier }] : [],
        )
        const { unknownLines, ...done } = await test.program.channelImports.get(channel, one.id)
        expect(done).to.include({
          state: 'done',
          applied: lines - unknown.length,
          unknown: unknown.length,
          error: null,
        })
        expect(unknownLines).to.deep.equal(unknown.slice(0, 1000))
        expect((await test.program.channels.counts(test.first.id, channel.id)).users).to.equal(USERS)
      },
    }
  }
  /** Files, or slices of files in the database. */
  async function kept(): Promise<number> {
    const dir = join(test.dir, 'uploads')
    const files = existsSync(dir) ? readdirSync(dir).length : 0
    return files + (await test.program.kernel.db.read('subscriber_file_slices').select('file')).length
  }

  /** Three batches of the file, each in eight transactions on SQLite, where repeated users count, and in four on PostgreSQL. */
  async function applyAll(program: Program, row: number): Promise<void> {
    const ingestion = createIngestion({
      read: program.ingestion,
      inTransaction: (work) => program.inTransaction((tx) => work(tx.ingestion)),
      clock: test.clock,
      dataDir: test.dir,
      alone: kind === 'sqlite',
      owner: 'worker',
      linesAtOnce: 150,
      usersAtOnce: 18,
    })
    while ((await ingestion.step(row)) === 'more');
  }

  it('is applied exactly, wherever its program ends in the middle of it', async () => {
    const { row, expectApplied } = await upload(400)
    const deaths: Death[] =
      kind === 'sqlite'
        ? ['ingest.subscribed:2', 'ingest.subscribed:6', 'ingest.advanced:1', 'ingest.subscribed:3']
        : ['ingest.subscribed:1', 'ingest.subscribed:2', 'ingest.advanced:1', 'ingest.subscribed:1']
    for (const death of [...deaths, 'ingest.advanced:1', 'ingest.advanced:1'] as const)
      await liveUntil(test, death, ({ program }) => applyAll(program, row))
    await expectApplied()
    // The last end came between the last commit and the deletion of the file: on disk that waits for the next tidying.
    expect(await kept()).to.equal(kind === 'sqlite' ? 1 : 0)
  })

  it('is applied exactly when the server stops in the middle of it', async () => {
    // On PostgreSQL a step is a batch, and a turn of the loop goes before it.
    const [lines, turn] = kind === 'sqlite' ? [45_000, 4] : [260_000, 3]
    const { expectApplied } = await upload(lines)
    const stop = new AbortController()
    let turns = 0
    const context = { program: test.program, owner: 'test', wake: createWake() }
    await ingest({ ...context, signal: stop.signal, tick: () => void (++turns === turn && stop.abort()) })
    expect(await kept()).to.be.greaterThan(0)
    const again = new AbortController()
    const running = ingest({ ...context, signal: again.signal, tick() {} })
    await eventually(async () => (await kept()) === 0, 'the file is applied and deleted')
    again.abort()
    await running
    await expectApplied()
  })
})
