import { expect } from 'chai'
import { runErasures } from '../../../src/domain/erasures/run.ts'
import { checkCandidate } from '../../../src/domain/imports/check.ts'
import { NOTHING } from '../../../src/domain/imports/read/values.ts'
import type { Ready } from '../../../src/domain/imports/types.ts'
import { erasing, requestErasure } from '../../support/erasures.ts'
import { addInstall } from '../../support/installs.ts'
import { onPostgres, type TestProgram } from '../../support/program.ts'
import { race } from '../../support/race.ts'
import { sharedDatabase } from '../../support/shared-database.ts'

/** SQLite has one writer: only PostgreSQL lets two transactions meet. */
onPostgres('an erasure that meets', () => {
  let test: TestProgram
  let appId: number
  let id: string
  const openShared = sharedDatabase('postgres')
  beforeEach(async () => {
    test = await openShared()
    appId = test.first.id
    await addInstall(test.program, appId, 'phone', { user: 'ann', subscribed: false })
    id = await requestErasure(test, 'ann')
  })
  afterEach(() => test.close())

  const rows = (table: string) => test.program.kernel.db.read(table)
  const event = (uuid: string, more: object = {}) => ({ type: 'own', uuid, timestamp: test.clock.now(), ...more })
  const finish = () => runErasures(erasing(test))

  it('an upload of the device deletes what that stored', async () => {
    const { one, two, hadToWait } = await race(
      test.program,
      async (tx, meet) => {
        await tx.events.ingest(appId, 'phone', [event('under-way')])
        await meet()
      },
      (tx) => tx.erasures.step(appId, id, 100),
    )
    expect([one.status, two.status, hadToWait]).to.deep.equal(['fulfilled', 'fulfilled', true])
    await finish()
    expect(await rows('events').pluck('type')).to.deep.equal(['user.erased'])
    expect(await rows('installs')).to.deep.equal([])
    expect(await rows('users')).to.deep.equal([])
  })

  it('an upload that comes while it deletes makes a new anonymous user', async () => {
    const { one, two, hadToWait } = await race(
      test.program,
      async (tx, meet) => {
        while ((await tx.erasures.step(appId, id, 100)) === 'more') continue
        await meet()
      },
      (tx) => tx.events.ingest(appId, 'phone', [event('later')]),
    )
    expect([one.status, two.status, hadToWait]).to.deep.equal(['fulfilled', 'fulfilled', true])
    expect(await finish()).to.equal(0)
    expect(await rows('users').pluck('identifier')).to.deep.equal(['phone'])
    expect(await rows('events').whereNot({ type: 'user.erased' }).pluck('user_identifier')).to.deep.equal(['phone'])
    expect((await test.program.crm.listUsers(appId, 1, 9)).total).to.equal(1)
  })

  it('another device that associates the user makes a new one', async () => {
    await addInstall(test.program, appId, 'tablet', { subscribed: false })
    const associate = event('associates', { type: 'k.stats.userAssociated', data: { id: 'ann' } })
    const { one, two } = await race(
      test.program,
      async (tx, meet) => {
        while ((await tx.erasures.step(appId, id, 100)) === 'more') continue
        await meet()
      },
      (tx) => tx.events.ingest(appId, 'tablet', [associate]),
    )
    expect([one.status, two.status]).to.deep.equal(['fulfilled', 'fulfilled'])
    await finish()
    const { installs, createdAt } = await test.program.crm.showUser(appId, 'ann')
    expect(installs.map(({ installId }) => installId)).to.deep.equal(['tablet'])
    expect(createdAt).to.be.at.least((await test.program.erasures.get(appId, id)).requestedAt)
    expect((await test.program.crm.listUsers(appId, 1, 9)).total).to.equal(1)
  })

  it('a server that sets attributes leaves a new user or none', async () => {
    const { one, two } = await race(
      test.program,
      async (tx, meet) => {
        while ((await tx.erasures.step(appId, id, 100)) === 'more') continue
        await meet()
      },
      (tx) => tx.crm.putAttributes(appId, 'ann', { plan: 'gold' }),
    )
    expect([one.status, two.status]).to.deep.equal(['fulfilled', 'fulfilled'])
    await finish()
    expect(await test.program.crm.attributes(appId, 'ann')).to.deep.equal({ plan: 'gold' })
  })

  /** A row of an export. */
  const exported = (user: string) => {
    const { rules } = test.program.imports
    const given = { ...NOTHING, key: user, platform: 'android' as const, token: `token-of-${user}`, user }
    return { ready: [checkCandidate(given, rules('csv')) as Ready] }
  }
  const NO_CHANNELS = { channels: new Map<string, number>(), suppressOptedOut: false }

  it('an import that has not committed yet deletes what that brought', async () => {
    const { one, two, hadToWait } = await race(
      test.program,
      async (tx, meet) => {
        const { counts } = await tx.imports.store(appId, [exported('zed')], NO_CHANNELS)
        await meet()
        return counts
      },
      async (tx) => {
        const erasure = await tx.erasures.request(appId, 'user', 'zed')
        return tx.erasures.step(appId, erasure.id, 100)
      },
    )
    expect(one).to.have.nested.property('value.users', 1)
    expect([two.status, hadToWait]).to.deep.equal(['fulfilled', true])
    expect(await finish()).to.equal(0)
    expect(await rows('users').pluck('identifier')).to.not.include('zed')
    expect(await rows('installs').whereLike('install_id', 'csv-%')).to.deep.equal([])
  })

  it('an import that comes while it deletes is left out of it', async () => {
    const { one, two, hadToWait } = await race(
      test.program,
      async (tx, meet) => {
        while ((await tx.erasures.step(appId, id, 100)) === 'more') continue
        await meet()
      },
      (tx) => tx.imports.store(appId, [exported('ann')], NO_CHANNELS),
    )
    expect([one.status, hadToWait]).to.deep.equal(['fulfilled', true])
    expect(two).to.have.nested.property('value.counts').that.includes({ erased: 1, installs: 0, users: 0 })
    expect(await rows('users').pluck('identifier')).to.not.include('ann')
  })

  it('itself in another process does the work once', async () => {
    await Promise.all([finish(), finish()])
    await finish()
    expect((await test.program.erasures.get(appId, id)).state).to.equal('done')
    expect(await rows('events').pluck('type')).to.deep.equal(['user.erased'])
  })
})
