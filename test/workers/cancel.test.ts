import { expect } from 'chai'
import { loadConfig } from '../../src/config.ts'
import { fromMessagesForm, messagesForm } from '../../src/domain/notifications/schema.ts'
import { SOURCE } from '../../src/domain/notifications/types.ts'
import { openApp } from '../../src/open.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { parseJson } from '../../src/platform/parse.ts'
import { type Appliance, androidToken, openAppliance, trouble } from '../support/appliance.ts'
import { many } from '../support/depth.ts'
import { PROGRAMS_MS } from '../support/programs.ts'

const ANDROIDS = 40
const RACES = many(12, { long: 40 })

describe('cancelling while threads send', function () {
  this.timeout(PROGRAMS_MS)
  let one: Appliance
  before(async () => {
    // Small pages and chunks, so that a notification is under way for a while.
    const environment = { APPSVC_WORKERS_DELIVER: '1', APPSVC_DELIVERY_CHUNK: '2', APPSVC_DELIVERY_PAGE_SIZE: '10' }
    one = await openAppliance({ androids: ANDROIDS, environment })
    await one.start()
  })
  after(() => one.close())

  const receivers = (id: number) =>
    Array.from({ length: ANDROIDS }, (_, i) => one.sandbox.countOf(androidToken(i), String(id))).reduce(
      (sum, count) => sum + count,
      0,
    )
  const cancel = (id: number) => one.call('DELETE', `/messages/v2/scheduled-notifications/${id}`)

  it(`an immediate one is sent to nobody after a 204, to everybody after a 400, in ${RACES} races`, async () => {
    const answers = new Set<number>()
    for (let i = 0; i < RACES; i++) {
      // The first is certain to be too late; where the others fall is left to the machine.
      const begun = i === 0 ? one.message(1) : undefined
      const id = await one.broadcast()
      await (begun ?? systemClock.sleep(i % 12))
      const { status } = await cancel(id)
      answers.add(status)
      if (status === 204) expect(receivers(id)).to.equal(0)
      else {
        expect(status).to.equal(400)
        await one.finished(id)
        expect(receivers(id)).to.equal(ANDROIDS)
      }
    }
    expect([...answers]).to.include.members([400])
  })

  it(`a local one that is under way stops where it is, in ${RACES / 2} races`, async () => {
    const { config } = await loadConfig({ environment: {}, flags: { dataDir: one.dir } })
    // Due at the beginning of this very minute in the zone of all, later for one in the west.
    const minute = Math.floor(Date.now() / 60_000) * 60_000
    const app = openApp({ config, clock: { ...systemClock, now: () => minute } })
    try {
      const { first } = one
      const data = { device: { tz: 'Pacific/Pago_Pago' } }
      await app.inTransaction(async (tx) => {
        await tx.events.ingest(first.id, 'west', [
          { type: 'k.stats.installTracked', uuid: '1', timestamp: minute, data },
          { type: 'k.push.deviceRegistered', uuid: '2', timestamp: minute, data: { type: 2, token: 'west' } },
        ])
      })
      const sendAt = new Date(minute).toISOString().slice(0, 16).replace('T', ' ')
      const body = parseJson(messagesForm, {
        target: { broadcast: true },
        content: { title: 'T', message: 'M' },
        schedule: { sendAt, strategy: 'local', pastTimes: 'ignore' },
      })
      // The gateway takes its time, so that cancels come at different places on a quick machine too.
      await one.sandbox.setPlan(trouble({ delayMs: 5 }, { on: 'fcm' }))
      const reached = new Set<number>()
      for (let i = 0; i < RACES / 2; i++) {
        const { notification } = await app.inTransaction((tx) =>
          tx.notifications.accept(first.id, SOURCE.messages, fromMessagesForm(body)),
        )
        const id = notification!.id
        if (i > 0) await one.message(1 + i)
        const { status } = await cancel(id)
        expect(status).to.equal(204)
        const before = receivers(id)
        // A whole other notification goes out: whoever was still to get this one would have got it.
        const next = await one.broadcast()
        await one.finished(next)
        expect(receivers(id), `race ${i}`).to.equal(before)
        expect((await one.report(id)).counts).to.include({ accepted: before, pending: 0 })
        reached.add(before)
      }
      expect(reached.size).to.be.at.least(2)
    } finally {
      await app.close()
    }
  })
})
