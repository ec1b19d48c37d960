import { expect } from 'chai'
import type { Failpoint } from '../../src/platform/process/failpoints.ts'
import {
  type Appliance,
  type ApplianceOptions,
  acceptInThreeZones,
  endPauses,
  openAppliance,
  type Report,
  receptions,
  tokensOf,
  trouble,
} from '../support/appliance.ts'
import { reaches } from '../support/depth.ts'
import { eventually } from '../support/eventually.ts'
import { chosenKinds, type DatabaseKind } from '../support/program.ts'
import { PROGRAMS_MS } from '../support/programs.ts'

interface Ending {
  report: Report
  lost: number
  extra: number
  taken: number
}

/** Waits until the notification is through. Ends the server: the tests after this one need its processor. */
async function ending(appliance: Appliance, androids: number, id: number): Promise<Ending> {
  const report = await appliance.finished(id)
  expect((await appliance.stop()).code).to.equal(0)
  const seen = receptions(appliance.sandbox, tokensOf(androids), id)
  return { report, ...seen, taken: appliance.sandbox.counts().taken }
}

/** Expects an entry in the event log for each closed page and for no other; returns how many recipients these have. */
function loggedRecipients(appliance: Appliance): Promise<number> {
  return appliance.inside(async ({ kernel: { db } }) => {
    const closed: { id: number; fence: number }[] = await db
      .read('pages')
      .where({ state: 'done' })
      .whereRaw('total > moved')
      .select('id', 'fence')
    const entries: { uuid: string; data: string }[] = await db.read('events').where({ type: '' }).select('uuid', 'data')
    expect(entries.map(({ uuid }) => uuid)).to.have.members(closed.map(({ id, fence }) => `page-${id}-${fence}`))
    const counts = entries.map(({ data }) => (JSON.parse(data) as { recipients: number }).recipients)
    return counts.reduce((sum, count) => sum + count, 0)
  })
}

function expectAllServed({ report, lost, extra }: Ending, audience: number, mostTwice: number): void {
  expect(lost, 'lost').to.equal(0)
  expect(extra, 'got it again').to.be.at.most(mostTwice)
  expect(report.status).to.equal(3)
  const { accepted, unknown, pending, failed, expired, cancelled, skipped } = report.counts
  expect({
    all: report.counts.audience,
    accepted,
    unknown,
    pending,
    failed,
    expired,
    cancelled,
    skipped,
  }).to.deep.equal({
    all: audience,
    accepted: audience,
    unknown: 0,
    pending: 0,
    failed: 0,
    expired: 0,
    cancelled: 0,
    skipped: 0,
  })
}

/** A broadcast whose caller repeats it until it is answered. */
const sendOnce = (one: Appliance, message = 'M') =>
  one.call(
    'POST',
    '/messages/v2/notifications',
    { target: { broadcast: true }, content: { title: 'T', message } },
    { 'idempotency-key': 'once' },
  )

/**
 * Sends one push, which starts the threads that send, and waits for them. Until they run the background thread sends, and none of
 * both may come as far as a failpoint.
 */
async function beginSending(one: Appliance): Promise<void> {
  const installId = await one.inside(async ({ kernel: { db } }): Promise<string> => {
    return (await db.read('installs').orderBy('id').first('install_id')).install_id
  })
  const body = { target: { installIds: [installId] }, content: { title: 'T', message: 'first' } }
  expect((await one.call('POST', '/messages/v2/notifications', body)).status).to.equal(202)
  await eventually(async () => (await one.metrics()).includes('"deliver-1"'), 'a thread sends')
}

/** Does as `ending`, where whoever is in doubt is sent to at once. */
async function hurriedEnding(one: Appliance, androids: number, id: number): Promise<Ending> {
  await eventually(async () => {
    await endPauses(one)
    return (await one.report(id)).status > 2
  }, `notification ${id} is finished`)
  return ending(one, androids, id)
}

