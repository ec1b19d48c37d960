import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { loadConfig } from '../../src/config.ts'
import type { SegmentPreview } from '../../src/domain/segments/types.ts'
import type { FoundPage } from '../../src/domain/tables/read/lists.ts'
import type { ListQuery } from '../../src/domain/tables/records/records.service.ts'
import type { Table } from '../../src/domain/tables/types.ts'
import { openProgram } from '../../src/open.ts'
import { newSoundnessCell } from '../../src/platform/db/soundness.ts'
import { newWriteTurnCell } from '../../src/platform/db/write-turn.ts'
import type { AppError } from '../../src/platform/errors.ts'
import { createLongReads, type LongReads } from '../../src/platform/long-reads/client.ts'
import { unhurried } from '../../src/platform/long-reads/pace.ts'
import { systemClock } from '../../src/platform/time/clock.ts'
import { newClockCell } from '../../src/platform/timekeeping/cell.ts'
import type { Program } from '../../src/program.ts'
import { type Readers, startReaders } from '../../src/workers/readers.ts'
import { dropPostgresDatabase, freshPostgresDatabase } from '../support/postgres.ts'
import { onEachDatabase } from '../support/program.ts'
import { column, makeTable } from '../support/tables.ts'

const RECORDS = 600

onEachDatabase('the thread for long reads', (kind) => {
  let program: Program
  let appId: number
  let dir: string
  let url: string | undefined
  let table: Table
  let readers: Readers
  let longReads: LongReads

  before(async () => {
    // A thread opens the database by itself, with the settings and the key.
    dir = mkdtempSync(join(tmpdir(), 'appsvc-test-'))
    url = kind === 'postgres' ? await freshPostgresDatabase() : undefined
    const flags = { dataDir: dir, 'limits.tableScan': '1000', ...(url && { 'database.url': url }) }
    program = openProgram({ config: (await loadConfig({ environment: {}, flags })).config })
    await program.migrate()
    const first = await program.inTransaction((tx) => tx.apps.create({ name: 'First' }))
    appId = first.id
    table = await makeTable({ program, first }, 'things', [
      column('s', 'string'),
      column('j', 'json'),
      column('d', 'datetime'),
      column('t', 'text'),
    ])
    const bodies = Array.from({ length: RECORDS }, (_, i) => ({
      s: `s ${i % 37}`,
      j: i % 2 === 0 ? { i } : null,
      d: new Date(1_700_000_000_000 + i).toISOString(),
      t: i % 100 === 0 ? 'x'.repeat(200_000) : 'short',
    }))
    await program.inTransaction((tx) => tx.records.create(appId, table.alias, bodies))
    readers = start()
    longReads = createLongReads(readers, systemClock)
  })
  after(async () => {
    longReads.close()
    await readers.close()
    await program.close()
    if (url) await dropPostgresDatabase(url)
    rmSync(dir, { recursive: true, force: true })
  })

  function start(path?: string): Readers {
    const cells = { turnCell: newWriteTurnCell(), soundnessCell: newSoundnessCell(), clockCell: newClockCell() }
    return startReaders(program, cells, path)
  }
  const options = () => ({ who: { app: appId, key: 'a' }, seconds: 50 })
  const query = (more: Partial<ListQuery> = {}): ListQuery => ({
    numberPerPage: 20,
    sortBy: '-s',
    count: true,
    ...more,
  })

  it('finds the same page as this thread, with large values left out in the same way', async () => {
    const filter = JSON.stringify({ field: 's', operator: 'contains', value: '3' })
    for (const asked of [query(), query({ filter, page: 2 }), query({ sortBy: undefined, numberPerPage: 600 })]) {
      const args = [appId, table.alias, asked] as const
      const found = await longReads.ask<FoundPage>('records.find', args, options())
      expect(found).to.deep.equal(await program.records.find(...args, unhurried))
      const whole = program.records.wholePage(found)
      const [records, expected] = [[], []] as [unknown[], unknown[]]
      for await (const record of whole.records) records.push(record)
      for await (const record of (await program.records.list(...args)).records) expected.push(record)
      expect(records).to.deep.equal(expected)
      expect(records.length).to.be.greaterThan(10)
    }
  })

  it('refuses what this thread would refuse', async () => {
    const error = await longReads
      .ask('records.find', [appId, table.alias, query({ sortBy: 'nothing' })], options())
      .catch((thrown: AppError) => thrown)
    expect(error).to.include({ code: 'invalid' })
    expect((error as AppError).details.fields).to.have.key('sortBy')
  })

  it('previews segments', async () => {
    const filter = { field: 'os', op: 'equals', value: 'iOS' }
    const { id } = await program.inTransaction((tx) => tx.segments.create(appId, { name: 'all', filter }))
    const preview = await longReads.ask<SegmentPreview>('segments.preview', [appId, { id }], options())
    expect(preview).to.deep.equal({ total: 0, platforms: {}, first: [] })
  })

  it('is replaced when it was given up, and reads on in the new one', async () => {
    await longReads.ask<FoundPage>('records.find', [appId, table.alias, query()], options())
    const connection = await readers.connect()
    connection.giveUp()
    const other = createLongReads(readers, systemClock)
    const page = await other.ask<FoundPage>('records.find', [appId, table.alias, query()], options())
    expect(page.total).to.equal(RECORDS)
    other.close()
  })

  it('answers 503 when it dies, and a new one is started for the next read', async () => {
    const path = join(dir, 'dies.cjs')
    writeFileSync(
      path,
      `require('node:worker_threads').parentPort.on('message', ({ port }) => {
        port.postMessage('welcome')
        port.on('message', () => process.exit(1))
      })`,
    )
    const dying = start(path)
    const reads = createLongReads(dying, systemClock)
    for (let i = 0; i < 2; i++) {
      const error = await reads.ask('records.find', [], options()).catch((thrown: AppError) => thrown)
      expect(error).to.include({ code: 'unavailable' })
      expect((error as AppError).message).to.include('has ended')
    }
    reads.close()
    await dying.close()
  })

  it('says so when it cannot start', async () => {
    const broken = start(join(dir, 'absent.cjs'))
    const reads = createLongReads(broken, systemClock)
    const error = await reads.ask('records.find', [], options()).catch((thrown: AppError) => thrown)
    expect((error as AppError).message).to.include('does not start')
    reads.close()
    await broken.close()
  })

  it('ends with the program while a read is under way, which gets 503', async () => {
    const stopping = start()
    const reads = createLongReads(stopping, systemClock)
    await reads.ask('records.find', [appId, table.alias, query()], options())
    const waiting = reads
      .ask('records.find', [appId, table.alias, query()], options())
      .catch((thrown: AppError) => thrown)
    // The read is asked once the open port is known. Its answer would be heard in a later turn of the event loop.
    for (let i = 0; i < 20; i++) await Promise.resolve()
    reads.close()
    await stopping.close()
    expect(await waiting).to.include({ code: 'unavailable' })
  })
})
