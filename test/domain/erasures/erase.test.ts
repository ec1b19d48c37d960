import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import SqliteDatabase from 'better-sqlite3'
import { expect } from 'chai'
import { restoreErasures, runErasures } from '../../../src/domain/erasures/run.ts'
import { SEARCHED } from '../../../src/domain/erasures/search.repository.ts'
import { newUuid } from '../../../src/platform/crypto/ids.ts'
import type { Areas } from '../../../src/program.ts'
import { aside } from '../../support/aside.ts'
import {
  broadcast,
  deliverDue,
  fanOut,
  scriptedSender,
  sendWithoutAnswers,
  withAndroids,
} from '../../support/delivery.ts'
import { erase, erasing, requestErasure } from '../../support/erasures.ts'
import { eventually } from '../../support/eventually.ts'
import { wholeDatabase } from '../../support/every-table.ts'
import { accept, addTemplates, addUser, handOut } from '../../support/in-app.ts'
import { addInstall } from '../../support/installs.ts'
import { onEachDatabase, openTestProgram, type TestProgram } from '../../support/program.ts'

const DAY_MS = 86_400_000
const ZOE = 'zoe-needle@example.com'
/** Everything that names or describes her. */
const NEEDLES = ['needle', 'Needle']

onEachDatabase('erasing a user', (kind) => {
  let test: TestProgram
  let appId: number
  let backups = 0
  beforeEach(async () => {
    test = await openTestProgram({ kind })
    appId = test.first.id
  })
  afterEach(() => test.close())

  const rows = (table: string) => test.program.kernel.db.read(table)
  const uploadIn = (tx: Pick<Areas, 'events'>) => (installId: string, events: object[]) =>
    tx.events.ingest(
      appId,
      installId,
      events.map((event) => ({ uuid: newUuid(), timestamp: test.clock.now(), ...event })),
    )
  const upload = (installId: string, events: object[]) =>
    test.program.inTransaction((tx) => uploadIn(tx)(installId, events))
  const run = () => runErasures(erasing(test))

  /** Her on two phones, after another person on one of them and before one on another, among a hundred others. */
  async function zoeAmongOthers(): Promise<void> {
    const { program, clock } = test
    const associate = (id: string, attributes: object) => ({
      type: 'k.stats.userAssociated',
      data: { id, attributes },
    })
    const register = (token: string) => ({ type: 'k.push.deviceRegistered', data: { token, type: 2 } })
    await program.inTransaction(async (tx) => {
      const upload = uploadIn(tx)
      for (let i = 0; i < 100; i++) {
        await upload(`i-${i}`, [register(`t-${i}`), associate(`u-${i}`, { plan: 'x'.repeat(3 * i) })])
        if (i % 10 !== 0) continue
        // Her values change and move: earlier ones must not stay behind in free space.
        await upload('needle-phone', [
          register(`needle-token-${i}`),
          associate(ZOE, { city: `needle-city-${i}${'y'.repeat(i)}` }),
          { type: 'own', data: { text: `needle-text-${i}${'z'.repeat(90 * i)}` } },
        ])
      }
      await upload('needle-tablet', [associate(ZOE, { city: 'needle-town' })])
      // The phone of Ann was once hers, and Bob's mentions her.
      await upload('ann-phone', [associate(ZOE, { city: 'needle-city' }), { type: 'own', data: {} }])
      await upload('ann-phone', [associate('ann', { city: 'Aachen' }), { type: 'own', data: {} }])
      await upload('bob-phone', [{ type: 'own', userId: ZOE, data: { note: 'needle-note' } }])
    })
    await program.inTransaction(async (tx) => {
      await tx.crm.putAttributes(appId, ZOE, { city: 'needle-burg' })
      const body = JSON.stringify({ notification: { id: 7 }, errors: { unknownUserIds: [ZOE, 'ann'] } })
      const answer = { fingerprint: 'f', status: 201, headers: '{}', body }
      await tx.idempotency.keep({ appId, caller: 'server', key: 'k' }, answer)
    })
    await broadcast(test, { target: { userIds: [ZOE, 'u-1'] }, userMeta: { [ZOE]: { seat: 'needle-seat' } } })
    await program.inTransaction((tx) =>
      tx.checkins.checkIn(appId, ZOE, {
        deviceKey: 'k'.repeat(32),
        location: 'needle-bar',
        partySize: 1,
        timezone: null,
        contacts: [{ lastName: 'Needle', firstName: null, emailAddress: null, smsNumber: null, meta: null }],
      }),
    )
    await program.kernel.db.write(async (trx) => {
      const at = { happened_at: 1, received_at: clock.now() }
      const report = { source: 'acra', report_id: 'r', platform: 'android', fingerprint: 'f', size: 1, report: '{}' }
      await trx('crash_reports').insert({
        app_id: appId,
        install_id: 'needle-phone',
        message: 'needle',
        ...report,
        ...at,
      })
    })
  }

  /** Finds the places of the needles: in the files of SQLite, byte by byte; in the rows of PostgreSQL. */
  async function found(): Promise<string[]> {
    const { db } = test.program.kernel
    if (kind === 'postgres') {
      const tables = await wholeDatabase(db.read)
      return [...tables].flatMap(([table, all]) =>
        all.some((row) => NEEDLES.some((needle) => row.includes(needle))) ? [table] : [],
      )
    }
    const backup = new SqliteDatabase(join(test.dir, 'appsvc.sqlite'))
    backup.prepare('VACUUM INTO ?').run(join(test.dir, `backup-${++backups}.sqlite`))
    backup.close()
    const others = (name: string) => !name.startsWith('backup') || name === `backup-${backups}.sqlite`
    const files = readdirSync(test.dir, { recursive: true })
      .filter((name) => others(String(name)))
      .map((name) => join(test.dir, String(name)))
    return files.filter((file) => {
      if (!statSync(file).isFile()) return false
      const bytes = readFileSync(file)
      return NEEDLES.some((needle) => bytes.includes(needle))
    })
  }

  it('leaves no byte of them, and tells those who read the event log whom', async () => {
    await zoeAmongOthers()
    expect(await found()).to.have.length.greaterThan(0)
    const others = await rows('events').whereNot({ user_identifier: ZOE }).whereLike('user_identifier', 'u-%')
    expect(await erase(test, ZOE)).to.equal('done')
    expect(await found()).to.deep.equal([])
    const told = async () => (await test.program.eventLog.read({ appId, types: ['user.erased'], limit: 10 })).events
    expect((await told()).map(({ userIdentifier, data }) => [userIdentifier, data])).to.deep.equal([[ZOE, null]])

    test.clock.advance(31 * DAY_MS)
    await test.program.inTransaction((tx) => tx.erasures.forgetEvents(10))
    expect(await told()).to.deep.equal([])

    // Nobody else lost anything.
    expect(await rows('events').whereLike('user_identifier', 'u-%')).to.have.length(others.length)
    expect((await test.program.crm.showUser(appId, 'ann')).attributes).to.deep.equal({ city: 'Aachen' })
    expect((await test.program.crm.listUsers(appId, 1, 10)).total).to.equal(102)
    const [{ filters }] = await rows('notifications').select('filters')
    expect(JSON.parse(filters)).to.deep.equal({ userIds: ['u-1'] })
    const [{ body }] = await rows('idempotency_keys').select('body')
    expect(JSON.parse(body)).to.deep.equal({ notification: { id: 7 }, errors: { unknownUserIds: ['erased', 'ann'] } })
  })

  it('takes a user with more events than a step may delete, and lets others write between the steps', async () => {
    await addInstall(test.program, appId, 'phone', { user: ZOE })
    for (let i = 0; i < 5; i++)
      await upload(
        'phone',
        Array.from({ length: 200 }, () => ({ type: 'own', data: {} })),
      )
    await requestErasure(test, ZOE)
    let slices = 0
    await runErasures({ ...erasing(test), look: () => void slices++ })
    expect(slices).to.be.greaterThan(3)
    expect(await rows('events').pluck('type')).to.deep.equal(['user.erased'])
  })

  it('makes a new anonymous user of a device that goes on', async () => {
    await addInstall(test.program, appId, 'phone', { user: ZOE })
    await erase(test, ZOE)
    await upload('phone', [{ type: 'own', data: {} }])
    const { users } = await test.program.crm.listUsers(appId, 1, 10)
    const names = []
    for await (const { identifier, installs } of users) names.push([identifier, installs.length])
    expect(names).to.deep.equal([['phone', 1]])
  })

  it('waits for a page that a worker has claimed, and nothing is sent afterwards', async () => {
    await withAndroids(test, 3)
    await upload('install-1', [{ type: 'k.stats.userAssociated', data: { id: ZOE } }])
    await broadcast(test)
    const working = await sendWithoutAnswers(test, 1, () => ({ kind: 'accepted' }), { chunk: 1 })
    const id = await requestErasure(test, ZOE)
    expect(await run(), 'waits').to.equal(1)
    expect((await test.program.erasures.get(appId, id)).state).to.equal('erasing')
    await working.release()
    expect(await run()).to.equal(0)
    const { sender, sent } = scriptedSender(() => ({ kind: 'accepted' }))
    await deliverDue(test, sender)
    expect([...working.sent, ...sent].filter((token) => token === 'token-1')).to.have.length(
      working.sent.filter((token) => token === 'token-1').length,
    )
    expect(sent).to.not.include('token-1')
  })

  it('does not disturb a push and an in-app message that had found the user before', async () => {
    await withAndroids(test, 2)
    await upload('install-1', [{ type: 'k.stats.userAssociated', data: { id: ZOE } }])
    await addTemplates(test)
    for (const name of [ZOE, 'ann']) await addUser(test, name)
    await broadcast(test)
    const { message } = await accept(test)
    const opened = await test.program.inAppFanOut.open(message!.id)
    const ready = await test.program.inAppFanOut.read(opened!)
    expect(await erase(test, ZOE)).to.equal('done')
    await test.program.inTransaction((tx) => tx.inAppFanOut.store(ready)).catch(() => {})
    await handOut(test)
    expect(await rows('user_messages')).to.have.length(1)
    const { sender, sent } = scriptedSender(() => ({ kind: 'accepted' }))
    await fanOut(test)
    await deliverDue(test, sender)
    expect(sent).to.deep.equal(['token-0'])
  })

  it('waits for a file of subscribers that was being read', async () => {
    const { program, clock } = test
    await program.inTransaction((tx) => tx.channels.create(appId, { uuid: 'c', name: 'C' }))
    const { id: channel } = await rows('channels').first('id')
    const file = {
      uuid: 'f',
      app_id: appId,
      channel_id: channel,
      size: 1,
      total: 1,
      created_at: clock.now(),
      updated_at: 1,
    }
    await program.kernel.db.write((trx) => trx('channel_imports').insert({ ...file, state: 'running' }))
    await requestErasure(test, ZOE)
    expect(await run()).to.equal(1)
    await program.kernel.db.write((trx) => trx('channel_imports').update({ state: 'done' }))
    expect(await run()).to.equal(0)
  })

  /** A scheduled message to her and another person, with a push. */
  async function scheduledToBoth(): Promise<{ id: number; push: number }> {
    await addTemplates(test)
    for (const name of [ZOE, 'bob', 'eve']) await addUser(test, name, { subscribed: true })
    const schedule = { strategy: 'utc', sendAt: '2030-01-01 12:00', pastTimes: 'ignore' }
    const notification = { title: 'News', message: 'Look inside' }
    const { message } = await accept(test, { schedule, notification, target: { userIds: [ZOE, 'bob'] } })
    return { id: message!.id, push: message!.notificationId! }
  }
  const filters = async () => [
    ...(await rows('in_app_messages').pluck('filters')),
    ...(await rows('notifications').pluck('filters')),
  ]

  it('takes a name also out of a scheduled message that is edited meanwhile, and out of its push', async () => {
    const { id } = await scheduledToBoth()
    await requestErasure(test, ZOE)
    let edits = 0
    // When the name is out of one of the two.
    const look = async () => {
      const named = (await filters()).filter((text) => text.includes(ZOE))
      if (named.length !== 1 || edits++ > 0) return
      await test.program.inTransaction((tx) => tx.inAppEdits.edit(appId, id, { labels: ['edited'] }))
    }
    expect(await runErasures({ ...erasing(test), look })).to.equal(0)
    expect(edits).to.be.greaterThan(0)
    expect(await filters()).to.deep.equal(['{"userIds":["bob"]}', '{"userIds":["bob"]}'])
  })

  it('leaves alone the target that an edit stores while a name is taken out', async () => {
    const { id, push } = await scheduledToBoth()
    const places = SEARCHED.flatMap((one, i): [number, number][] =>
      one.table === 'in_app_messages' ? [[i, id]] : one.table === 'notifications' ? [[i, push]] : [],
    )
    const { program } = test
    const takings: Promise<unknown>[] = []
    await program.inTransaction(async (tx) => {
      await tx.inAppEdits.edit(appId, id, { target: { userIds: ['eve'] } })
      for (const [table, place] of places) {
        takings.push(
          aside(() => program.inTransaction(({ erasures }) => erasures.takeOut(appId, table, [ZOE], [place]))),
        )
      }
      if (kind === 'sqlite') return
      const isWaiting = async () =>
        (await aside(() => rows('pg_locks').where({ granted: false }).select('pid'))).length >= places.length
      await eventually(isWaiting, 'both wait for the edit')
    })
    await Promise.all(takings)
    expect(await filters()).to.deep.equal(['{"userIds":["eve"]}', '{"userIds":["eve"]}'])
  })

  it('is one erasure however often it is asked for, until it is done', async () => {
    const first = await requestErasure(test, ZOE)
    expect(await requestErasure(test, ZOE)).to.equal(first)
    await run()
    expect(await requestErasure(test, ZOE)).to.not.equal(first)
  })

  it('is repeated after a restore for those who were there before, and not for those who came later', async () => {
    const { program, first } = test
    await addInstall(program, appId, 'phone', { user: ZOE })
    await erase(test, ZOE)
    // The backup that is restored is older than the erasure; the file beside it is not.
    await program.kernel.db.write((trx) => trx('erasures').delete())
    const user = async (name: string, createdAt: number) => {
      await addInstall(program, first.id, `${name}-phone`, { user: name })
      await program.kernel.db.write((trx) => trx('users').where({ identifier: name }).update({ created_at: createdAt }))
    }
    await user(ZOE, test.clock.now() - 1000)
    await user('ann', test.clock.now() - 1000)
    expect(await restoreErasures(erasing(test))).to.equal(1)
    expect(await run()).to.equal(0)
    expect(await rows('users').where({ identifier: ZOE })).to.deep.equal([])
    expect(await rows('users').where({ identifier: 'ann' })).to.have.length(1)

    await program.kernel.db.write((trx) => trx('erasures').delete())
    await user(ZOE, test.clock.now() + 1000)
    await restoreErasures(erasing(test))
    expect(await run()).to.equal(0)
    expect(await rows('users').where({ identifier: ZOE })).to.have.length(1)
  })
})
