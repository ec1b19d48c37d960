import { expect } from 'chai'
import { createSenders } from '../../../src/domain/gateways/senders.ts'
import { gatewaySettings } from '../../../src/domain/gateways/settings.ts'
import { AppError } from '../../../src/platform/errors.ts'
import { broadcast, deliverDue, withAndroids } from '../../support/delivery.ts'
import { openTestProgram, type TestProgram } from '../../support/program.ts'

describe('the senders of apps', () => {
  let test: TestProgram
  beforeEach(async () => {
    test = await openTestProgram()
  })
  afterEach(() => test.close())

  const sendersThatFail = (error: Error) => {
    const { program, clock } = test
    const credential = async () => {
      throw error
    }
    const gateways = { find: program.gateways.find, credential }
    return createSenders(gateways, gatewaySettings(program.kernel.config), () => clock.now())
  }

  it('hold the lane when a credential cannot be opened: nobody fails for our master key', async () => {
    await withAndroids(test, 30)
    const id = await broadcast(test)
    const senders = sendersThatFail(new AppError('config', 'the stored secret cannot be opened'))
    const sender = (await senders.find(test.first.id, 'android'))!
    await deliverDue(test, sender)
    expect(await test.program.ledger.counts(test.first.id, id)).to.include({ pending: 30, failed: 0 })
    const [lane] = await test.program.gateways.lanes.list()
    expect(lane).to.include({ holdKind: 'config_error', holdReason: 'the stored secret cannot be opened' })
  })

  it('pass on what is not about the credential', async () => {
    await withAndroids(test, 1)
    const failure = sendersThatFail(new AppError('unavailable', 'no database')).find(test.first.id, 'android')
    expect(await failure.catch((error: unknown) => error)).to.include({ code: 'unavailable' })
  })
})