/** Each place of a send has its kill in kill-windows.test.ts; here the signal itself comes, and threads end that others have to replace. */
describe('nobody is lost by a real end', function () {
  this.timeout(PROGRAMS_MS)
  let one: Appliance
  afterEach(() => one.close())

  it('of the server: kill -9 before an answer to the caller, and in the middle of a broadcast with a window in doubt', async () => {
    const androids = 300
    const chunk = 50
    const environment = { APPSVC_DELIVERY_CHUNK: String(chunk), APPSVC_WORKERS_DELIVER: '1' }
    one = await openAppliance({ androids, environment })
    await one.start({ APPSVC_FAILPOINTS: 'accept.committed:1' })
    // The crash takes the answer; the caller repeats with the same key, as the document of the key says.
    await sendOnce(one).catch(() => {})
    await one.ended()
    await one.sandbox.setPlan(trouble({ delayMs: 500 }, { on: 'fcm', after: 100 }))
    const seen = one.message(120)
    await one.start()
    const { status, body, headers } = await sendOnce(one)
    expect([status, headers.get('idempotency-replayed')]).to.deep.equal([202, 'true'])
    expect((body as { notification: { id: number } }).notification.id).to.equal(1)
    expect((await sendOnce(one, 'another')).status).to.equal(422)
    await seen
    await one.stop('SIGKILL')
    // The dead server's lease on its pages has hours to go: the next one takes them back at once, because it is alone.
    await one.inside(({ kernel }) =>
      kernel.db.write((trx) => trx('pages').where({ state: 'claimed' }).increment('lease_until', 86_400_000)),
    )
    await one.sandbox.setPlan({})
    await one.start()
    const waits = await one.inside(async ({ kernel }) => {
      const pages = await kernel.db.read('pages').where({ after_crash: true }).select('not_before', 'created_at')
      return pages.map((page: { not_before: number; created_at: number }) => page.not_before - page.created_at)
    })
    expect(Math.min(...waits), 'somebody was in doubt').to.be.within(5000, 15_000)
    expect(Math.max(...waits)).to.be.at.most(15_000)
    expectAllServed(await hurriedEnding(one, androids, 1), androids, 2 * chunk)
  })

  for (const how of ['throw', 'exit'] as const) {
    it(`of a delivery thread that ${how === 'throw' ? 'throws' : 'exits'} in the middle of a page: another takes over`, async () => {
      const androids = 150
      const chunk = 20
      const environment = { APPSVC_DELIVERY_CHUNK: String(chunk), APPSVC_WORKERS_DELIVER: '1' }
      one = await openAppliance({ androids, environment })
      // Slow ones after it may come as far and end too.
      await one.start({ APPSVC_FAILPOINTS: `deliver.begun:5:${how}` })
      await beginSending(one)
      const end = await hurriedEnding(one, androids, await one.broadcast())
      const deaths = one.log().split('a worker thread ended unexpectedly;').length - 1
      expect(deaths).to.be.at.least(1)
      expectAllServed(end, androids, deaths * 2 * chunk)
    })
  }
})

