import { expect } from 'chai'
import { createSenders } from '../../../src/domain/gateways/senders.ts'
import { gatewaySettings } from '../../../src/domain/gateways/settings.ts'
import { AppError } from '../../../src/platform/errors.ts'
import { openTestApp, type TestApp } from '../../support/app.ts'
import { broadcast, deliverDue, withAndroids } from '../../support/delivery.ts'

describe('the senders of apps', () => {
  let test: TestApp
  beforeEach(async () => {
    test = await openTestApp()
  })
  afterEach(() => test.close())

  const sendersThatFail = (error: Error) => {
    const { app, clock } = test
    const credential = async () => {
      throw error
    }
    const gateways = { find: app.gateways.find, credential }
    return createSenders(gateways, gatewaySettings(app.kernel.config), () => clock.now())
  }

  it('hold the lane when a credential cannot be opened: nobody fails for our master key', async () => {
    await withAndroids(test, 30)
    const id = await broadcast(test)
    const senders = sendersThatFail(new AppError('config', 'the stored secret cannot be opened'))
    const sender = (await senders.find(test.first.id, 'android'))!
    await deliverDue(test, sender)
    expect(await test.app.ledger.counts(test.first.id, id)).to.include({ pending: 30, failed: 0 })
    const [lane] = await test.app.gateways.lanes.list()
    expect(lane).to.include({ holdKind: 'config_error', holdReason: 'the stored secret cannot be opened' })
  })

  it('pass on what is not about the credential', async () => {
    await withAndroids(test, 1)
    const failure = sendersThatFail(new AppError('unavailable', 'no database')).find(test.first.id, 'android')
    expect(await failure.catch((error: unknown) => error)).to.include({ code: 'unavailable' })
  })
})
