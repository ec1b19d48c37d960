import { expect } from 'chai'
import type { LatestQuery } from '../../../src/domain/followers/log/latest.ts'
import { onEachDatabase, type TestProgram } from '../../support/program.ts'
import { sharedDatabase } from '../../support/shared-database.ts'

onEachDatabase('the newest events', (kind) => {
  let test: TestProgram
  const openShared = sharedDatabase(kind)
  beforeEach(async () => {
    test = await openShared()
  })
  afterEach(() => test.close())

  /** Reports events of a device, each under its uuid, by this user. */
  const report = (installId: string, userId: string, ...uuids: string[]) =>
    test.program.inTransaction((tx) =>
      tx.events.ingest(
        test.first.id,
        installId,
        [`${installId}-${userId}`, ...uuids].map((uuid, i) =>
          i === 0
            ? { type: 'k.stats.userAssociated', uuid, timestamp: 1, data: { id: userId } }
            : { type: 'viewed', uuid, timestamp: 1, userId },
        ),
      ),
    )
  const record = (appId: number, userIdentifier: string, type: string) =>
    test.program.inTransaction((tx) => tx.events.record(appId, { type, data: null, userIdentifier }))
  const ask = (query: Partial<LatestQuery>) =>
    test.program.eventLog.latest({ appId: test.first.id, limit: 50, ...query })
  const said = async (query: Partial<LatestQuery>) =>
    (await ask(query)).events.map(({ type, uuid }) => (type === 'viewed' ? uuid : type))

  it('are those of a user wherever they were reported, page by page', async () => {
    await report('phone', 'anna', 'a1', 'a2')
    await report('phone', 'berta', 'b1')
    await record(test.first.id, 'anna', 'paid')
    await record(test.first.id, 'berta', 'paid')
    const other = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))
    await record(other.id, 'anna', 'theirs')
    await report('tablet', 'anna', 'a3')
    const all = ['a3', 'k.stats.userAssociated', 'paid', 'a2', 'a1']
    expect((await said({ userId: 'anna' })).filter((one) => one !== 'user.created')).to.include.members(all)
    expect(await said({ userId: 'anna', types: ['viewed', 'paid'] })).to.deep.equal(['a3', 'paid', 'a2', 'a1'])

    const walked: string[] = []
    for (let before: LatestQuery['before'], page = 0; page < 20; page++) {
      const { events, next } = await ask({ userId: 'anna', limit: 1, before })
      walked.push(...events.map(({ uuid }) => uuid))
      if (next === undefined) break
      before = next
    }
    const whole = (await ask({ userId: 'anna' })).events.map(({ uuid }) => uuid)
    expect(walked).to.deep.equal(whole)
  })

  it('are those of an install, or those with a text in an id, and never of another app', async () => {
    await report('phone', 'anna', 'a1')
    await report('tablet', 'anna', 'a2')
    const other = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))
    expect(await said({ installId: 'phone', types: ['viewed'] })).to.deep.equal(['a1'])
    expect(await said({ q: 'ABLE', types: ['viewed'] })).to.deep.equal(['a2'])
    expect(await said({ q: 'A1', types: ['viewed'] })).to.deep.equal(['a1'])
    for (const query of [{ q: 'a' }, { userId: 'anna' }, { installId: 'phone' }, {}]) {
      expect(await said({ ...query, appId: other.id })).to.deep.equal([])
    }
  })

  it('end where what is stored later goes on', async () => {
    await report('phone', 'anna', 'a1')
    const { end } = await ask({ limit: 1 })
    await report('phone', 'anna', 'a2')
    const { events } = await test.program.eventLog.read({ appId: test.first.id, after: end, limit: 9 })
    expect(events.map(({ uuid }) => uuid)).to.deep.equal(['a2'])
  })
})
