import { expect } from 'chai'
import { audienceOf, medianOf } from '../../../../src/domain/notifications/report/usual.ts'
import { broadcast, deliverDue, scriptedSender, withAndroids } from '../../../support/delivery.ts'
import { onEachDatabase, type TestProgram } from '../../../support/program.ts'
import { sharedDatabase } from '../../../support/shared-database.ts'

describe('what is usual', () => {
  it('is the middle of what was before', () => {
    expect([[3], [1, 9], [9, 1, 4]].map(medianOf)).to.deep.equal([3, 5, 4])
  })

  for (const [filters, audience] of [
    [{ broadcast: true }, 'everybody'],
    [{ broadcast: true, excludeInstallIds: ['a'] }, 'everybody'],
    [{ userIds: ['anna'] }, 'named'],
    [{ installIds: ['a'] }, 'named'],
    [{ segmentUuid: 'gold', excludeInstallIds: ['a'] }, 'part'],
    [{ channelUuids: ['news'] }, 'part'],
  ] as const) {
    it(`compares ${JSON.stringify(filters)} with sends to ${audience}`, () => {
      expect(audienceOf(JSON.stringify(filters))).to.equal(audience)
    })
  }
})

onEachDatabase('a report', (kind) => {
  let test: TestProgram
  let told = 0
  const openShared = sharedDatabase(kind)
  beforeEach(async () => {
    test = await openShared()
    await withAndroids(test, 4)
  })
  afterEach(() => test.close())

  /** Sends to everybody; so many of the four open it. */
  async function send(opens: number, more: object = {}): Promise<number> {
    const id = await broadcast(test, more)
    await deliverDue(test, scriptedSender(() => ({ kind: 'accepted' })).sender)
    for (let i = 0; i < opens; i++) {
      const event = {
        type: 'k.message.opened',
        uuid: `told-${++told}`,
        timestamp: test.clock.now(),
        data: { type: 1, id },
      }
      await test.program.inTransaction((tx) => tx.events.ingest(test.first.id, `install-${i}`, [event]))
    }
    test.clock.advance(60_000)
    return id
  }
  const reportOf = (id: number) => test.program.deliveries.report(test.first.id, id)

  it('stands beside the medians of the sends before it, without tests and those after it', async () => {
    await send(1)
    await send(4, { isTest: true })
    await send(2)
    const third = await send(0)
    const fourth = await send(4)
    await send(4)
    expect((await reportOf(third)).usual).to.equal(null)
    expect((await reportOf(fourth)).usual).to.deep.equal({ sends: 3, accepted: 4, openedShare: 0.25 })
  })

  it('lists who opened it page by page, with their devices, and counts them by version and language', async () => {
    const id = await send(3)
    const { write } = test.program.kernel.db
    await write((trx) =>
      trx('installs').where({ install_id: 'install-0' }).update({ app_version: '2.4', locale: 'de-CH', platform: 2 }),
    )
    await write((trx) =>
      trx('installs').where({ install_id: 'install-1' }).update({ app_version: '2.4', locale: 'de' }),
    )
    const { deliveries } = test.program
    const first = await deliveries.openers(test.first.id, id, { limit: 2 })
    const second = await deliveries.openers(test.first.id, id, { limit: 2, after: first.next! })
    expect(second.next).to.equal(null)
    expect([...first.items, ...second.items].map(({ installId, appVersion }) => [installId, appVersion])).to.deep.equal(
      [
        ['install-0', '2.4'],
        ['install-1', '2.4'],
        ['install-2', null],
      ],
    )
    const { versions, languages, ...rest } = await deliveries.openerGroups(test.first.id, id)
    expect(rest).to.deep.equal({ opened: 3, isWhole: true })
    expect(versions).to.deep.include({ name: '2.4', opened: 2 })
    expect(languages[0]).to.deep.equal({ name: 'de', opened: 2 })
    const other = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))
    const foreign = await deliveries.openers(other.id, id, { limit: 2 }).catch((error: Error) => error.message)
    expect(foreign).to.equal(`there is no notification ${id}`)
  })
})
