import { expect } from 'chai'
import { STATUS } from '../../src/domain/in-app/types.ts'
import { onEachDatabase } from '../support/app.ts'
import { type Appliance, openAppliance, receptions, tokensOf } from '../support/appliance.ts'
import { eventually } from '../support/eventually.ts'
import { accept, addTemplates } from '../support/in-app.ts'
import { PROGRAMS_MS } from '../support/programs.ts'

/** More than a step of the fan-out takes. */
const USERS = 1500

onEachDatabase('an in-app message with a push', (kind) => {
  let one: Appliance
  before(async function () {
    this.timeout(PROGRAMS_MS)
    // Few are in doubt after a kill: more than the budget of retries allows would wait for minutes.
    const environment = { APPSVC_WORKERS_DELIVER: '1', APPSVC_DELIVERY_CHUNK: '50' }
    one = await openAppliance({ androids: USERS, kind, environment })
  })
  after(() => one.close())

  it('is given to everybody once, and announced after it, however often kill -9 ends the server meanwhile', async function () {
    this.timeout(5 * 120_000)
    const { first } = one
    const id = await one.inside(async (app) => {
      const test = { app, clock: app.kernel.clock, first }
      await addTemplates(test)
      await app.kernel.db.write((sql) => sql('users').update({ in_app_enabled: true }))
      return (await accept(test, { notification: { title: 'T', message: 'M' } })).message!.id
    })
    // A quick one may die before it says where it listens.
    for (const point of ['inapp.read:1', 'inapp.stored:1', 'inapp.read:1']) {
      await one.start({ APPSVC_FAILPOINTS: point }).catch(() => {})
      await one.ended()
    }
    const half = await one.inside((app) => app.inApp.get(first.id, id))
    expect(half.recipients).to.be.within(1, USERS - 1)
    await one.start()
    const record = () => one.inside((app) => app.inApp.get(first.id, id))
    await eventually(async () => (await record()).nextAt === null, 'the message found everybody')
    const message = await record()
    expect(message).to.include({ status: STATUS.sent, recipients: USERS })
    const { counts } = await one.finished(message.notificationId!)
    expect(counts).to.include({ audience: USERS, pending: 0, failed: 0 })
    expect(receptions(one.sandbox, tokensOf(USERS), message.notificationId!)).to.have.property('lost', 0)
    expect((await one.stop()).code).to.equal(0)
  })
})
