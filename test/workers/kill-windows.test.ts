import { expect } from 'chai'
import { recoverPages } from '../../src/domain/notifications/deliver/recover.ts'
import { silentLog } from '../../src/platform/log/log.ts'
import { deliver } from '../../src/workers/jobs/deliver.ts'
import { fanOutDue } from '../../src/workers/jobs/fan-out.ts'
import { acceptInThreeZones, androidToken } from '../support/appliance.ts'
import { acceptBroadcast } from '../support/delivery.ts'
import { eventually } from '../support/eventually.ts'
import { type GatewayWorld, openGatewayWorld } from '../support/gateway-world.ts'
import { type Death, work, workUntil } from '../support/mortal.ts'
import { itOfShape, onEachDatabase } from '../support/program.ts'

const ANDROIDS = 200
const CHUNK = 20
const JOBS = [fanOutDue, deliver]

/** Each place of a send at which its program may end, and who may get it again then: at most those who were begun and not recorded. */
const WINDOWS: [string, Death, number][] = [
  ['between reading pages of the fan-out and storing them', 'dispatch.read:2', 2 * CHUNK],
  ['between two steps of the fan-out', 'dispatch.stepped:1', 2 * CHUNK],
  ['between claiming a page and beginning it', 'deliver.claimed:1', 0],
  ['between claiming a page and beginning it, while another is sent', 'deliver.claimed:2', 2 * CHUNK],
  ['between beginning recipients and sending to them', 'deliver.begun:3', 2 * CHUNK],
  ['between sending and recording the answers', 'deliver.answered:3', 2 * CHUNK],
  ['between closing a page and going on with the next', 'deliver.recorded:2', 2 * CHUNK],
]

/** The same for many sends to one each, whose pages share their transactions. */
const SMALL_SENDS = 3 * CHUNK
const WINDOWS_OF_SMALL: [string, Death][] = [
  ['between claiming small pages, which begins them, and sending to their recipients', 'deliver.begun:2'],
  ['between committing a claim of small pages and reading them', 'deliver.claimed:10'],
  ['between sending and recording the answers of small pages', 'deliver.answered:2'],
  ['between closing small pages and going on', 'deliver.recorded:10'],
]

/** The window that `npm test` looks into on PostgreSQL, too: claims, marks, and answers that are lost. */
const ON_BOTH_DAILY = 'deliver.answered:3'

