import { expect } from 'chai'
import pg from 'pg'
import { HandlerFailed, type Manner } from '../../../src/domain/events/ingest/effects.ts'
import type { Upload } from '../../../src/domain/events/ingest/envelope.ts'
import type { IngestReport } from '../../../src/domain/events/types.ts'
import { createUploads } from '../../../src/domain/events/uploads.ts'
import { connect } from '../../../src/platform/db/connect.ts'
import { AppError, isAppError } from '../../../src/platform/errors.ts'
import { silentLog } from '../../../src/platform/log/log.ts'
import { createProgram, type Program } from '../../../src/program.ts'
import { usersPage } from '../../support/installs.ts'
import { onEachDatabase, onPostgres, openTestProgram, type TestProgram } from '../../support/program.ts'
import { sharedDatabase } from '../../support/shared-database.ts'
import { uploadedEvents } from '../../support/uploaded.ts'

const REPORT: IngestReport = { isNew: false, accepted: 0, duplicates: 0, refused: [] }

describe('uploads that share transactions', () => {
  /** Records what `ingestAll` was called with; `answer` decides how it ends. */
  function recorded(answer: (ids: string[], manner: Manner) => void = () => {}, boardingMs = 0) {
    const transactions: string[] = []
    const ingestAll = async (appId: number, list: readonly Upload[], manner: Manner) => {
      const ids = list.map(({ installId }) => installId)
      transactions.push(`${appId} ${manner}: ${ids.join(' ')}`)
      answer(ids, manner)
      return list.map((_, i) => ({ ...REPORT, accepted: i }))
    }
    const { ingest } = createUploads((work) => work({ events: { ingestAll } }), { boardingMs })
    return { transactions, ingest }
  }
  const outcome = (promise: Promise<IngestReport>) =>
    promise.then(
      ({ accepted }) => accepted,
      (error: Error) => error.message,
    )

  it('go together when they come together, apps apart, each with its own report', async () => {
    const { transactions, ingest } = recorded()
    const all = [ingest(1, 'a', []), ingest(2, 'b', []), ingest(1, 'c', []), ingest(1, 'a', [])]
    expect(await Promise.all(all.map(outcome))).to.deep.equal([0, 0, 1, 2])
    expect(transactions).to.deep.equal(['1 trusting: a c a', '2 trusting: b'])
  })

  it('are done again carefully when a handler fails', async () => {
    const { transactions, ingest } = recorded((_, manner) => {
      if (manner === 'trusting') throw new HandlerFailed('boom')
    })
    await Promise.all([ingest(1, 'a', []), ingest(1, 'b', [])])
    expect(transactions).to.deep.equal(['1 trusting: a b', '1 careful: a b'])
  })

  it('take aboard who comes before the commit, on SQLite; all are done again when somebody fails', async () => {
    for (const fails of [false, true]) {
      let later: Promise<unknown> | undefined
      const { transactions, ingest } = recorded((ids, manner) => {
        later ??= ingest(1, 'late', []).then(({ accepted }) => accepted)
        if (fails && ids.includes('late') && manner === 'trusting') throw new HandlerFailed('boom')
      }, 600_000)
      expect(await Promise.all([ingest(1, 'a', []), ingest(1, 'b', [])].map(outcome))).to.deep.equal([0, 1])
      expect(await later).to.equal(fails ? 2 : 0)
      const again = fails ? ['1 careful: a b late'] : []
      expect(transactions).to.deep.equal(['1 trusting: a b', '1 trusting: late', ...again])
    }
  })

  it('do not pay for one that fails', async () => {
    const { transactions, ingest } = recorded((ids) => {
      if (ids.includes('bad')) throw new Error('bad')
    })
    const all = ['a', 'b', 'c', 'bad', 'd', 'e', 'f', 'g'].map((id) => ingest(1, id, []))
    expect(await Promise.all(all.map(outcome))).to.deep.equal([0, 1, 0, 'bad', 0, 1, 2, 3])
    // Halved again and again: somebody who means ill makes few transactions of one.
    expect(transactions.slice(1)).to.deep.equal([
      '1 trusting: a b c bad',
      '1 trusting: a b',
      '1 trusting: c bad',
      '1 trusting: c',
      '1 trusting: bad',
      '1 trusting: d e f g',
    ])
  })

  it('all are told when the database cannot be written, and not tried again', async () => {
    const { transactions, ingest } = recorded(() => {
      throw new AppError('unavailable', 'gone')
    })
    expect(await Promise.all([ingest(1, 'a', []), ingest(1, 'b', [])].map(outcome))).to.deep.equal(['gone', 'gone'])
    expect(transactions).to.have.length(1)
    expect(await outcome(ingest(1, 'a', []))).to.equal('gone')
  })

  it('are refused by themselves when they cannot be read', async () => {
    const { transactions, ingest } = recorded()
    const codes = await Promise.all(
      [ingest(1, 'a\0', []), ingest(1, 'a', {}), ingest(1, 'a', Array.from({ length: 100_000 }))].map((one) =>
        one.then(
          () => 'taken',
          (error: unknown) => isAppError(error) && error.code,
        ),
      ),
    )
    expect(codes).to.deep.equal(['invalid', 'invalid', 'too_large'])
    expect(transactions).to.deep.equal([])
  })

  it('are no more than fit: long ones go alone, and nobody is forgotten', async () => {
    const { transactions, ingest } = recorded()
    const long = Array.from({ length: 400 }, (_, i) => ({ type: 'x', uuid: String(i), timestamp: 1 }))
    const all = [ingest(1, 'a', long), ingest(1, 'b', long)]
    for (let i = 0; i < 200; i++) all.push(ingest(1, `i${i}`, []))
    await Promise.all(all)
    expect(transactions.length).to.equal(5)
    expect(transactions.flatMap((one) => one.split(': ')[1]!.split(' '))).to.have.length(202)
  })
})