/** The scenarios mostly wait for resends, so they do that all at once; each test looks at its own. */
describe('nobody is lost in the long run', function () {
  if (!reaches('long')) return
  this.timeout(2 * PROGRAMS_MS)
  const open: Appliance[] = []
  async function appliance(options: ApplianceOptions): Promise<Appliance> {
    const one = await openAppliance(options)
    open.push(one)
    return one
  }
  after(() => Promise.all(open.map((one) => one.close())))

  /** Starting servers is all CPU: two at a time. */
  const turns = [Promise.resolve(), Promise.resolve()]
  let scenarios = 0
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const lane = scenarios++ % turns.length
    const done = turns[lane]!.then(work)
    turns[lane] = done.then(
      () => {},
      () => {},
    )
    return done
  }

  /** Twelve chunks, four pages. */
  const FEW = 600
  /** So many that three kills, or five with a full window, come before the end. */
  const MANY = 2000
  const CHUNK = 50
  const KILLS = 5
  const environment = { APPSVC_DELIVERY_CHUNK: String(CHUNK), APPSVC_WORKERS_DELIVER: '1' }

  async function killThrice(): Promise<Ending> {
    const androids = MANY
    const [one, id] = await inTurn(async () => {
      const one = await appliance({ androids, environment })
      await one.start()
      let seen = one.message(350)
      const id = await one.broadcast()
      for (let kills = 0; kills < 3; kills++) {
        await seen
        await one.stop('SIGKILL')
        seen = one.message(450)
        seen.catch(() => {})
        await one.start()
      }
      return [one, id] as const
    })
    return ending(one, androids, id)
  }

  async function crashAt(point: Failpoint, nth: number): Promise<Ending> {
    const androids = FEW
    const one = await inTurn(async () => {
      const one = await appliance({ androids, environment: { ...environment, APPSVC_DELIVERY_PAGE_SIZE: '150' } })
      await one.inside((program) =>
        program.inTransaction((tx) => tx.apps.setLogSettings(one.first.id, { deliveries: true })),
      )
      await one.start({ APPSVC_FAILPOINTS: `${point}:${nth}` })
      // The crash may take the answer; the caller repeats with the same key, as the document of the key says.
      const send = () => sendOnce(one)
      await send().catch(() => {})
      await one.ended()
      await loggedRecipients(one)
      await one.start()
      const { status, body } = await send()
      expect(status).to.equal(202)
      expect((body as { notification: { id: number } }).notification.id).to.equal(1)
      return one
    })
    const end = await ending(one, androids, 1)
    expect(await loggedRecipients(one)).to.equal(androids)
    return end
  }

  /** A delivery thread ends in the middle of a page; slow ones after it may come as far and end too. */
  async function loseThread(how: 'throw' | 'exit'): Promise<Ending & { deaths: number }> {
    const androids = FEW
    const one = await inTurn(async () => {
      const one = await appliance({ androids, environment })
      await one.start({ APPSVC_FAILPOINTS: `deliver.begun:8:${how}` })
      return one
    })
    const end = await ending(one, androids, await one.broadcast())
    return { ...end, deaths: one.log().split('a worker thread ended unexpectedly;').length - 1 }
  }

  async function cutConnection(): Promise<Ending> {
    const androids = FEW
    const one = await inTurn(async () => {
      const one = await appliance({ androids, environment })
      await one.sandbox.setPlan({
        rules: [{ match: { on: 'fcm', after: 30, first: 1 }, effect: { cutBeforeAnswer: true } }],
      })
      await one.start()
      return one
    })
    return ending(one, androids, await one.broadcast())
  }

  /**
   * A time that has come in three zones before the server starts, so that their runs are fanned out side by side, and the server
   * is killed in each part of that.
   */
  async function localTime(): Promise<Ending> {
    const androids = FEW
    const [one, id] = await inTurn(async () => {
      const one = await appliance({ androids, environment: { ...environment, APPSVC_DELIVERY_PAGE_SIZE: '40' } })
      const id = await acceptInThreeZones(one)
      for (const point of ['dispatch.stepped:2', 'dispatch.read:5', 'deliver.begun:4']) {
        await one.start({ APPSVC_FAILPOINTS: point }).catch(() => {})
        await one.ended()
      }
      await one.start()
      return [one, id] as const
    })
    return ending(one, androids, id)
  }

  /** Each kill leaves a full window in doubt, since the gateway takes its time; nobody waits for what is left before the next one. */
  async function killOften(kind: DatabaseKind): Promise<Ending & { waits: number[] }> {
    const androids = MANY
    const [one, id] = await inTurn(async () => {
      const environment = { APPSVC_DELIVERY_CHUNK: '100', APPSVC_WORKERS_DELIVER: '1' }
      const one = await appliance({ androids, environment, kind })
      await one.sandbox.setPlan(trouble({ delayMs: 500 }, { on: 'fcm' }))
      await one.start()
      let seen = one.message(200)
      const id = await one.broadcast()
      for (let kills = 0; kills < KILLS; kills++) {
        await seen
        await one.stop('SIGKILL')
        seen = one.message(200)
        seen.catch(() => {})
        await one.start()
      }
      await one.sandbox.setPlan({})
      return [one, id] as const
    })
    const end = await ending(one, androids, id)
    const waits = await one.inside(async ({ kernel }) => {
      const pages = await kernel.db.read('pages').where({ after_crash: true }).select('not_before', 'created_at')
      return pages.map((page: { not_before: number; created_at: number }) => page.not_before - page.created_at)
    })
    return { ...end, waits }
  }

  /** The dead server's lease on its page has hours to go. */
  async function restartAlone(): Promise<Ending> {
    const androids = 200
    const one = await inTurn(async () => {
      const one = await appliance({ androids, environment })
      await one.start({ APPSVC_FAILPOINTS: 'deliver.begun:2' })
      await one.broadcast()
      await one.ended()
      await one.inside(({ kernel }) =>
        kernel.db.write((trx) => trx('pages').where({ state: 'claimed' }).increment('lease_until', 86_400_000)),
      )
      await one.start()
      return one
    })
    return ending(one, androids, 1)
  }

  const WINDOWS: [string, Failpoint, number, number][] = [
    ['between the commit of a send and its answer', 'accept.committed', 1, 0],
    ['between reading pages of the fan-out and storing them', 'dispatch.read', 2, 2 * CHUNK],
    ['between two steps of the fan-out', 'dispatch.stepped', 1, 2 * CHUNK],
    ['between claiming a page and beginning it', 'deliver.claimed', 1, 0],
    ['between claiming a page and beginning it, while another is sent', 'deliver.claimed', 2, 2 * CHUNK],
    ['between beginning recipients and sending to them', 'deliver.begun', 3, 2 * CHUNK],
    ['between sending and recording the answers', 'deliver.answered', 3, 2 * CHUNK],
    ['between closing a page and going on with the next', 'deliver.recorded', 2, 2 * CHUNK],
  ]

  const running = new Map<string, Promise<Ending>>()
  before(() => {
    running.set('thrice', killThrice())
    running.set('throw', loseThread('throw'))
    running.set('exit', loseThread('exit'))
    running.set('cut', cutConnection())
    running.set('zones', localTime())
    running.set('alone', restartAlone())
    for (const kind of chosenKinds) running.set(`often ${kind}`, killOften(kind))
    for (const [what, point, nth] of WINDOWS) running.set(what, crashAt(point, nth))
    for (const one of running.values()) one.catch(() => {})
  })

  it('by kill -9 three times in the middle of a broadcast', async () => {
    expectAllServed((await running.get('thrice'))!, MANY, 3 * 2 * CHUNK)
  })

  for (const [what, , , mostTwice] of WINDOWS) {
    it(`by kill -9 ${what}, and there is one notification`, async () => {
      expectAllServed((await running.get(what))!, FEW, mostTwice)
    })
  }

  for (const how of ['throw', 'exit'] as const) {
    it(`by a delivery thread that ${how === 'throw' ? 'throws' : 'exits'} in the middle of a page: another takes over`, async () => {
      const end = (await running.get(how)) as Awaited<ReturnType<typeof loseThread>>
      expect(end.deaths).to.be.at.least(1)
      expectAllServed(end, FEW, end.deaths * 2 * CHUNK)
    })
  }

  it('by kill -9 three times while a local time comes in several zones', async () => {
    expectAllServed((await running.get('zones'))!, FEW, 3 * 2 * CHUNK)
  })

  for (const kind of chosenKinds) {
    it(`by kill -9 ${KILLS} times with a full window in doubt each time, and what is left does not drip (${kind})`, async () => {
      const { report, lost, extra, waits } = (await running.get(`often ${kind}`)) as Awaited<
        ReturnType<typeof killOften>
      >
      // Who was in doubt three times is unknown; that is an end, too.
      const { audience, accepted, unknown, pending } = report.counts
      expect({ audience, through: accepted + unknown, pending, lost }).to.deep.equal({
        audience: MANY,
        through: MANY,
        pending: 0,
        lost: 0,
      })
      expect(extra, 'got it again').to.be.at.most(KILLS * 2 * 100)
      expect(
        waits.reduce((sum, ms) => sum + ms, 0),
        'somebody was in doubt',
      ).to.be.greaterThan(0)
      expect(Math.max(...waits)).to.be.at.most(15_000)
    })
  }

  it('by a start after a kill: it takes back at once what the dead server had', async () => {
    expectAllServed((await running.get('alone'))!, 200, 2 * CHUNK)
  })

  it('by a gateway that cuts the connection instead of answering', async () => {
    expectAllServed((await running.get('cut'))!, FEW, 2 * CHUNK)
  })
})