/** That one of two nodes on PostgreSQL is killed is in takeover.test.ts. */
onEachDatabase('nobody is lost when a program ends', (kind) => {
  const itHere = itOfShape(kind)
  let world: GatewayWorld
  before(async () => {
    world = await openGatewayWorld({
      kind,
      androids: ANDROIDS,
      byHand: true,
      settings: { 'delivery.chunk': String(CHUNK), 'delivery.pageSize': '50' },
    })
    await world.test.program.inTransaction((tx) => tx.apps.setLogSettings(world.test.first.id, { deliveries: true }))
  })
  after(() => world.close())

  /** Does what the next start does first: takes back what the dead one had. */
  async function takeBack(): Promise<void> {
    const { program, clock } = world.test
    const recovery = { inTransaction: program.inTransaction, clock, log: silentLog, random: Math.random }
    await recoverPages(recovery, { all: true })
  }

  /** The next start, which goes on to the end. Time passes where somebody has to wait. */
  async function goOn(id: number): Promise<void> {
    const { program, clock } = world.test
    await takeBack()
    const stop = new AbortController()
    const working = work({ program, owner: 'next', signal: stop.signal }, JOBS)
    try {
      await eventually(async () => (await program.ledger.dueRuns(clock.now(), 1)).length === 0, 'it is fanned out')
      await world.finish(id)
    } finally {
      stop.abort()
      await working
    }
  }

  /** Counts how many got it again. Expects that everybody got it, and that the report says so. */
  async function again(id: number): Promise<number> {
    const none = { unknown: 0, pending: 0, failed: 0, expired: 0, cancelled: 0, skipped: 0 }
    expect(await world.counts(id)).to.include({ audience: ANDROIDS, accepted: ANDROIDS, ...none })
    const { notification } = await world.test.program.notifications.report(world.test.first.id, id)
    expect(notification.status).to.equal(3)
    const { lost, extra } = world.receptions(id)
    expect(lost, 'lost').to.equal(0)
    return extra
  }

  /** Expects an entry in the event log for each closed page and for no other; returns how many recipients these have. */
  async function loggedRecipients(): Promise<number> {
    const { db } = world.test.program.kernel
    const closed: { id: number; fence: number }[] = await db
      .read('pages')
      .where({ state: 'done' })
      .whereRaw('total > moved')
      .select('id', 'fence')
    const entries: { uuid: string; data: string }[] = await db.read('events').where({ type: '' }).select('uuid', 'data')
    expect(entries.map(({ uuid }) => uuid)).to.have.members(closed.map(({ id, fence }) => `page-${id}-${fence}`))
    const counts = entries.map(({ data }) => (JSON.parse(data) as { recipients: number }).recipients)
    return counts.reduce((sum, count) => sum + count, 0)
  }

  for (const [what, death, mostTwice] of WINDOWS) {
    const itOfWindow = death === ON_BOTH_DAILY ? it : itHere
    itOfWindow(what, async () => {
      const logged = await loggedRecipients()
      const id = await acceptBroadcast(world.test)
      await workUntil(world.test, death, JOBS)
      expect((await world.counts(id)).accepted).to.be.below(ANDROIDS)
      await loggedRecipients()
      await goOn(id)
      expect(await again(id), 'got it again').to.be.at.most(mostTwice)
      expect((await loggedRecipients()) - logged).to.equal(ANDROIDS)
    })
  }

  for (const [what, death] of WINDOWS_OF_SMALL) {
    itHere(`${what}, and each report is final`, async () => {
      const ids: number[] = []
      for (let i = 0; i < SMALL_SENDS; i++)
        ids.push(await acceptBroadcast(world.test, { target: { installIds: [`install-${i}`] } }))
      await workUntil(world.test, death, JOBS)
      await takeBack()
      // Those in doubt wait for a quarter of a minute at most, each for its own time.
      world.test.clock.advance(15_000)
      const stop = new AbortController()
      const working = work({ program: world.test.program, owner: 'next', signal: stop.signal }, JOBS)
      try {
        for (const id of ids) if ((await world.counts(id)).pending > 0) await world.finish(id)
      } finally {
        stop.abort()
        await working
      }
      let extra = 0
      for (const [i, id] of ids.entries()) {
        expect(await world.counts(id)).to.include({ audience: 1, accepted: 1, unknown: 0, pending: 0 })
        const { notification } = await world.test.program.notifications.report(world.test.first.id, id)
        expect(notification.status).to.equal(3)
        const got = world.sandbox.countOf(androidToken(i), String(id))
        expect(got, `send ${i}`).to.be.at.least(1)
        extra += got - 1
      }
      expect(extra, 'got it again').to.be.at.most(2 * CHUNK)
    })
  }

  itHere('three times while a local time comes in several zones, whose fan-outs go side by side', async () => {
    const { test } = world
    const id = await acceptInThreeZones({
      first: test.first,
      async inside(act, clock) {
        const now = test.clock.now()
        test.clock.set(clock!.now())
        const result = await act(test.program)
        test.clock.set(now)
        return result
      },
    })
    for (const death of ['dispatch.stepped:2', 'dispatch.read:3', 'deliver.begun:1'] as const)
      await workUntil(test, death, JOBS)
    await goOn(id)
    expect(await again(id), 'got it again').to.be.at.most(3 * 2 * CHUNK)
  })

  itHere(
    'again and again with a window in doubt: who was in doubt three times is unknown, and that is an end, too',
    async () => {
      const { test } = world
      const id = await acceptBroadcast(test)
      const lives = 5
      for (let life = 0; life < lives; life++) {
        await workUntil(test, 'deliver.answered:1', JOBS)
        await takeBack()
        const waits = (await test.program.kernel.db
          .read('pages')
          .where({ notification_id: id, after_crash: true, state: 'queued' })
          .pluck('not_before')) as number[]
        // What is left does not drip: the longest wait is a quarter of a minute.
        expect(waits.length, 'somebody was in doubt').to.be.greaterThan(0)
        expect(Math.max(...waits)).to.be.at.most(test.clock.now() + 15_000)
        test.clock.advance(15_000)
      }
      await goOn(id)
      const { audience, accepted, unknown, pending } = await world.counts(id)
      expect({ audience, through: accepted + unknown, pending }).to.deep.equal({
        audience: ANDROIDS,
        through: ANDROIDS,
        pending: 0,
      })
      const { lost, extra } = world.receptions(id)
      expect(lost).to.equal(0)
      expect(extra, 'got it again').to.be.at.most(lives * 2 * CHUNK)
    },
  )
})
