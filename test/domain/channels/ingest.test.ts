import { existsSync, mkdirSync, readdirSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { keeperOf } from '../../../src/domain/channels/files/choice.ts'
import { onDisk, uploadPath } from '../../../src/domain/channels/files/disk.ts'
import { inDatabase, SLICE_BYTES } from '../../../src/domain/channels/files/slices.ts'
import { createIngestion, type IngestParts, removeOrphans, type Step } from '../../../src/domain/channels/ingest.ts'
import { receiveSubscribersFile } from '../../../src/domain/channels/subscribers-file.ts'
import type { Channel, ChannelImport } from '../../../src/domain/channels/types.ts'
import { runErasures } from '../../../src/domain/erasures/run.ts'
import { newUuid } from '../../../src/platform/crypto/ids.ts'
import { noDisk } from '../../../src/platform/files/disk-space.ts'
import { ingest } from '../../../src/workers/jobs/ingest.ts'
import { createWake } from '../../../src/workers/jobs/job.ts'
import { erasing, requestErasure } from '../../support/erasures.ts'
import { eventually } from '../../support/eventually.ts'
import { onEachDatabase, type TestProgram } from '../../support/program.ts'
import { sharedDatabase } from '../../support/shared-database.ts'

const HOUR_MS = 3_600_000

onEachDatabase('applying a file of subscribers', (kind) => {
  let test: TestProgram
  let channel: Channel
  const openShared = sharedDatabase(kind)
  beforeEach(async () => {
    test = await openShared()
    channel = await test.program.inTransaction((tx) => tx.channels.create(test.first.id, { uuid: 'c' }))
  })
  afterEach(() => test.close())

  const parts = (changes: Partial<IngestParts> = {}): IngestParts => ({
    read: test.program.ingestion,
    inTransaction: (work) => test.program.inTransaction((tx) => work(tx.ingestion)),
    clock: test.clock,
    dataDir: test.dir,
    alone: kind === 'sqlite',
    owner: 'worker',
    ...changes,
  })

  /** Users `user-0` … */
  const addUsers = (count: number) =>
    test.program.inTransaction(async ({ crm }) => {
      for (let i = 0; i < count; i++) await crm.putAttributes(test.first.id, `user-${i}`, {})
    })

  async function takeIn(text: string, keeper = keeperOf(test.program, test.first.id)): Promise<ChannelImport> {
    const file = receiveSubscribersFile(keeper, noDisk.takeIn)
    await file.begin('users.csv', 'text/csv')
    await file.write(Buffer.from(text))
    const taken = await file.end()
    return test.program.inTransaction((tx) => tx.channelImports.queue(channel, taken))
  }

  /** Takes steps until there are no more. Returns what the last one said. */
  async function applyAll(one: ChannelImport, how = parts()): Promise<Step> {
    const ingestion = createIngestion(how)
    for (let steps = 0; steps < 1000; steps++) {
      const step = await ingestion.step(one.row)
      if (step !== 'more') return step
    }
    throw new Error('it never ends')
  }

  const seen = (one: ChannelImport) => test.program.channelImports.get(channel, one.id)
  const subscribed = async () => (await test.program.channels.counts(test.first.id, channel.id)).users
  const files = () => (existsSync(join(test.dir, 'uploads')) ? readdirSync(join(test.dir, 'uploads')) : [])
  const slices = () => test.program.kernel.db.read('subscriber_file_slices').select('file', 'slice')

  it('subscribes whom it names, tells the lines that name nobody, and deletes the file', async () => {
    await addUsers(3)
    const one = await takeIn('\ufeffuser-0\r\n"nobody, or ""so"""\r\nuser-2\r\nuser-0\r\nghost\r\n\r\n')
    expect(await seen(one)).to.include({ state: 'queued', total: 5, applied: 0 })
    await applyAll(one)
    const { unknownLines, ...after } = await seen(one)
    expect(after).to.include({ state: 'done', applied: 3, unknown: 2, place: one.size, error: null })
    expect(unknownLines).to.deep.equal([
      { line: 2, identifier: 'nobody, or "so"' },
      { line: 5, identifier: 'ghost' },
    ])
    expect([await subscribed(), files(), await slices()]).to.deep.equal([2, [], []])
    expect(await applyAll(one)).to.equal('over')
  })

  it('another app has no part in it', async () => {
    const other = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))
    await test.program.inTransaction(({ crm }) => crm.putAttributes(other.id, 'theirs', {}))
    const one = await takeIn('theirs\n')
    await applyAll(one)
    expect(await seen(one)).to.include({ applied: 0, unknown: 1 })
    expect(await subscribed()).to.equal(0)
  })

  it('keeps the first thousand of the lines that name nobody, and counts all', async () => {
    const one = await takeIn(Array.from({ length: 45_000 }, (_, i) => `x-${i}\n`).join(''))
    await applyAll(one)
    const after = await seen(one)
    expect(after).to.include({ state: 'done', applied: 0, unknown: 45_000 })
    expect(after.unknownLines).to.have.length(1000)
    expect(after.unknownLines[999]).to.deep.equal({ line: 1000, identifier: 'x-999' })
  })

  it('shows how far it is, and a kill at any moment neither skips nor repeats a line', async () => {
    await addUsers(50)
    const lines = Array.from({ length: 90_000 }, (_, i) => (i % 1800 === 0 ? `user-${i / 1800}` : `x-${i}`))
    const one = await takeIn(`${lines.join('\n')}\n`)
    let kills = 0
    let transactions = 0
    const places = new Set<number>([0])
    // Half of the transactions are lost: before the commit or, as far as the process knows, behind it; and every start ends
    // after some steps anyway.
    const dying = parts({
      linesAtOnce: 17_000,
      inTransaction: async (work) => {
        const how = [0, 1, 2, 2, 1, 2, 0, 2][transactions++ % 8]
        const value = await test.program.inTransaction(async (tx) => {
          const done = await work(tx.ingestion)
          if (how === 0) throw new Error('killed before the commit')
          return done
        })
        if (how === 1) throw new Error('killed behind the commit')
        return value
      },
    })
    for (let starts = 0; starts < 300; starts++) {
      const ingestion = createIngestion(dying)
      for (let steps = 0; steps < 1 + (starts % 5); steps++) {
        const step = await ingestion.step(one.row).catch(() => 'killed')
        places.add((await seen(one)).place)
        if (step !== 'killed') continue
        kills++
        break
      }
      const now = await seen(one)
      expect(now.applied + now.unknown).to.equal(now.line - 1)
      if (now.state === 'done') break
    }
    expect(kills).to.be.greaterThan(2)
    expect(places.size).to.equal(7)
    expect(await seen(one)).to.include({ state: 'done', applied: 50, unknown: 89_950, line: 90_001 })
    expect(await subscribed()).to.equal(50)
    // A kill between the last commit and the deletion leaves the file to whoever looks next.
    await applyAll(one)
    expect([files(), await slices()]).to.deep.equal([[], []])
  })

  it('two who work on it do not hinder each other', async () => {
    await addUsers(20)
    const lines = Array.from({ length: 130_000 }, (_, i) => `user-${i % 40}`)
    const one = await takeIn(lines.join('\n'))
    await Promise.all([applyAll(one), applyAll(one), applyAll(one)])
    expect(await seen(one)).to.include({ state: 'done', applied: 65_000, unknown: 65_000 })
    expect(await subscribed()).to.equal(20)
  })

  it('ends with its channel', async () => {
    const one = await takeIn('a\n')
    await test.program.inTransaction((tx) => tx.channels.delete(test.first.id, channel.id))
    expect(await applyAll(one)).to.equal('over')
    expect(await test.program.ingestion.imports.open(9)).to.deep.equal([])
    while (await test.program.inTransaction((tx) => tx.channels.clearAway()));
    expect(await test.program.kernel.db.read('channel_imports')).to.deep.equal([])
    for (const name of files()) utimesSync(join(test.dir, 'uploads', name), 0, 0)
    expect(await slices()).to.deep.equal([])
    expect(await removeOrphans(parts())).to.equal(kind === 'sqlite' ? 1 : 0)
  })

  it('with its channel in the middle of it subscribes nobody any more', async () => {
    await addUsers(3)
    const one = await takeIn('user-0\nuser-1\nghost\nuser-2\n')
    const ingestion = createIngestion(parts({ linesAtOnce: 3 }))
    while ((await seen(one)).place === 0) await ingestion.step(one.row)
    await test.program.inTransaction((tx) => tx.channels.delete(test.first.id, channel.id))
    ingestion.keepOnly([])
    expect(await ingestion.step(one.row)).to.equal('over')
    while (await test.program.inTransaction((tx) => tx.channels.clearAway()));
    for (const table of ['channel_users', 'channel_imports', 'channel_import_unknowns']) {
      expect(await test.program.kernel.db.read(table), table).to.deep.equal([])
    }
  })

  it('is forgotten with its unknown lines some time after it was over, an open one never', async () => {
    const old = await takeIn('ghost\n')
    await applyAll(old)
    const open = await takeIn('ghost\n')
    test.clock.advance(30 * 24 * HOUR_MS)
    const young = await takeIn('ghost\n')
    await applyAll(young)
    const forget = () => test.program.inTransaction((tx) => tx.channelImports.forget(30, 5))
    expect(await forget()).to.equal(0)
    test.clock.advance(1)
    expect(await forget()).to.equal(1)
    const { imports } = await test.program.channelImports.list(channel, { limit: 9 })
    expect(imports.map(({ id }) => id)).to.deep.equal([young.id, open.id])
    expect(await test.program.kernel.db.read('channel_import_unknowns')).to.have.length(1)
  })

  it('takes the longest identifiers, those of two files at once, and many times the same', async () => {
    const names = ['\u{1f600}'.repeat(255), 'é'.repeat(255), 'x'.repeat(255)]
    await test.program.inTransaction(async ({ crm }) => {
      for (const name of names) await crm.putAttributes(test.first.id, name, {})
    })
    const text = `${names.join('\r\n')}\r\n`.repeat(1000)
    const all = [await takeIn(`\ufeff${text}`), await takeIn(text.slice(0, -2))]
    const ingestion = createIngestion(parts({ linesAtOnce: 1100 }))
    const isDone = async () => (await Promise.all(all.map(seen))).every(({ state }) => state === 'done')
    while (!(await isDone())) for (const { row } of all) await ingestion.step(row)
    for (const one of all) expect(await seen(one)).to.include({ applied: 3000, unknown: 0, line: 3001 })
    expect(await subscribed()).to.equal(3)
  })

  it('takes identifiers as they are written, and users who are subscribed already', async () => {
    const names = ['a\\b', '{x}', 'NULL', 'q"uo"te', 'with, comma', ' blank ', "o'clock", 'line\nbreak', '?']
    names.push('caf\u00e9', '\\', '"', '\\"', '\u2028', '\u{1f469}\u200d\u{1f467}', `${'"\\'.repeat(127)}\u{1f600}`)
    await test.program.inTransaction(async ({ crm }) => {
      for (const name of names) await crm.putAttributes(test.first.id, name, {})
    })
    const cell = (name: string) => `"${name.replaceAll('"', '""')}"\n`
    const one = await takeIn(names.slice(0, 4).map(cell).join(''))
    await applyAll(one)
    expect(await seen(one)).to.include({ applied: 4, unknown: 0 })
    const all = await takeIn(
      [...names, 'a\\\\b', 'null', 'a\\b', 'cafe\u0301', 'CAF\u00c9', '\u{1f469}\u{1f467}', 'n"o\nb\\']
        .map(cell)
        .join(''),
    )
    await applyAll(all)
    const { applied, unknownLines } = await seen(all)
    expect([applied, await subscribed()]).to.deep.equal([17, 16])
    // One of them has a line break.
    expect(unknownLines).to.deep.equal([
      { line: 18, identifier: 'a\\\\b' },
      { line: 19, identifier: 'null' },
      // The same to a language, and other bytes.
      { line: 21, identifier: 'cafe\u0301' },
      { line: 22, identifier: 'CAF\u00c9' },
      { line: 23, identifier: '\u{1f469}\u{1f467}' },
      { line: 24, identifier: 'n"o\nb\\' },
    ])
  })

  it('goes on when somebody subscribes the same users meanwhile', async () => {
    await addUsers(30)
    const one = await takeIn(Array.from({ length: 60 }, (_, i) => `user-${i % 45}\n`).join(''))
    if (kind === 'sqlite') return void (await applyAll(one))
    const { db } = test.program.kernel
    const [isIn, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const other = db.write(async (trx) => {
      const { id } = (await trx('users').where({ app_id: test.first.id, identifier: 'user-7' }).first('id')) as {
        id: number
      }
      await trx('channel_users').insert({ app_id: test.first.id, channel_id: channel.id, user_id: id })
      isIn.resolve()
      await mayEnd.promise
    })
    await isIn.promise
    const applying = applyAll(one, parts({ linesAtOnce: 20 }))
    const isWaiting = async () => (await db.read('pg_locks').where({ granted: false }).select('pid')).length > 0
    await eventually(isWaiting, 'the import waits for the row')
    mayEnd.resolve()
    await other
    expect(await applying).to.equal('done')
    expect(await seen(one)).to.include({ applied: 45, unknown: 15 })
    expect(await subscribed()).to.equal(30)
  })

  it('subscribes nobody whom an erasure deletes in the middle of a batch', async () => {
    if (kind === 'sqlite') return
    const { program, clock } = test
    await addUsers(3)
    await requestErasure(test, 'user-1')
    // A file from before the erasure would hold it up.
    clock.advance(1)
    const one = await takeIn('user-0\nuser-1\nuser-2\n')
    const [isIn, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const applying = applyAll(
      one,
      parts({
        inTransaction: (work) =>
          program.inTransaction(async ({ ingestion }) => {
            const { imports, slices, subscriptions } = ingestion
            const addFound: typeof subscriptions.addFound = async (...given) => {
              await subscriptions.addFound(...given)
              isIn.resolve()
              await mayEnd.promise
            }
            return work({ imports, slices, subscriptions: { ...subscriptions, addFound } })
          }),
      }),
    )
    await isIn.promise
    const erased = runErasures(erasing(test))
    const { db } = program.kernel
    const isWaiting = async () => (await db.read('pg_locks').where({ granted: false }).select('pid')).length > 0
    await eventually(isWaiting, 'the erasure waits for the batch').finally(mayEnd.resolve)
    expect(await applying).to.equal('done')
    expect(await erased).to.equal(0)
    expect(await db.read('users').orderBy('id').pluck('identifier')).to.deep.equal(['user-0', 'user-2'])
    expect(await subscribed()).to.equal(2)
  })

  it('reads again what could not be read', async () => {
    if (kind === 'sqlite') return
    await addUsers(3)
    const one = await takeIn('user-0\nuser-1\nuser-2\n')
    const { slices } = test.program.ingestion
    let left = 1
    const failing: typeof slices.read = async (...where) => {
      if (left-- > 0) throw new Error('the connection is gone')
      return slices.read(...where)
    }
    const ingestion = createIngestion(
      parts({ read: { ...test.program.ingestion, slices: { ...slices, read: failing } } }),
    )
    expect(await ingestion.step(one.row).catch(String)).to.equal('Error: the connection is gone')
    expect(await ingestion.step(one.row)).to.equal('done')
    expect(await seen(one)).to.include({ state: 'done', applied: 3, unknown: 0 })
  })

  /** Parts whose look-ups and writes are tried by these functions first. */
  const trying = (tries: { named?(names: string): Promise<void>; addFound?(ids: Float64Array): Promise<void> }) => {
    const wrapped = (subscriptions: IngestParts['read']['subscriptions']): typeof subscriptions => ({
      ...subscriptions,
      async named(appId, names) {
        const found = await subscriptions.named(appId, names)
        await tries.named?.(names)
        return found
      },
      async addFound(appId, channelId, ids, how) {
        await tries.addFound?.(ids)
        await subscriptions.addFound(appId, channelId, ids, how)
      },
    })
    const { ingestion } = test.program
    return parts({
      linesAtOnce: 80,
      read: { ...ingestion, subscriptions: wrapped(ingestion.subscriptions) },
      inTransaction: (work) =>
        test.program.inTransaction(({ ingestion: { imports, slices, subscriptions } }) =>
          work({ imports, slices, subscriptions: wrapped(subscriptions) }),
        ),
    })
  }

  it('subscribes nobody whom an erasure deletes between their look-up and their batch', async () => {
    if (kind === 'sqlite') return
    await addUsers(3)
    await requestErasure(test, 'user-1')
    // A file from before the erasure would hold it up.
    test.clock.advance(1)
    const one = await takeIn('user-0\nuser-1\nuser-2\n')
    // Nobody waits for a look-up.
    const named = async () => void expect(await runErasures(erasing(test))).to.equal(0)
    expect(await applyAll(one, trying({ named }))).to.equal('done')
    expect(await test.program.kernel.db.read('channel_users').select()).to.have.length(2)
    expect(await subscribed()).to.equal(2)
  })

  it('holds its locks for few users at a time', async () => {
    if (kind === 'sqlite') return
    await addUsers(9)
    const one = await takeIn(Array.from({ length: 12 }, (_, i) => `user-${11 - i}\n`).join(''))
    const written: number[] = []
    const { first, program } = test
    const ingestion = createIngestion({
      ...trying({ addFound: async (ids) => void written.push(ids.length) }),
      usersAtOnce: 4,
    })
    expect([await ingestion.step(one.row), await subscribed()]).to.deep.equal(['more', 4])
    // Nothing of the batch is in the way of others between two transactions.
    await program.inTransaction((tx) => tx.channels.update(first.id, channel.id, { name: 'Renamed' }))
    expect([await ingestion.step(one.row), await subscribed()]).to.deep.equal(['more', 8])
    expect(await seen(one)).to.include({ applied: 0, place: 0 })
    expect([await ingestion.step(one.row), await subscribed()]).to.deep.equal(['done', 9])
    expect(written).to.deep.equal([4, 4, 1])
    expect(await seen(one)).to.include({ applied: 9, unknown: 3 })
  })

  it('takes fewer lines and users at once from a database that is too slow for as many', async () => {
    if (kind === 'sqlite') return
    await addUsers(9)
    const one = await takeIn(Array.from({ length: 90 }, (_, i) => `user-${i % 10}\n`).join(''))
    const tried: number[] = []
    const written: number[] = []
    const tooSlow = () => Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' })
    const slow = createIngestion(
      trying({
        async named(names) {
          tried.push(names.split(',').length)
          if (tried.length <= 2) throw tooSlow()
        },
        async addFound({ length }) {
          written.push(length)
          if (written.length <= 1) throw tooSlow()
        },
      }),
    )
    let step: Step | undefined
    while (step !== 'done') step = await slow.step(one.row).catch(() => undefined)
    expect(tried).to.deep.equal([80, 20, ...Array.from({ length: 18 }, () => 5)])
    expect(written.slice(0, 6)).to.deep.equal([5, 2, 2, 1, 2, 2])
    expect(await seen(one)).to.include({ state: 'done', applied: 81, unknown: 9 })
  })

  it('a file that is gone fails, on one machine at once, on many when nobody has it for an hour', async () => {
    const disk = onDisk(test.dir)
    const one = await takeIn('a\n', disk)
    const elsewhere = parts({ alone: false, dataDir: join(test.dir, 'other') })
    expect(await applyAll(one, elsewhere)).to.equal('elsewhere')
    expect((await seen(one)).state).to.equal('queued')
    test.clock.advance(HOUR_MS + 1)
    expect(await applyAll(one, elsewhere)).to.equal('failed')
    expect(await seen(one)).to.include({ state: 'failed', error: 'its file is missing: upload it again' })
    const two = await takeIn('a\n', disk)
    expect(await applyAll(two, parts({ alone: true, dataDir: join(test.dir, 'other') }))).to.equal('failed')
    expect((await seen(two)).state).to.equal('failed')
  })

  it('a file that somebody changed fails with what is wrong', async () => {
    const one = await takeIn('aaaa\nbbbb\n', onDisk(test.dir))
    writeFileSync(uploadPath(test.dir, one.id), 'aaaa\nb,bb\n')
    expect(await applyAll(one)).to.equal('failed')
    expect(await seen(one)).to.include({
      state: 'failed',
      error: 'line 2 has more than one column: put a value that contains a comma in quotes',
    })
    const two = await takeIn('aaaa\nbbbb\n', onDisk(test.dir))
    truncateSync(uploadPath(test.dir, two.id), 0)
    expect(await applyAll(two, parts())).to.equal('failed')
    expect((await seen(two)).error).to.match(/changed/)
  })

  it('old files that nobody needs are deleted, others are left alone', async () => {
    const one = await takeIn('a\n', onDisk(test.dir))
    const directory = join(test.dir, 'uploads')
    const orphan = receiveSubscribersFile(onDisk(test.dir), noDisk.takeIn)
    await orphan.begin('users.csv', 'text/csv')
    await orphan.write(Buffer.from('a\n'))
    await orphan.end()
    mkdirSync(join(directory, 'folder'))
    writeFileSync(join(directory, 'notes.txt'), '')
    const before = files()
    expect(await removeOrphans(parts())).to.equal(0)
    for (const name of before) utimesSync(join(directory, name), 0, 0)
    expect(await removeOrphans(parts())).to.equal(1)
    expect(files().toSorted()).to.deep.equal(['folder', 'notes.txt', `subscribers-${one.id}.csv`])
    expect(await removeOrphans(parts({ dataDir: join(test.dir, 'none') }))).to.equal(0)
  })

  it('the worker applies what comes in, side by side, behind files of other nodes, and stops when it is told', async () => {
    await addUsers(2)
    const signal = new AbortController()
    const wake = createWake()
    // On SQLite there is no other node, and they would fail.
    for (let i = 0; kind === 'postgres' && i < 40; i++) {
      const file = { id: newUuid(), size: 9, total: 1 }
      await test.program.inTransaction((tx) => tx.channelImports.queue(channel, { ...file, digest: '' }))
    }
    const all = [await takeIn('user-0\n'), await takeIn(`${'ghost\n'.repeat(60_000)}user-1\n`)]
    const running = ingest({
      program: test.program,
      owner: 'test',
      signal: signal.signal,
      wake,

      tick() {},
    })
    const isDone = async () => (await Promise.all(all.map(seen))).every(({ state }) => state === 'done')
    await eventually(isDone, 'the files are applied')
    all.push(await takeIn('user-1\nuser-0\n'))
    wake.ring()
    await eventually(isDone, 'the files are applied')
    signal.abort()
    await running
    expect([await subscribed(), files(), await slices()]).to.deep.equal([2, [], []])
    const { imports, next } = await test.program.channelImports.list(channel, { limit: 2 })
    expect(imports.map(({ id }) => id)).to.deep.equal([all[2]!.id, all[1]!.id])
    const [last] = (await test.program.channelImports.list(channel, { after: next!, limit: 2 })).imports
    expect(last!.id).to.equal(all[0]!.id)
  })
  it('a file in the database is read across its slices, also after every batch and on the other kind of database', async () => {
    await addUsers(40)
    const lines = Array.from({ length: 140_000 }, (_, i) => (i % 2 === 0 ? `user-${i % 40}` : `é-${i}`))
    const keeper = inDatabase({
      appId: test.first.id,
      inTransaction: (work) => test.program.inTransaction((tx) => work(tx.ingestion.slices)),
      now: () => test.clock.now(),
    })
    const file = receiveSubscribersFile(keeper, noDisk.takeIn)
    await file.begin('users.csv', 'text/csv')
    const bytes = Buffer.from(`\ufeff${lines.join('\r\n')}`)
    // One chunk is larger than a slice.
    await file.write(bytes.subarray(0, 1))
    await file.write(bytes.subarray(1, 700_001))
    for (let at = 700_001; at < bytes.length; at += 65_001) await file.write(bytes.subarray(at, at + 65_001))
    const taken = await file.end()
    const one = await test.program.inTransaction((tx) => tx.channelImports.queue(channel, taken))
    expect([taken.size, (await slices()).length]).to.deep.equal([bytes.length, Math.ceil(bytes.length / SLICE_BYTES)])
    // Each batch begins anew, as after a restart.
    for (let batches = 0; (await seen(one)).state !== 'done'; batches++) {
      const { place } = await seen(one)
      const ingestion = createIngestion(parts({ linesAtOnce: 31_000 }))
      while ((await seen(one)).place === place) await ingestion.step(one.row)
      expect(batches).to.be.lessThan(6)
    }
    expect(await seen(one)).to.include({ applied: 70_000, unknown: 70_000, line: 140_001 })
    expect([await subscribed(), await slices()]).to.deep.equal([20, []])
  })

  it('slices of a file that was never queued are deleted after an hour, those of an open one never', async () => {
    const keeper = inDatabase({
      appId: test.first.id,
      inTransaction: (work) => test.program.inTransaction((tx) => work(tx.ingestion.slices)),
      now: () => test.clock.now(),
    })
    const one = await takeIn('a\n', keeper)
    const half = receiveSubscribersFile(keeper, noDisk.takeIn)
    await half.begin('users.csv', 'text/csv')
    await half.write(Buffer.from('user-1\n'.repeat(160_000)))
    const refused = receiveSubscribersFile(keeper, noDisk.takeIn)
    await refused.begin('users.csv', 'text/csv')
    await refused.write(Buffer.from('user-1\n'.repeat(100_000)))
    await refused.discard()
    expect(await slices()).to.have.length(3)
    test.clock.advance(HOUR_MS)
    expect(await removeOrphans(parts())).to.equal(0)
    // It goes on, so it is not old.
    await half.write(Buffer.from('user-1\n'.repeat(80_000)))
    test.clock.advance(1)
    expect(await removeOrphans(parts())).to.equal(0)
    test.clock.advance(HOUR_MS)
    expect(await removeOrphans(parts())).to.equal(1)
    expect(await slices()).to.deep.equal([{ file: one.id, slice: 0 }])
  })

  it('on PostgreSQL one worker applies a file, and another goes on when its lease is over', async () => {
    if (kind === 'sqlite') return
    await addUsers(30)
    const one = await takeIn(Array.from({ length: 90 }, (_, i) => `user-${i % 45}\n`).join(''))
    const first = createIngestion(parts({ owner: 'first', linesAtOnce: 20, usersAtOnce: 3 }))
    const second = createIngestion(parts({ owner: 'second', linesAtOnce: 20, usersAtOnce: 3 }))
    while ((await seen(one)).place === 0) expect(await first.step(one.row)).to.equal('more')
    expect(await second.step(one.row)).to.equal('elsewhere')
    // The clock of this node says that the lease is over: that of the database decides.
    test.clock.advance(24 * HOUR_MS)
    expect(await second.step(one.row)).to.equal('elsewhere')
    // The first worker was killed.
    await test.program.kernel.db.write((trx) => trx('channel_imports').update({ lease_until: 0 }))
    expect(await second.step(one.row)).to.equal('more')
    const { place } = await seen(one)
    test.clock.advance(20_000)
    expect(await first.step(one.row)).to.equal('elsewhere')
    expect((await seen(one)).place).to.equal(place)
    await second.release()
    expect(await applyAll(one, parts({ owner: 'third' }))).to.equal('done')
    expect(await seen(one)).to.include({ applied: 60, unknown: 30, line: 91 })
    expect([await subscribed(), await slices()]).to.deep.equal([30, []])
  })
})
