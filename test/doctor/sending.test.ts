import { mkdirSync, writeFileSync } from 'node:fs'
import { expect } from 'chai'
import type { Subject } from '../../src/doctor/checks/types.ts'
import { CHECKS } from '../../src/doctor/checks.ts'
import { type CheckFinding, examine } from '../../src/doctor/examine.ts'
import { repair } from '../../src/doctor/repair.ts'
import { subjectOf } from '../../src/doctor/subject.ts'
import { uploadPath, uploadsDirectory } from '../../src/domain/channels/files/disk.ts'
import { noCounts } from '../../src/domain/imports/types.ts'
import { newUuid } from '../../src/platform/crypto/ids.ts'
import { longTransactions, postgresState } from '../../src/platform/db/inspect.ts'
import { MOVED } from '../../src/platform/instance/custody.ts'
import { broadcast, deliverDue, scriptedSender, withAndroids } from '../support/delivery.ts'
import { addGateway } from '../support/gateways.ts'
import { openTransaction } from '../support/locks.ts'
import { onEachDatabase, onPostgres, openTestProgram, type TestProgram } from '../support/program.ts'

const DAY_MS = 86_400_000
const said = (findings: readonly CheckFinding[]) => findings.map(({ level, what }) => `${level}: ${what}`)

onEachDatabase('the doctor', (kind) => {
  let test: TestProgram
  beforeEach(async () => {
    test = await openTestProgram({ kind })
    await withAndroids(test, 5)
  })
  afterEach(() => test.close())

  async function look(name: string, more: Partial<Subject> = {}): Promise<string[]> {
    const subject: Subject = { ...(await subjectOf(test.program)), inside: 'command', served: undefined, ...more }
    const { findings, leftOut } = await examine(subject, [CHECKS.find((check) => check.name === name)!])
    expect(leftOut).to.deep.equal([])
    return said(findings)
  }
  const raw = (sql: string) => test.program.kernel.db.write((trx) => trx.raw(sql))
  const { sender } = scriptedSender((token) =>
    token.endsWith('0') ? { kind: 'token_dead', reason: 'UNREGISTERED' } : { kind: 'accepted' },
  )

  it('finds nothing wrong with an ordinary world, with all checks that stay on this machine', async () => {
    await broadcast(test)
    await deliverDue(test, sender)
    const subject: Subject = { ...(await subjectOf(test.program)), inside: 'command', served: undefined }
    // The disk of test runs is in memory, their machine may be small, and their PostgreSQL does without flushes.
    const unsafe = kind === 'postgres' ? 'database' : undefined
    const ours = CHECKS.filter(({ name, group, live }) => !live && group !== 'machine' && name !== unsafe)
    const { findings } = await examine(subject, ours)
    expect(findings.filter(({ level }) => level === 'warning' || level === 'error')).to.deep.equal([])
    expect(new Set(findings.map(({ check }) => check)).size).to.be.at.least(8)
  })

  it('finds a lane that is held, and why', async () => {
    expect(await look('lanes')).to.deep.equal(['ok: the lane is open'])
    const [lane] = await test.program.gateways.lanes.list()
    const hold = (kind: 'config_error' | 'throttled_gateway', holds: number) =>
      test.program.inTransaction(({ gateways }) =>
        gateways.lanes.hold(lane!.id, { until: test.clock.now() + 60_000, kind, reason: 'SenderIdMismatch', holds }, 0),
      )
    await hold('config_error', 2)
    const [found] = await look('lanes')
    expect(found).to.match(
      /^error: sending through the android gateway of app \d+ is paused until .* SenderIdMismatch$/,
    )
    await hold('throttled_gateway', 1)
    expect((await look('lanes')).join()).to.match(/^warning: /)
    expect(await look('lanes', { appId: test.first.id + 1 })).to.deep.equal([])
  })

  it('finds that somebody has been due for long', async () => {
    expect(await look('oldest-due')).to.deep.equal(['ok: nobody is due'])
    await broadcast(test)
    test.clock.advance(16 * 60_000)
    expect(await look('oldest-due')).to.deep.equal(['warning: a recipient has been due for 16 min'])
    expect((await look('oldest-due', { served: false })).join()).to.include('and no server runs')
  })

  it('adds up the recipients of notifications, also while some were moved to be tried again', async () => {
    await broadcast(test)
    const { sender: busy } = scriptedSender((token) =>
      token.endsWith('1') ? { kind: 'throttled_recipient', reason: 'QUOTA' } : { kind: 'accepted' },
    )
    await deliverDue(test, busy)
    expect(await look('conservation')).to.deep.equal(['ok: the 5 recipients of 1 notifications add up'])
  })

  it('finds a notification whose recipients do not add up, in every way', async () => {
    const id = await broadcast(test)
    const { sender: busy } = scriptedSender((token) =>
      token.endsWith('1') ? { kind: 'throttled_recipient', reason: 'QUOTA' } : { kind: 'accepted' },
    )
    await deliverDue(test, busy)
    const wrong = async (sql: string) => {
      await raw(sql)
      return (await look('conservation')).join()
    }
    const of = `of notification ${id} of app ${test.first.id} do not add up`
    expect(await wrong('UPDATE pages SET accepted = accepted + 1 WHERE attempt = 0'))
      .to.include(of)
      .and.include('count other outcomes')
    await raw('UPDATE pages SET accepted = accepted - 1 WHERE attempt = 0')
    expect(await look('conservation')).to.have.length(1)
    expect(await wrong("UPDATE pages SET state = 'done' WHERE attempt > 0")).to.include(
      '1 recipients of finished pages have no outcome',
    )
    expect(await wrong('DELETE FROM pages WHERE attempt > 0')).to.include(
      '1 recipients were moved to a page that does not exist',
    )
  })

  it('finds files of subscribers that nobody applies, and imports that were interrupted', async () => {
    expect(await look('imports')).to.deep.equal(['ok: no import waits'])
    const channel = await test.program.inTransaction((tx) => tx.channels.create(test.first.id, { uuid: 'c' }))
    const ids = [newUuid(), newUuid()]
    mkdirSync(uploadsDirectory(test.dir), { recursive: true })
    writeFileSync(uploadPath(test.dir, ids[0]!), 'a\n')
    await test.program.inTransaction(async (tx) => {
      for (const id of ids) await tx.channelImports.queue(channel, { id, size: 2, total: 1, digest: '' })
      await tx.imports.begin(test.first.id, 'csv', 'digest', noCounts())
    })
    expect(await look('imports')).to.deep.equal(['ok: no import waits'])
    test.clock.advance(DAY_MS)
    const [here, there, import_] = await look('imports')
    expect(here).to.match(/^warning: files of subscribers wait since .* are in this data directory: /)
    expect(here).to.include(`${ids[0]} (app ${test.first.id})`).and.not.include(ids[1])
    expect(there)
      .to.match(/^warning: .* in the data directory of another node: /)
      .and.include(ids[1])
    expect(import_).to.match(/^warning: the import 1 of csv into app \d+ stopped after 0 rows at /)
    expect(await look('imports', { appId: test.first.id + 1 })).to.deep.equal(['ok: no import waits'])
  })

  it('finds credentials that end', async () => {
    expect(await look('credentials')).to.deep.equal([])
    const lasts = (ms: number) => addGateway(test, 'ios', { notAfter: test.clock.now() + ms })
    for (const [ms, words] of [
      [90 * DAY_MS, 'ok: no credential expires within 30 days'],
      [12 * DAY_MS + 1, 'warning: the ios credential of app'],
      [-1, 'error: the ios credential of app'],
    ] as const) {
      await lasts(ms)
      expect((await look('credentials')).join()).to.include(words)
    }
  })

  it('finds webhooks that are off', async () => {
    expect(await look('event-readers')).to.deep.equal(['ok: everybody who reads the event log is at its end'])
    expect(await look('webhooks')).to.deep.equal(['ok: no webhook is off, failing or behind'])
    const { webhook } = await test.program.inTransaction((tx) =>
      tx.webhooks.create(test.first.id, { url: 'https://hooks.example/in' }),
    )
    await test.program.inTransaction((tx) => tx.webhooks.update(test.first.id, webhook.id, { enabled: false }))
    expect((await look('webhooks')).join())
      .to.include(`warning: webhook ${webhook.id} of app`)
      .and.include('is off')
  })

  it('finds what servers have reported, and forgets what a killed one had', async () => {
    const sentence = 'the worker deliver-1 is stuck; check the limits of the process (open files, memory)'
    const fault = { kind: 'worker' as const, about: '', sentence, since: test.clock.now() }
    await test.program.inTransaction((tx) => tx.storedFaults.store('node', [fault]))
    expect((await look('server')).join()).to.include('error: the worker deliver-1 is stuck (since ')
    const subject: Subject = { ...(await subjectOf(test.program)), inside: 'command', served: false }
    const checks = CHECKS.filter(({ name }) => name === 'server')
    const done = await repair(subject, checks, () => Promise.reject(new Error('nobody is asked')))
    expect(done.map(({ did }) => did)).to.deep.equal(['removed the faults that a server which was killed had reported'])
    expect(await test.program.storedFaults.isAny()).to.equal(false)
  })

  it('never recommends to release a database that was moved: its copy sends', async () => {
    const reason = `${MOVED}PostgreSQL at db.example, and only one of the two may send; before that: it was restored`
    await test.program.inTransaction((tx) => tx.instance.setHold({ since: test.clock.now(), reason }))
    const subject: Subject = { ...(await subjectOf(test.program)), inside: 'command', served: undefined }
    const { findings } = await examine(subject, CHECKS, { offline: true })
    const held = findings.find(({ what }) => what.includes('was moved to'))
    expect(held?.what).to.include('db.example').and.not.include('before that')
    expect(held?.remedy).to.equal('start appsvc on that copy and leave this database stopped')
    expect(findings.flatMap(({ remedy }) => remedy ?? []).filter((remedy) => remedy.includes('release'))).to.deep.equal(
      [],
    )
  })

  it('is asked in the process that serves, too', async () => {
    test.program.kernel.faults.settle([
      { kind: 'held', about: '', sentence: 'sending is held: a copy; appsvc release' },
    ])
    const { findings } = await examine(await subjectOf(test.program), CHECKS, { offline: true })
    const server = findings.filter(({ check }) => check === 'server')
    expect(server[0]).to.include({ level: 'warning', remedy: 'appsvc release' })
    expect(findings.some(({ check, what }) => check === 'limits' && what.startsWith('the server may open'))).to.equal(
      true,
    )
  })
})

onPostgres('the doctor of PostgreSQL', () => {
  it('reads its settings and finds transactions that stay open', async () => {
    const test = await openTestProgram({ kind: 'postgres' })
    const { db } = test.program.kernel
    const state = await postgresState(db)
    expect(state.versionNumber).to.be.at.least(140_000)
    expect(state).to.deep.include({ isStandby: false, invalidIndexes: [] })
    expect(await longTransactions(db, 300)).to.deep.equal([])
    const open = await openTransaction(test, ({ ledger }) => ledger.dueRuns(0, 1))
    const found = await longTransactions(db, 0)
    expect(found.map(({ program }) => program)).to.include('appsvc')
    await open.end()
    await test.close()
  })
})