/** Users, their counts of installs, and the pages of the list agree with each other. */
async function expectConsistent({ program, first }: TestProgram): Promise<void> {
  const { read } = program.kernel.db
  const users: { id: number; anonymous: unknown; listed: unknown; install_count: number }[] = await read('users')
  const installs: { user_id: number }[] = await read('installs')
  const counts = Map.groupBy(installs, (row) => row.user_id)
  for (const { id, anonymous, listed, install_count: count } of users) {
    expect(count).to.equal(counts.get(id)?.length ?? 0)
    expect(Boolean(listed)).to.equal(!anonymous || count > 0)
  }
  const page = await usersPage(program, first.id, 1, 1000)
  expect(page.total).to.equal(users.filter(({ listed }) => listed).length)
  expect(page.users).to.have.length(page.total)
}

onEachDatabase('uploads at once', (kind) => {
  let test: TestProgram
  let appId: number
  let now: number
  const openShared = sharedDatabase(kind)
  beforeEach(async () => {
    test = await openShared()
    appId = test.first.id
    now = test.clock.now()
  })
  afterEach(() => test.close())

  let last = 0
  const event = (type: string, data?: object, uuid = `uuid-${++last}`) => ({ type, uuid, timestamp: now, data })
  const upload = (installId: string, ...events: object[]) => test.program.uploads.ingest(appId, installId, events)
  const stored = () => uploadedEvents(test.program, appId)
  const user = (identifier: string) => test.program.crm.showUser(appId, identifier)

  it('of many installs, known and new, are each what they would be alone', async () => {
    await upload('i0', event('k.stats.userAssociated', { id: 'anna' }))
    await upload('i1')
    const reports = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        upload(`i${i}`, event('k.fg'), event('shop.viewed', { product: i }), { type: 'no uuid' }),
      ),
    )
    for (const report of reports) {
      expect(report).to.deep.include({ accepted: 2, duplicates: 0 })
      expect(report.refused).to.have.length(1)
    }
    const viewed = (await stored()).filter(({ type }) => type === 'shop.viewed')
    const installs = new Map(
      (await test.program.crm.listInstalls(appId, 0, 100)).map((one) => [one.row, one.installId]),
    )
    expect(installs.size).to.equal(50)
    for (const one of viewed) {
      const installId = installs.get(one.installRow!)!
      expect(installId).to.equal(`i${one.data!.product}`)
      expect(one.userIdentifier).to.equal(installId === 'i0' ? 'anna' : installId)
    }
    expect(viewed).to.have.length(50)
    await expectConsistent(test)
  })

  it('of one new install make one install', async () => {
    const reports = await Promise.all(
      Array.from({ length: 20 }, () =>
        upload('I1', event('k.fg'), event('k.push.deviceRegistered', { token: 'T', type: 2 })),
      ),
    )
    expect(reports.reduce((sum, { accepted }) => sum + accepted, 0)).to.equal(40)
    expect(await test.program.crm.listInstalls(appId, 0, 10)).to.have.length(1)
    expect(await user('I1')).to.include({ anonymous: true, installCount: 1 })
    await expectConsistent(test)
  })

  it('of a new install leave what they leave when it was there before', async () => {
    const registered = (token: string, more = {}) => event('k.push.deviceRegistered', { token, type: 2, ...more })
    const tracked = (tz: string, at = now) => ({
      ...event('k.stats.installTracked', { app: { version: '1.10' }, device: { tz, locale: 'de-DE' }, os: { id: 3 } }),
      timestamp: at,
    })
    const off = () => event('k.push.notificationEnablementChanged', { notificationsEnabled: false })
    const cases: ((token: string) => object[])[] = [
      (token) => [event('k.fg'), tracked('Europe/Berlin'), registered(token)],
      (token) => [registered(token, { areNotificationsEnabled: false })],
      (token) => [registered(token), event('k.push.deviceUnsubscribed')],
      (token) => [event('k.push.deviceUnsubscribed'), registered(token)],
      (token) => [off(), registered(token)],
      (token) => [registered(token), off()],
      (token) => [registered(''), registered(token)],
      (token) => [registered(token, { bundleId: 'com.example.app' }), event('k.stats.userAssociated', { id: token })],
      () => [tracked('Europe/Berlin', now - 1), tracked('Asia/Tokyo', now - 2), tracked('', now + 60_000)],
      (token) => [event('a', {}, `uuid of ${token}`), { ...registered(token), uuid: `uuid of ${token}` }],
      (token) => [
        { ...registered(token), timestamp: now + 60_000 },
        { ...registered(token), timestamp: now - 1 },
      ],
    ]
    for (const [i, events] of cases.entries()) {
      await upload(`late-${i}`)
      await upload(`late-${i}`, ...events(`late-token-${i}`))
      await upload(`early-${i}`, ...events(`early-token-${i}`))
    }
    const rows: Record<string, unknown>[] = await test.program.kernel.db.read('installs').orderBy('id')
    const of = (kind: string) =>
      rows
        .filter(({ install_id: id }) => String(id).startsWith(kind))
        .map((row) => JSON.stringify({ ...row, id: 0, user_id: 0 }).replaceAll(kind, ''))
    expect(of('early')).to.deep.equal(of('late'))
    const counts: { installs: number }[] = await test.program.kernel.db.read('install_counts').where({ state: 1 })
    const reached = rows.filter(({ subscribed }) => Boolean(subscribed))
    expect(counts.reduce((sum, { installs }) => sum + installs, 0)).to.equal(reached.length)
    await expectConsistent(test)
  })

  it('of new installs with one token leave it to the last of them', async () => {
    const registered = () => event('k.push.deviceRegistered', { token: 'T', type: 2 })
    const owners = async () =>
      (await test.program.crm.listInstalls(appId, 0, 10)).flatMap((one) => (one.subscribed ? one.installId : []))
    await Promise.all([upload('a', registered()), upload('b', registered())])
    expect(await owners()).to.deep.equal(['b'])
    await upload('c', registered())
    expect(await owners()).to.deep.equal(['c'])
    await Promise.all([upload('a', registered()), upload('d', registered())])
    expect(await owners()).to.deep.equal(['d'])
  })

  it('with the same events store each once, whatever comes with them', async () => {
    const shared = Array.from({ length: 10 }, (_, i) => event('same', undefined, `same-${i}`))
    const reports = await Promise.all(
      Array.from({ length: 20 }, (_, i) => upload('I1', ...shared, ...shared, event('own', { i }))),
    )
    expect(reports.reduce((sum, { accepted }) => sum + accepted, 0)).to.equal(30)
    expect(reports.reduce((sum, { duplicates }) => sum + duplicates, 0)).to.equal(20 * 21 - 30)
    expect(await stored()).to.have.length(30)
  })

  it('one whose handler fails is stored without its effect, and the others have theirs', async () => {
    await Promise.all([
      upload('a', event('k.stats.userAssociated', { id: 'anna' })),
      upload('b', event('k.stats.userAssociated', { id: 'x'.repeat(300) })),
      upload('c', event('k.push.deviceRegistered', { token: '' }), event('k.stats.userAssociated', { id: 'carl' })),
      upload('d', event('k.engage.locationUpdated', { lat: 100, lng: 0 })),
    ])
    expect(await stored()).to.have.length(5)
    expect(await user('anna')).to.include({ installCount: 1 })
    expect(await user('b')).to.include({ installCount: 1, anonymous: true })
    expect(await user('carl')).to.include({ installCount: 1 })
    await expectConsistent(test)
  })

  it('that name the same user make one user with all installs', async () => {
    const names = Array.from({ length: 30 }, (_, i) => `i${i}`)
    await Promise.all(names.map((id) => upload(id, event('k.stats.userAssociated', { id: 'anna' }))))
    expect(await user('anna')).to.include({ installCount: 30, anonymous: false })
    await expectConsistent(test)
  })

  it('of one install take effect in the order in which they came', async () => {
    await Promise.all(['anna', 'berta', 'carl'].map((id) => upload('I1', event('k.stats.userAssociated', { id }))))
    expect(await test.program.crm.showInstall(appId, 'I1')).to.include({ userIdentifier: 'carl' })
    await expectConsistent(test)
  })

  it('count the hours of a user who is active on several installs once an hour', async () => {
    await Promise.all(['a', 'b'].map((id) => upload(id, event('k.stats.userAssociated', { id: 'anna' }))))
    await Promise.all(['a', 'b', 'a'].map((id) => upload(id, event('k.fg'))))
    const rows = await test.program.kernel.db.read('active_hours')
    expect(rows).to.have.length(1)
    const counts = (JSON.parse(rows[0].counts) as number[][]).flat()
    expect(counts.reduce((sum, n) => sum + n, 0)).to.equal(1)
  })
})

