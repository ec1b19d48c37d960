import { expect } from 'chai'
import { broadcast, withAndroids } from '../../../support/delivery.ts'
import { onEachDatabase, type TestProgram } from '../../../support/program.ts'
import { sharedDatabase } from '../../../support/shared-database.ts'

onEachDatabase('scheduled notifications', (kind) => {
  let test: TestProgram
  const openShared = sharedDatabase(kind)
  beforeEach(async () => {
    test = await openShared()
  })
  afterEach(() => test.close())

  const dueTimes = async () =>
    (await test.program.runs.upcoming(test.first.id, 10)).map(({ nextAt }) => new Date(nextAt).toISOString())
  const schedule = { sendAt: '2026-03-02 09:00', strategy: 'local', pastTimes: 'nextDay' }

  it('are due when the first device is, not where it is earlier and nobody is', async () => {
    await withAndroids(test, 2)
    await broadcast(test, { schedule })
    expect(await dueTimes()).to.deep.equal(['2026-03-02T09:00:00.000Z'])
  })

  it('are due at the earliest time of all zones when nobody is anywhere', async () => {
    await broadcast(test, { schedule })
    expect(await dueTimes()).to.deep.equal(['2026-03-01T19:00:00.000Z'])
  })
})
