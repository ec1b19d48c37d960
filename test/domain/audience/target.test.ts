import { expect } from 'chai'
import { judgeTargeting, lookupTarget, withoutEmpty } from '../../../src/domain/audience/target.ts'
import type { Cursor, Step } from '../../../src/domain/audience/walk/walk.ts'
import { addInstall } from '../../support/installs.ts'
import { onEachDatabase, openTestProgram, type TestProgram } from '../../support/program.ts'

const FIELDS = ['broadcast', 'installIds', 'userIds', 'segmentUuid', 'channelUuids', 'geofenceIds', 'geofenceBroadcast']

describe('what a targeting says', () => {
  it('is invalid without a field that names recipients', () => {
    for (const given of [
      {},
      { broadcast: false },
      { installIds: [] },
      { excludeInstallIds: ['a'] },
      { geofenceBroadcast: false },
    ]) {
      expect(judgeTargeting(given, FIELDS, 'refused')[0], JSON.stringify(given)).to.include(
        'needs at least one of broadcast, installIds',
      )
    }
  })

  it('is valid with one group, or with segments, channels and geofences together', () => {
    for (const given of [
      { broadcast: true, userIds: [] },
      { installIds: ['a'], userIds: ['b'], broadcast: false },
      { segmentUuid: 's', channelUuids: ['c'], geofenceIds: [1] },
    ]) {
      expect(judgeTargeting(given, FIELDS, 'refused'), JSON.stringify(given)).to.deep.equal([])
    }
  })

  it('names every group and field of a mixture', () => {
    expect(judgeTargeting({ broadcast: true, userIds: ['u'], geofenceIds: [1] }, FIELDS, 'refused')).to.deep.equal([
      'mixes broadcast (broadcast) and installs/users (userIds) and geofences (geofenceIds), which cannot be combined: ' +
        'send one request for each',
    ])
  })

  it('is valid with any mixture where several groups mean a union, but not without any group', () => {
    const mixed = { broadcast: true, userIds: ['u'], channelUuids: ['c'], segmentUuid: 's' }
    expect(judgeTargeting(mixed, FIELDS, 'union')).to.deep.equal([])
    expect(judgeTargeting({ excludeInstallIds: ['a'] }, FIELDS, 'union')).to.have.length(1)
  })

  it('looks only at the fields that the form has', () => {
    const fields = ['broadcast', 'installIds']
    expect(judgeTargeting({ broadcast: true, geofenceIds: [1] }, fields, 'refused')).to.deep.equal([])
    expect(judgeTargeting({ geofenceIds: [1] }, fields, 'refused')).to.deep.equal([
      'needs at least one of broadcast, installIds',
    ])
  })

  it('is shown without empty fields', () => {
    const given = { broadcast: false, installIds: ['b', 'a'], userIds: [], excludeInstallIds: ['x'] }
    expect(withoutEmpty(given)).to.deep.equal({ installIds: ['b', 'a'], excludeInstallIds: ['x'] })
  })
})

