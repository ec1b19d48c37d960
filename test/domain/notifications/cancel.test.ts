import { expect } from 'chai'
import { cancelNotification } from '../../../src/domain/notifications/cancel.ts'
import { stepRun } from '../../../src/domain/notifications/fan-out/step.ts'
import { fromMessagesForm, messagesForm } from '../../../src/domain/notifications/schema.ts'
import { SOURCE, STATUS } from '../../../src/domain/notifications/types.ts'
import { AppError } from '../../../src/platform/errors.ts'
import { parseJson } from '../../../src/platform/values/parse.ts'
import { aside } from '../../support/aside.ts'
import { chance, seedOf } from '../../support/chance.ts'
import { deliverDue, fanOut, scriptedSender, withAndroids } from '../../support/delivery.ts'
import { many } from '../../support/depth.ts'
import { hear } from '../../support/hear.ts'
import { onEachDatabase, type TestProgram } from '../../support/program.ts'
import { sharedDatabase } from '../../support/shared-database.ts'

const RACES = many(60, { long: 500 })
const SEED = seedOf(20_260_302)

onEachDatabase('cancelling a notification', (kind) => {
  let test: TestProgram
  const openShared = sharedDatabase(kind)
  beforeEach(async () => {
    test = await openShared()
    await withAndroids(test, 3)
  })
  afterEach(() => test.close())

  async function accept(
    extra: object = { schedule: { sendAt: '2026-03-01 12:30', strategy: 'utc', pastTimes: 'ignore' } },
  ) {
    const { program, first } = test
    const body = parseJson(messagesForm, {
      target: { broadcast: true },
      content: { title: 'T', message: 'M' },
      ...extra,
    })
    const { notification } = await program.inTransaction((tx) =>
      tx.sends.accept(first.id, SOURCE.messages, fromMessagesForm(body)),
    )
    return notification!.id
  }

  /** Undefined when it was cancelled, else the code of the refusal. */
  async function cancel(id: number, { appId = test.first.id, waitMs = 5000 } = {}): Promise<string | undefined> {
    const { program, clock } = test
    try {
      await cancelNotification({ read: program, inTransaction: program.inTransaction, clock }, appId, id, waitMs)
      return undefined
    } catch (error) {
      if (error instanceof AppError) return error.code
      throw error
    }
  }

  async function moveTo(tz: string, ...installIds: string[]): Promise<void> {
    for (const installId of installIds) {
      const event = { type: 'k.stats.installTracked', uuid: 'z', timestamp: test.clock.now(), data: { device: { tz } } }
      await test.program.inTransaction((tx) => tx.events.ingest(test.first.id, installId, [event]))
    }
  }

  const statusOf = async (id: number) => (await test.program.notifications.get(test.first.id, id)).status

  it('keeps everything of it from being sent', async () => {
    const id = await accept()
    expect(await cancel(id)).to.equal(undefined)
    expect(await statusOf(id)).to.equal(STATUS.cancelled)
    test.clock.advance(2 * 3_600_000)
    const { sender, sent } = scriptedSender(() => ({ kind: 'accepted' }))
    await fanOut(test)
    await deliverDue(test, sender)
    expect(sent).to.deep.equal([])
    expect(await test.program.ledger.nextRunAt()).to.equal(undefined)
  })

  it('is refused when it was cancelled, sent or begun for the last time', async () => {
    const id = await accept()
    await cancel(id)
    expect(await cancel(id)).to.equal('bad_request')
    const begun = await accept({})
    await fanOut(test)
    expect(await cancel(begun)).to.equal('bad_request')
    const { sender } = scriptedSender(() => ({ kind: 'accepted' }))
    await deliverDue(test, sender)
    expect(await statusOf(begun)).to.equal(STATUS.sent)
    expect(await cancel(begun)).to.equal('bad_request')
  })

  it('works for an immediate one that has not begun', async () => {
    expect(await cancel(await accept({}))).to.equal(undefined)
  })

  it('says of one that is unknown or of another app that there is none', async () => {
    const id = await accept()
    const other = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Second' }))
    expect(await cancel(id, { appId: other.id })).to.equal('not_found')
    expect(await cancel(id + 1)).to.equal('not_found')
    expect(await statusOf(id)).to.equal(STATUS.scheduled)
  })

  it('stops a local one that is under way in the east for the rest', async () => {
    await moveTo('Asia/Tokyo', 'install-0')
    const id = await accept({ schedule: { sendAt: '2026-03-02 09:00', strategy: 'local', pastTimes: 'ignore' } })
    const { sender, sent } = scriptedSender(() => ({ kind: 'accepted' }))
    test.clock.set(Date.parse('2026-03-02T00:00:00Z'))
    await fanOut(test)
    await deliverDue(test, sender)
    expect(sent).to.deep.equal(['token-0'])
    expect(await cancel(id)).to.equal(undefined)
    test.clock.advance(20 * 3_600_000)
    await fanOut(test)
    await deliverDue(test, sender)
    expect(sent).to.deep.equal(['token-0'])
    const { notification, counts } = await test.program.notifications.report(test.first.id, id)
    expect(notification.status).to.equal(STATUS.cancelled)
    expect(counts).to.include({ audience: 1, accepted: 1, pending: 0 })
  })

  /** A local one of which the first install is on its way, and the way to let its answer come. */
  async function underWay() {
    await moveTo('Asia/Tokyo', 'install-0')
    const id = await accept({ schedule: { sendAt: '2026-03-02 09:00', strategy: 'local', pastTimes: 'ignore' } })
    test.clock.set(Date.parse('2026-03-02T00:00:00Z'))
    await fanOut(test)
    const answer = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    const { sender } = scriptedSender(async () => {
      begun.resolve()
      await answer.promise
      return { kind: 'accepted' }
    })
    const delivered = deliverDue(test, sender)
    await begun.promise
    return { id, answer, delivered }
  }

  it('waits for requests that are on their way', async () => {
    const { id, answer, delivered } = await underWay()
    let isCancelled = false
    const cancelled = cancel(id).then((code) => {
      isCancelled = true
      return code
    })
    // The cancel is committed long before it answers.
    while ((await statusOf(id)) !== STATUS.cancelled) await test.clock.sleep(1)
    expect(isCancelled).to.equal(false)
    answer.resolve()
    expect(await cancelled).to.equal(undefined)
    await delivered
    expect((await test.program.ledger.counts(test.first.id, id)).accepted).to.equal(1)
  })

  it('does not answer that nothing is sent any more while that is not sure', async () => {
    const { id, answer, delivered } = await underWay()
    expect(await cancel(id, { waitMs: 0 })).to.equal('unavailable')
    expect(await statusOf(id)).to.equal(STATUS.cancelled)
    answer.resolve()
    await delivered
  })

  /**
   * A race of a cancel with the dispatch. The cancel begins when so many statements of the dispatch have been answered, and some turns of the event loop
   * have passed: so each moment between two of its statements is met, however fast the machine is. It is over before the dispatch when
   * `after` is 0, and comes behind all of it when there are fewer. Who was sent to, before the cancel answered and in the end.
   */
  async function race(id: number, { after, turns = 0 }: { after: number; turns?: number }) {
    const { program, clock } = test
    const { sender, sent } = scriptedSender(() => ({ kind: 'accepted' }))
    let before: string[] = []
    const stop = async () => {
      for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve))
      const refused = await cancel(id)
      before = [...sent]
      return refused
    }
    let stopping = after === 0 ? stop() : undefined
    await stopping
    let statements = 0
    const end = hear(program.kernel.db, () => {
      statements++
      if (statements < after || stopping) return
      stopping = aside(stop)
    })
    for (const run of await program.ledger.dueRuns(clock.now(), 10)) {
      while ((await stepRun({ read: program, inTransaction: program.inTransaction }, run)) === 'more');
    }
    await deliverDue(test, sender, { chunk: 1 })
    end()
    const refused = await (stopping ?? stop())
    return { refused, before, sent, statements }
  }

  /** The moments at which a cancel comes: spread over all of a dispatch, and each at some distance from its statement. */
  async function* moments(accepted: () => Promise<number>) {
    const pick = chance(SEED)
    yield { id: await accepted(), after: 0, says: 'before all' }
    const { statements } = await race(await accepted(), { after: Infinity })
    for (let i = 0; i < RACES; i++) {
      const after = 1 + Math.floor((i * statements) / RACES)
      const turns = pick(2) * pick(40)
      const says = `seed ${SEED}, race ${i}: ${turns} turns behind statement ${after} of ${statements}`
      yield { id: await accepted(), after, turns, says }
    }
    yield { id: await accepted(), after: Infinity, says: 'behind all' }
  }

  it(`is exact in ${RACES} races with the dispatch of an immediate one`, async () => {
    const won: boolean[] = []
    for await (const { id, says, ...moment } of moments(() => accept({}))) {
      const { refused, sent } = await race(id, moment)
      won.push(refused === undefined)
      if (refused === undefined) {
        expect(await statusOf(id), says).to.equal(STATUS.cancelled)
        expect(sent, says).to.deep.equal([])
      } else {
        expect(refused, says).to.equal('bad_request')
        expect(sent, `${says}: refused, yet not all were sent`).to.have.length(3)
        expect(await statusOf(id), says).to.equal(STATUS.sent)
      }
    }
    expect([won[0], won.at(-1)]).to.deep.equal([true, false])
  })

  it(`is exact in ${RACES} races with a local one that is under way`, async () => {
    await moveTo('Asia/Tokyo', 'install-0', 'install-1')
    test.clock.set(Date.parse('2026-03-02T00:00:00Z'))
    const local = { schedule: { sendAt: '2026-03-02 09:00', strategy: 'local', pastTimes: 'ignore' } }
    const counts: number[] = []
    for await (const { id, says, ...moment } of moments(() => accept(local))) {
      const { refused, before, sent } = await race(id, moment)
      // The instant of UTC has not begun: it can always be cancelled.
      expect(refused, says).to.equal(undefined)
      expect(sent, `${says}: sent after the cancel`).to.deep.equal(before)
      const { accepted, pending } = await test.program.ledger.counts(test.first.id, id)
      expect({ accepted, pending }, says).to.deep.equal({ accepted: sent.length, pending: 0 })
      counts.push(sent.length)
    }
    expect([counts[0], counts.at(-1)]).to.deep.equal([0, 2])
    // Between the first request and the second, too.
    expect(counts).to.include(1)
  })
})