onPostgres('uploads of two nodes at once', () => {
  it("all end well, though they get into each other's way, and what they leave behind agrees", async () => {
    let url = ''
    const one = await openTestProgram({
      kind: 'postgres',
      async via(given) {
        // Transactions that wait for each other in a circle are told so after a second by default.
        const client = new pg.Client({ connectionString: given })
        await client.connect()
        await client.query(`ALTER DATABASE ${new URL(given).pathname.slice(1)} SET deadlock_timeout = '20ms'`)
        await client.end()
        return (url = given)
      },
    })
    const db = connect({ url, file: '', log: silentLog })
    const two = createProgram({ ...one.program.kernel, db })
    try {
      const { first, clock } = one
      let uuid = 0
      const event = (type: string, data?: object) => ({
        type,
        uuid: String(++uuid),
        timestamp: clock.now() + uuid,
        data,
      })
      // Some installs on both nodes; users on both, and push tokens that go from hand to hand.
      const send = (node: Program, i: number) =>
        node.uploads.ingest(first.id, `i${i}`, [
          event('k.fg'),
          event('k.push.deviceRegistered', { token: `token-${i % 4}`, type: 2 }),
          event('k.stats.userAssociated', { id: `user-${i % 3}` }),
          event('k.engage.locationUpdated', { lat: i, lng: i }),
        ])
      const mine = Array.from({ length: 10 }, (_, i) => i)
      const theirs = mine.map((i) => 15 - i)
      let accepted = 0
      for (let round = 0; round < 3; round++) {
        const installs = round === 1 ? 10 : 8
        const calls = [
          ...mine.slice(0, installs).map((i) => send(one.program, i)),
          ...theirs.slice(0, installs).map((i) => send(two, i)),
        ]
        for (const report of await Promise.all(calls)) accepted += report.accepted
      }
      expect(accepted).to.equal((16 + 20 + 16) * 4)
      expect(await uploadedEvents(one.program, first.id)).to.have.length(accepted)
      await expectConsistent(one)
      const { read } = one.program.kernel.db
      expect(await read('installs')).to.have.length(16)
      const tokens = await read('installs').whereNotNull('token').pluck('token')
      expect(tokens).to.have.members(['token-0', 'token-1', 'token-2', 'token-3'])
    } finally {
      await two.close()
      await one.close()
    }
  })
})
