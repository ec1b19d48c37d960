import { expect } from 'chai'
import type { StepParts, Stepped } from '../../../../src/domain/audience/walk/step.ts'
import { cancelNotification } from '../../../../src/domain/notifications/cancel.ts'
import { type FanOutAreas, stepRun } from '../../../../src/domain/notifications/fan-out/step.ts'
import { fromMessagesForm, messagesForm } from '../../../../src/domain/notifications/schema.ts'
import { SOURCE, STATUS } from '../../../../src/domain/notifications/types.ts'
import { connect } from '../../../../src/platform/db/connect.ts'
import { silentLog } from '../../../../src/platform/log/log.ts'
import { parseJson } from '../../../../src/platform/values/parse.ts'
import type { Program } from '../../../../src/program.ts'
import { createProgram } from '../../../../src/program.ts'
import { fanOut, withAndroids } from '../../../support/delivery.ts'
import { circle } from '../../../support/geofences.ts'
import { onEachDatabase, onPostgres, type TestProgram } from '../../../support/program.ts'
import { sharedDatabase } from '../../../support/shared-database.ts'

const COUNT = 40
const PAGE = 2

/** Parts for a step that runs `between` after it was read and before it is stored. */
function interrupted(program: Program, between: () => Promise<unknown>): StepParts<FanOutAreas> {
  const { open, read } = program.fanOut
  const fanOut = {
    ...program.fanOut,
    open,
    read: async (...given: Parameters<typeof read>) => {
      const ready = await read(...given)
      await between()
      return ready
    },
  }
  return { read: { fanOut, geofences: program.geofences }, inTransaction: program.inTransaction }
}

async function accept({ program, first }: TestProgram, extra: object = {}): Promise<number> {
  const body = parseJson(messagesForm, { target: { broadcast: true }, content: { title: 'T', message: 'M' }, ...extra })
  const { notification } = await program.inTransaction((tx) =>
    tx.sends.accept(first.id, SOURCE.messages, fromMessagesForm(body)),
  )
  return notification!.id
}

/** Install rows of the pages of a notification, page by page as they were stored. */
async function pagesOf({ program, first }: TestProgram, id: number): Promise<{ rows: number[]; notBefore: number }[]> {
  const stored: { id: number; first_install: number; not_before: number }[] = await program.kernel.db
    .read('pages')
    .where({ notification_id: id })
    .orderBy('id')
  const pages: { rows: number[]; notBefore: number }[] = []
  for (const page of stored) {
    const found = await program.ledger.pagesWith(first.id, id, page.first_install)
    pages.push({ rows: found.find((one) => one.id === page.id)!.rows, notBefore: page.not_before })
  }
  return pages
}

const recipientsOf = async (test: TestProgram, id: number) => (await pagesOf(test, id)).flatMap(({ rows }) => rows)

function expectEachOnce(rows: readonly number[], count: number): void {
  expect(rows).to.have.length(count)
  expect(new Set(rows).size).to.equal(count)
}