onEachDatabase('looking a target up', (kind) => {
  let test: TestProgram
  const lookup = (targeting: Parameters<typeof lookupTarget>[3], appId = test.first.id) =>
    lookupTarget(test.program.crm, test.program, appId, targeting, 'target.')
  const rows: Record<string, number> = {}

  before(async () => {
    test = await openTestProgram({ kind })
    const add = async (id: string, how?: Parameters<typeof addInstall>[3]) => {
      rows[id] = await addInstall(test.program, test.first.id, id, how)
    }
    await add('a')
    await add('b', { user: 'ben' })
    await add('ben2', { user: 'ben', subscribed: false })
    await add('42')
    await add('quiet', { user: 'quinn', subscribed: false })
    await test.program.inTransaction((tx) => tx.crm.putAttributes(test.first.id, 'nobody', {}))
  })
  after(() => test.close())

  /** The user who uses an install now. */
  const userOf = async (id: string) => (await test.program.crm.showInstall(test.first.id, id)).userId

  it('finds the rows of installs, and users, ascending, each once', async () => {
    const found = await lookup({ installIds: ['42', 'b', 'a'], userIds: ['ben', 'a', 'ben'] })
    const users = [await userOf('a'), await userOf('b')].sort((a, b) => a - b)
    expect(found).to.deep.equal({
      target: { kind: 'installs', rows: [rows.a, rows.b, rows['42']], users, exclude: [] },
      errors: {},
      reachable: true,
      reached: [{ platform: 'android', rows: [rows.a, rows.b, rows['42']] }],
    })
  })

  it('finds the recipients that a walk finds', async () => {
    await addInstall(test.program, test.first.id, 'ben3', { user: 'ben' })
    const mac = await addInstall(test.program, test.first.id, 'mac', { user: 'ben' })
    await test.program.kernel.db.write((trx) => trx('installs').where({ id: mac }).update({ platform: 1 }))
    const unknown = await addInstall(test.program, test.first.id, 'odd')
    await test.program.kernel.db.write((trx) => trx('installs').where({ id: unknown }).update({ platform: 99 }))
    for (const targeting of [
      { userIds: ['ben'] },
      { userIds: ['ben', 'a', 'quinn'], installIds: ['b', '42', 'quiet'] },
      { userIds: ['ben', 'odd'], installIds: ['mac', 'odd'], excludeInstallIds: ['ben3', 'mac', 'z'] },
      { installIds: ['ben3', '42'], userIds: ['ben'], excludeInstallIds: ['42', 'b'] },
      { userIds: ['a'], excludeInstallIds: ['a'] },
      { installIds: ['quiet'] },
    ]) {
      const { target, reached } = await lookup(targeting)
      const walked: Step[] = []
      for (let cursor: Cursor = {}, done = false; !done; ) {
        const step = await test.program.audience.step(test.first.id, target, cursor, 100)
        walked.push(...step.steps.map(({ moved: _moved, ...one }) => one))
        cursor = step.cursor
        done = step.done
      }
      expect(reached, JSON.stringify(targeting)).to.have.deep.members(walked)
    }
  })

  it('tells unknown and unsubscribed ones apart, as given and in the order given', async () => {
    const { errors, reachable, target } = await lookup({
      installIds: ['z', 'quiet', 42, 7, 'y', 'ben2'],
      userIds: ['nobody', 9, 'ben', 'zoe', 'quinn'],
    })
    expect(errors).to.deep.equal({
      unknownInstallIds: ['z', 7, 'y'],
      unsubscribedInstallIds: ['quiet', 'ben2'],
      unknownUserIds: [9, 'zoe'],
      unsubscribedUserIds: ['nobody', 'quinn'],
    })
    expect(reachable).to.equal(true)
    expect(target).to.deep.equal({ kind: 'installs', rows: [rows['42']], users: [await userOf('b')], exclude: [] })
  })

  it('counts an id once, whether it is written as a number or as text', async () => {
    const { errors, target } = await lookup({ installIds: ['42', 42, 'z', 'z', 7, '7'] })
    expect(errors).to.deep.equal({ unknownInstallIds: ['z', 7] })
    expect(target).to.deep.include({ rows: [rows['42']] })
  })

  it('takes a user as subscribed when one of their installs is', async () => {
    const { errors, target } = await lookup({ userIds: ['ben'] })
    expect(errors).to.deep.equal({})
    expect(target).to.deep.include({ rows: [], users: [await userOf('b')] })
  })

  it('reaches nobody when all are unknown or unsubscribed', async () => {
    expect((await lookup({ installIds: ['z'] })).reachable).to.equal(false)
    expect((await lookup({ installIds: ['quiet'], userIds: ['quinn', 'nobody', 'z'] })).reachable).to.equal(false)
  })

  it('remembers that an exclusion was unknown, and is reachable even if all of it is excluded', async () => {
    const found = await lookup({ installIds: ['a'], excludeInstallIds: ['b', 'a', 'z', 'a'] })
    expect(found).to.deep.equal({
      target: { kind: 'installs', rows: [rows.a], exclude: [rows.a, rows.b] },
      errors: {},
      reachable: true,
      reached: [],
    })
    const ofUser = await lookup({ userIds: ['ben'], excludeInstallIds: ['z'] })
    expect(ofUser.target).to.deep.include({ exclude: [], awaits: true })
  })

  it('looks up only the exclusions of a broadcast', async () => {
    expect(await lookup({ broadcast: true, excludeInstallIds: ['quiet', 'z'] })).to.deep.equal({
      target: { kind: 'broadcast', exclude: [rows.quiet], awaits: true },
      errors: {},
      reachable: true,
    })
  })

  it('finds nobody of another app', async () => {
    const second = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Second' }))
    const { errors, reachable } = await lookup({ installIds: ['a'], userIds: ['ben'] }, second.id)
    expect(errors).to.deep.equal({ unknownInstallIds: ['a'], unknownUserIds: ['ben'] })
    expect(reachable).to.equal(false)
  })

  it('accepts more ids than fit in one statement', async () => {
    const installIds = Array.from({ length: 25_000 }, (_, i) => `x${i}`)
    const { errors, target } = await lookup({ installIds: [...installIds, 'a'] })
    expect(errors.unknownInstallIds).to.have.length(25_000)
    expect(target).to.deep.include({ rows: [rows.a] })
  })
})
