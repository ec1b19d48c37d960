import { expect } from 'chai'
import { cancelNotification } from '../../src/domain/notifications/cancel.ts'
import { AppError } from '../../src/platform/errors.ts'
import { type Failpoint, hearFailpoints } from '../../src/platform/process/failpoints.ts'
import { deliver } from '../../src/workers/jobs/deliver.ts'
import { fanOutDue } from '../../src/workers/jobs/fan-out.ts'
import { androidToken } from '../support/appliance.ts'
import { aside } from '../support/aside.ts'
import { chance, seedOf } from '../support/chance.ts'
import { acceptBroadcast } from '../support/delivery.ts'
import { many } from '../support/depth.ts'
import { eventually } from '../support/eventually.ts'
import { type GatewayWorld, openGatewayWorld } from '../support/gateway-world.ts'
import { work } from '../support/mortal.ts'
import { onEachDatabase } from '../support/program.ts'
import { PROGRAMS_MS } from '../support/programs.ts'

const ANDROIDS = 40
const CHUNK = 2
const PAGE = 10
/** Each place twice; on PostgreSQL, where a race costs three times as much, once. From `.ci/run` on twice as often. */
const RACES = { sqlite: many(12, { whole: 24, long: 80 }), postgres: many(6, { whole: 12, long: 80 }) }
const SEED = seedOf(20_261_128)

/** Places where a cancel begins: the place that the loops pass, and how often at least they pass it while nobody cancels. */
const PLACES: [Failpoint, number][] = [
  ['dispatch.read', 1],
  ['dispatch.stepped', 1],
  ['deliver.claimed', ANDROIDS / PAGE],
  ['deliver.begun', ANDROIDS / CHUNK],
  ['deliver.answered', ANDROIDS / PAGE],
  ['deliver.recorded', ANDROIDS / PAGE],
]

/** The loops of worker threads and a gateway over real connections; the domain's own races are in test/domain/notifications/cancel.test.ts. */
onEachDatabase('cancelling while the loops send', function (kind) {
  this.timeout(PROGRAMS_MS)
  const count = RACES[kind]
  let world: GatewayWorld
  let working: Promise<void> | undefined
  let stop: AbortController
  before(async () => {
    // Small pages and chunks, so that a notification is under way for many turns.
    const settings = { 'delivery.chunk': String(CHUNK), 'delivery.pageSize': String(PAGE) }
    world = await openGatewayWorld({ kind, androids: ANDROIDS, byHand: true, settings })
  })
  beforeEach(() => {
    stop = new AbortController()
  })
  afterEach(endLoops)
  after(() => world.close())

  function startLoops(): void {
    working = work({ program: world.test.program, owner: 'races', signal: stop.signal }, [fanOutDue, deliver])
  }
  async function endLoops(): Promise<void> {
    stop.abort()
    await working
  }

  const receivers = (id: number) =>
    Array.from({ length: ANDROIDS }, (_, i) => world.sandbox.countOf(androidToken(i), String(id))).reduce(
      (sum, count) => sum + count,
      0,
    )

  /** Cancels; tells whether it was cancelled, and who had got it when that was said. */
  async function cancel(id: number): Promise<{ isCancelled: boolean; had: number }> {
    const { program, clock, first } = world.test
    let isCancelled = true
    await cancelNotification({ read: program, inTransaction: program.inTransaction, clock }, first.id, id).catch(
      (error) => {
        if (!(error instanceof AppError) || error.code !== 'bad_request') throw error
        isCancelled = false
      },
    )
    return { isCancelled, had: receivers(id) }
  }

  /** Waits until the loops have nothing more to do for anybody. */
  async function quiet(): Promise<void> {
    const { program, clock } = world.test
    await eventually(async () => (await program.ledger.dueRuns(clock.now(), 1)).length === 0, 'it is fanned out')
    await world.quiet()
  }

  /** Cancels it when the loops pass a place for the nth time, and some turns of the event loop later; behind all when they do not. */
  async function race(accept: () => Promise<number>, place: Failpoint, nth: number, turns: number) {
    const { program } = world.test
    const id = await accept()
    let left = nth
    let stopping: ReturnType<typeof cancel> | undefined
    const hearNoMore = hearFailpoints((name) => {
      if (name !== place || --left !== 0) return
      stopping = aside(async () => {
        for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve))
        return cancel(id)
      })
    })
    try {
      program.kernel.wake()
      await quiet()
    } finally {
      hearNoMore()
    }
    const result = await (stopping ?? cancel(id))
    await quiet()
    return { id, ...result }
  }

  /** One before all, one at each of the moments, and one behind all. */
  async function* races(accept: () => Promise<number>) {
    const pick = chance(SEED)
    const early = await accept()
    yield { id: early, ...(await cancel(early)), says: 'before all' }
    startLoops()
    for (let i = 0; i < count; i++) {
      const [place, most] = PLACES[i % PLACES.length]!
      const nth = 1 + pick(most)
      const turns = pick(2) * pick(40)
      const says = `seed ${SEED}, race ${i}: ${turns} turns behind ${place}:${nth}`
      yield { ...(await race(accept, place, nth, turns)), says }
    }
    yield { ...(await race(accept, 'dispatch.read', Infinity, 0)), says: 'behind all' }
  }

  it(`an immediate one is sent to nobody when it is cancelled, to everybody when that is refused, in ${count} races`, async () => {
    const cancelled: boolean[] = []
    for await (const { id, isCancelled, says } of races(() => acceptBroadcast(world.test))) {
      cancelled.push(isCancelled)
      expect(receivers(id), says).to.equal(isCancelled ? 0 : ANDROIDS)
    }
    expect([cancelled[0], cancelled.at(-1)]).to.deep.equal([true, false])
  })

  it(`a local one that is under way stops where it is, in ${count} races`, async () => {
    const { program, clock, first } = world.test
    // Due at the beginning of a minute in the zone of all, later for one in the west.
    const minute = Math.ceil(clock.now() / 60_000) * 60_000
    clock.set(minute)
    const data = { device: { tz: 'Pacific/Pago_Pago' } }
    await program.inTransaction((tx) =>
      tx.events.ingest(first.id, 'west', [
        { type: 'k.stats.installTracked', uuid: '1', timestamp: minute, data },
        { type: 'k.push.deviceRegistered', uuid: '2', timestamp: minute, data: { type: 2, token: 'west' } },
      ]),
    )
    const sendAt = new Date(minute).toISOString().slice(0, 16).replace('T', ' ')
    const local = { schedule: { sendAt, strategy: 'local', pastTimes: 'ignore' } }
    const reached: number[] = []
    for await (const { id, isCancelled, had, says } of races(() => acceptBroadcast(world.test, local))) {
      expect(isCancelled, says).to.equal(true)
      expect(receivers(id), `${says}: sent after the cancel`).to.equal(had)
      expect(await world.counts(id), says).to.include({ accepted: had, pending: 0 })
      reached.push(had)
    }
    expect([reached[0], reached.at(-1)]).to.deep.equal([0, ANDROIDS])
    // In the middle, too.
    expect(reached.some((count) => count > 0 && count < ANDROIDS)).to.equal(true)
  })
})