onEachDatabase('a step of a fan-out', (kind) => {
  let test: TestProgram
  const openShared = sharedDatabase(kind)
  beforeEach(async () => {
    test = await openShared({ settings: { 'delivery.pageSize': String(PAGE) } })
    await withAndroids(test, COUNT)
  })
  afterEach(() => test.close())

  const dueRun = async () => (await test.program.ledger.dueRuns(test.clock.now(), 1))[0]!
  const whole = () => ({ read: test.program, inTransaction: test.program.inTransaction })
  const cancel = (id: number) => {
    const { program, clock, first } = test
    return cancelNotification({ read: program, inTransaction: program.inTransaction, clock }, first.id, id)
  }

  it('stores the first page as soon as it is found, then several at once', async () => {
    const id = await accept(test)
    const run = await dueRun()
    expect(await stepRun(whole(), run)).to.equal('more')
    expect(await pagesOf(test, id)).to.have.length(1)
    expect(await stepRun(whole(), run)).to.equal('more')
    expect(await pagesOf(test, id)).to.have.length(9)
    await fanOut(test)
    expectEachOnce(await recipientsOf(test, id), COUNT)
  })

  it('stores nothing when the notification is cancelled after it was read', async () => {
    const id = await accept(test)
    const run = await dueRun()
    expect(
      await stepRun(
        interrupted(test.program, () => cancel(id)),
        run,
      ),
    ).to.equal('lost')
    expect(await pagesOf(test, id)).to.deep.equal([])
    expect((await test.program.notifications.get(test.first.id, id)).status).to.equal(STATUS.cancelled)
    expect(await stepRun(whole(), run)).to.equal('lost')
  })

  it('stores no more of a local send that is cancelled while it is walked', async () => {
    // Due everywhere in the zone of most at once; a later instant is to come, so that it can be cancelled.
    const id = await accept(test, { schedule: { sendAt: '2026-03-02 09:00', strategy: 'local', pastTimes: 'ignore' } })
    test.clock.set(Date.parse('2026-03-02T09:00:00Z'))
    const runs = await test.program.ledger.dueRuns(test.clock.now(), 100)
    for (const run of runs.slice(0, -1)) await stepRun(whole(), run)
    const here = runs.at(-1)!
    expect(await stepRun(whole(), here)).to.equal('more')
    const before = await recipientsOf(test, id)
    expect(before.length).to.be.within(1, COUNT - 1)
    expect(
      await stepRun(
        interrupted(test.program, () => cancel(id)),
        here,
      ),
    ).to.equal('lost')
    expect(await recipientsOf(test, id)).to.deep.equal(before)
  })

  for (const [who, moves] of [
    ['nobody', false],
    ['somebody', true],
  ] as const) {
    it(`stores nothing of a run for several due times that is cancelled or taken after it was read, at which ${who} is`, async () => {
      const { program, clock, first } = test
      const schedule = { sendAt: '2026-03-02 09:00', strategy: 'local', pastTimes: 'ignore' }
      const [cancelled, taken] = [await accept(test, { schedule }), await accept(test, { schedule })]
      const shared = async (id: number) => {
        const runs = program.kernel.db.read('runs').where({ notification_id: id, state: 'due' })
        return (await runs.orderBy('due_at').first()) as { id: number; due_at: number }
      }
      const { id: run, due_at: due } = await shared(cancelled)
      clock.set(due)
      if (moves) {
        const data = { device: { tz: 'Etc/GMT-14' } }
        const event = { type: 'k.stats.installTracked', uuid: 'moved', timestamp: clock.now(), data }
        await program.inTransaction((tx) => tx.events.ingest(first.id, 'install-0', [event]))
      }
      const open = interrupted(program, () => cancel(cancelled))
      expect(await stepRun(open, run)).to.equal('lost')
      const left = () => program.kernel.db.read('runs').where({ notification_id: cancelled, state: 'due' })
      expect(await left()).to.deep.equal([])

      const other = (await shared(taken)).id
      const twice = interrupted(program, () => stepRun(whole(), other))
      expect(await stepRun(twice, other)).to.equal('lost')
      const here = program.kernel.db.read('runs').where({ notification_id: taken, due_at: due })
      expect(await here).to.have.length(moves ? 1 : 0)
      await fanOut(test)
      expect(await recipientsOf(test, taken)).to.have.length(moves ? 1 : 0)
    })
  }

  it('is stored once when two have read it', async () => {
    const id = await accept(test)
    const run = await dueRun()
    for (let outcome: Stepped = 'more'; outcome === 'more'; ) {
      let other: Stepped | undefined
      const between = async () => {
        other = await stepRun(whole(), run)
      }
      expect(await stepRun(interrupted(test.program, between), run)).to.equal('lost')
      outcome = other!
    }
    expectEachOnce(await recipientsOf(test, id), COUNT)
  })

  it('that is read and never stored leaves nothing behind', async () => {
    const id = await accept(test)
    const run = await dueRun()
    await stepRun(whole(), run)
    const crash = async () => {
      throw new Error('crash')
    }
    const failure = await stepRun(interrupted(test.program, crash), run).catch((error: Error) => error.message)
    expect(failure).to.equal('crash')
    await fanOut(test)
    expectEachOnce(await recipientsOf(test, id), COUNT)
  })

  it('checks again when another run of the notification reached somebody since it was read', async () => {
    const { program, clock, first } = test
    let placed = 0
    const place = async (tz: string, ...installs: string[]) => {
      for (const install of installs) {
        const event = {
          type: 'k.stats.installTracked',
          uuid: `z${++placed}`,
          timestamp: clock.now(),
          data: { device: { tz } },
        }
        await program.inTransaction((tx) => tx.events.ingest(first.id, install, [event]))
      }
    }
    await place('Asia/Tokyo', 'install-0', 'install-1')
    await place('Asia/Shanghai', 'install-2', 'install-3')
    const id = await accept(test, { schedule: { sendAt: '2026-03-02 09:00', strategy: 'local', pastTimes: 'ignore' } })
    const [tokyo, shanghai] = [Date.parse('2026-03-02T00:00:00Z'), Date.parse('2026-03-02T01:00:00Z')]
    clock.set(shanghai)
    const runAt = async (at: number) =>
      (await program.kernel.db.read('runs').where({ due_at: at }).first('id')).id as number
    await place('Asia/Shanghai', 'install-0')
    const backToTokyo = async () => {
      await place('Asia/Tokyo', 'install-0')
      await stepRun(whole(), await runAt(tokyo))
    }
    await stepRun(interrupted(program, backToTokyo), await runAt(shanghai))
    await fanOut(test)
    expectEachOnce(await recipientsOf(test, id), 4)
  })

  it('waits until a new geofence is filled', async () => {
    const { program, first, clock } = test
    const positions = Array.from({ length: COUNT }, (_, i) => [i, 52.5, 13.4])
    const installs: { id: number }[] = await program.kernel.db.read('installs').orderBy('id').select('id')
    await program.kernel.db.write((trx) =>
      trx('install_positions').insert(
        positions.map(([i, lat, lng]) => {
          return { install_row: installs[i!]!.id, app_id: first.id, lat, lng, position_at: clock.now() }
        }),
      ),
    )
    const fence = await program.inTransaction((tx) =>
      tx.geofences.create(first.id, {
        name: 'Here',
        isEnabled: true,
        tags: [],
        boundsGeoJson: circle([13.4, 52.5], 1000),
      }),
    )
    // As if there were so many that placing them takes longer than the request.
    await program.kernel.db.write(async (trx) => {
      await trx('geofence_presence').delete()
      await trx('geofences').where({ id: fence.id }).update({ settled_lat: 0, settled_row: 0 })
    })
    const id = await accept(test, { target: { geofenceIds: [fence.id] } })
    await fanOut(test)
    expectEachOnce(await recipientsOf(test, id), COUNT)
  })

  it('spreads the pages of a notification with a rate limit over the time that they take', async () => {
    const now = test.clock.now()
    const id = await accept(test, { rateLimit: 10 })
    await fanOut(test)
    const times = (await pagesOf(test, id)).map(({ notBefore }) => notBefore - now)
    // Ten at once, then two in a fifth of a second.
    expect(times).to.have.length(COUNT / PAGE)
    expect(times).to.deep.equal(times.map((_, i) => Math.max(0, (i - 5) * 200)))
  })

  it('leaves the pages of others alone', async () => {
    const id = await accept(test)
    await fanOut(test)
    const times = new Set((await pagesOf(test, id)).map(({ notBefore }) => notBefore))
    expect([...times]).to.deep.equal([test.clock.now()])
  })
})

onPostgres('two processes that fan out the same notifications', () => {
  let test: TestProgram
  let other: Program
  const openShared = sharedDatabase('postgres')
  beforeEach(async () => {
    test = await openShared({ settings: { 'delivery.pageSize': String(PAGE) } })
    await withAndroids(test, COUNT)
    const { config, clock, log, vault, db } = test.program.kernel
    const url = (db.read.client as { connectionSettings: { connectionString: string } }).connectionSettings
      .connectionString
    other = createProgram({ config, clock, log, vault, db: connect({ url, file: '', log: silentLog }) })
  })
  afterEach(async () => {
    await other.close()
    await test.close()
  })

  async function dispatchAll(program: Program): Promise<number> {
    let stored = 0
    for (;;) {
      const runs = await program.ledger.dueRuns(test.clock.now(), 16)
      if (runs.length === 0) return stored
      for (const run of runs) {
        if ((await stepRun({ read: program, inTransaction: program.inTransaction }, run)) !== 'lost') stored++
      }
    }
  }

  it('store each recipient once, of immediate ones and of local ones', async () => {
    const ids: number[] = []
    for (let i = 0; i < 4; i++) ids.push(await accept(test))
    const local = { schedule: { sendAt: '2026-03-02 09:00', strategy: 'local', pastTimes: 'ignore' } }
    for (let i = 0; i < 2; i++) ids.push(await accept(test, local))
    await test.program.kernel.db.write((trx) =>
      trx('installs').update({
        timezone: trx.raw('(CAST(? AS text[]))[1 + id % 4]', [
          ['Asia/Tokyo', 'Asia/Seoul', 'Europe/Berlin', 'UTC'] as never,
        ]),
      }),
    )
    test.clock.set(Date.parse('2026-03-02T20:00:00Z'))
    const stored = await Promise.all([dispatchAll(test.program), dispatchAll(other)])
    expect(stored[0] + stored[1]).to.be.greaterThan(0)
    for (const id of ids) {
      expectEachOnce(await recipientsOf(test, id), COUNT)
    }
  })
})
