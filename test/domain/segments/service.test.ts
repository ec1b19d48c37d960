import { expect } from 'chai'
import { segmentsRepository } from '../../../src/domain/segments/repository.ts'
import { segmentsService } from '../../../src/domain/segments/service.ts'
import type { Filter } from '../../../src/domain/segments/types.ts'
import { rowsOf } from '../../../src/platform/db/dialect.ts'
import { isAppError } from '../../../src/platform/errors.ts'
import { circle } from '../../support/geofences.ts'
import { addInstall } from '../../support/installs.ts'
import { onEachDatabase, type TestProgram } from '../../support/program.ts'
import { sharedDatabase } from '../../support/shared-database.ts'

const EVERYBODY: Filter = { field: 'attributes.nothing', op: 'exists', value: false }

onEachDatabase('segments', (kind) => {
  let test: TestProgram
  let appId: number
  const openShared = sharedDatabase(kind)
  beforeEach(async () => {
    test = await openShared()
    appId = test.first.id
  })
  afterEach(() => test.close())

  const create = (filter: Filter, name = 'One') =>
    test.program.inTransaction((tx) => tx.segments.create(appId, { name, filter }))
  const failure = async (work: Promise<unknown>) => {
    const error = await work.then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    if (!isAppError(error)) throw error ?? new Error('nothing was thrown')
    return error
  }

  it('belong to one app, keep their filter as it was given, and are listed page by page', async () => {
    const filter: Filter = { or: [{ not: { field: 'os', op: 'in', value: ['iOS', 'web'] } }, EVERYBODY] }
    const { id, uuid } = await create(filter)
    const second = await create(EVERYBODY, 'Two')
    expect(await test.program.segments.get(appId, { uuid })).to.deep.include({ id, uuid, appId, name: 'One', filter })
    const page = await test.program.segments.list(appId, { limit: 1 })
    expect(page.segments.map((one) => one.id)).to.deep.equal([id])
    const rest = await test.program.segments.list(appId, { after: page.next!, limit: 1 })
    expect({ ...rest, segments: rest.segments.map((one) => one.id) }).to.deep.equal({
      segments: [second.id],
      next: null,
    })

    const other = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))
    for (const key of [{ id }, { uuid }]) {
      expect((await failure(test.program.segments.get(other.id, key))).code).to.equal('not_found')
      const gone = test.program.inTransaction((tx) => tx.segments.delete(other.id, key))
      expect((await failure(gone)).code).to.equal('not_found')
    }
    expect((await test.program.segments.list(other.id, { limit: 10 })).segments).to.deep.equal([])
  })

  it('change what is given and leave alone what is absent', async () => {
    const { uuid } = await create(EVERYBODY)
    test.clock.advance(1000)
    const filter: Filter = { field: 'os', op: 'equals', value: 'iOS' }
    const update = (change: object) => test.program.inTransaction((tx) => tx.segments.update(appId, { uuid }, change))
    expect(await update({ filter })).to.deep.include({ name: 'One', filter, updatedAt: test.clock.now() })
    expect(await update({ name: 'New' })).to.deep.include({ name: 'New', filter })
    expect(await test.program.segments.get(appId, { uuid })).to.deep.include({ name: 'New', filter })
  })

  it('name every channel and geofence that there is not', async () => {
    await test.program.inTransaction((tx) => tx.channels.create(appId, { uuid: 'news' }))
    const filter: Filter = {
      and: [
        { field: 'channel', op: 'in', value: ['news', 'nwes', 'old'] },
        { not: { field: 'geofence', op: 'equals', value: 77 } },
      ],
    }
    const fields = {
      'filter.and[0].value': ['there is no channel "nwes"', 'there is no channel "old"'],
      'filter.and[1].not.value': ['there is no geofence 77'],
    }
    expect((await failure(create(filter))).details.fields).to.deep.equal(fields)
    expect((await failure(test.program.segments.previewOf(appId, filter))).details.fields).to.deep.equal(fields)
    const { id } = await create(EVERYBODY)
    const update = test.program.inTransaction((tx) => tx.segments.update(appId, { id }, { filter }))
    expect((await failure(update)).details.fields).to.deep.equal(fields)
    const alone = create({ field: 'channel', op: 'equals', value: 'x' })
    expect((await failure(alone)).details.fields).to.have.all.keys('filter.value')
  })

  it('mean subscribers of a channel, and nobody by it once the channel is deleted', async () => {
    const { program } = test
    for (const name of ['a', 'b', 'c']) await addInstall(program, appId, name, { user: `user-${name}` })
    const channel = await program.inTransaction(async (tx) => {
      const made = await tx.channels.create(appId, { uuid: 'news' })
      await tx.subscriptions.changeSubscribers(
        appId,
        made.id,
        { installIds: ['a'], userIds: ['user-b'] },
        { subscribe: true, all: true },
      )
      return made
    })
    const { uuid } = await create({ field: 'channel', op: 'equals', value: 'news' })
    const installs = async () => (await program.segments.preview(appId, { uuid })).first.map((one) => one.installId)
    expect(await installs()).to.deep.equal(['a', 'b'])
    await program.inTransaction((tx) => tx.channels.delete(appId, channel.id))
    expect(await installs()).to.deep.equal([])
    const segment = await program.segments.get(appId, { uuid })
    for (const isWhole of [true, false]) {
      expect(await program.segments.measure(appId, segment, isWhole)).to.deep.equal({ total: 0, isEstimate: false })
    }
  })

  it('mean installs inside a geofence', async () => {
    const { program } = test
    const rows = [await addInstall(program, appId, 'near'), await addInstall(program, appId, 'far')]
    const boundsGeoJson = circle([13.4, 52.5], 1000)
    const fence = await program.inTransaction(async (tx) => {
      const made = await tx.geofences.create(appId, { name: 'Home', boundsGeoJson, tags: [] })
      for (const [i, row] of rows.entries()) {
        const position = { lat: 52.5 + i, lng: 13.4 }
        await tx.geofences.move(appId, [{ row, userIdentifier: 'x', position, at: test.clock.now() }])
      }
      return made
    })
    const preview = await program.segments.previewOf(appId, { field: 'geofence', op: 'in', value: [fence.id] })
    expect(preview.first.map((one) => one.installId)).to.deep.equal(['near'])
  })

  it('preview counts subscribed installs of the app by platform, over more than one stretch', async () => {
    const { program } = test
    const count = 4500
    await program.kernel.db.write(async (trx) => {
      const now = test.clock.now()
      const times = { last_active: now, created_at: now, updated_at: now }
      const [user] = await trx('users')
        .insert({ app_id: appId, identifier: 'u', anonymous: false, listed: false, first_active: now, ...times })
        .returning('id')
      const rows = Array.from({ length: count }, (_, i) => ({
        app_id: appId,
        install_id: `i${i}`,
        user_id: user.id,
        platform: i % 3 === 0 ? 1 : 2,
        subscribed: i % 10 !== 0,
        os: i % 3 === 0 ? 'iOS' : 'Android',
        ...times,
      }))
      for (let i = 0; i < count; i += 500) await trx('installs').insert(rows.slice(i, i + 500))
    })
    const preview = await program.segments.previewOf(appId, EVERYBODY)
    expect(preview).to.deep.include({ total: 4050, platforms: { ios: 1350, android: 2700 } })
    expect(preview.first.map((one) => one.installId)).to.deep.equal(['i3', 'i6', 'i9', 'i12', 'i15'])
    expect(preview.first[0]).to.deep.equal({ installId: 'i3', userIdentifier: 'u', platform: 'ios' })
    const other = await program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))
    expect(await program.segments.previewOf(other.id, EVERYBODY)).to.deep.equal({ total: 0, platforms: {}, first: [] })
  })

  it('know the first and the last subscribed install of a platform', async () => {
    const other = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))
    const add = (of: number, id: string) => addInstall(test.program, of, id, { user: id })
    await add(other.id, 'before')
    const rows = [await add(appId, 'a'), await add(appId, 'b'), await add(appId, 'c'), await add(appId, 'd')]
    await add(other.id, 'behind')
    const { read, write } = test.program.kernel.db
    const [{ platform }] = await read('installs').where({ id: rows[0] }).select('platform')
    const edges = (of: number) => segmentsRepository(read).edges(appId, of)
    expect(await edges(platform)).to.deep.equal({ first: rows[0], last: rows[3] })
    await write((trx) => trx('installs').whereIn('id', [rows[0]!, rows[3]!]).update({ subscribed: false }))
    expect(await edges(platform)).to.deep.equal({ first: rows[1], last: rows[2] })
    expect(await edges(platform + 1)).to.equal(undefined)
  })

  it('are found by a text of their filter, one after the other', async () => {
    const named = (value: string): Filter => ({ field: 'os', op: 'eq', value })
    const other = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))
    await test.program.inTransaction((tx) => tx.segments.create(other.id, { name: 'Theirs', filter: named('iOS') }))
    const ids = []
    for (const value of ['iOS', 'Android', 'iOS']) ids.push((await create(named(value), value)).id)
    const after = async (id: number, text = '"iOS"') =>
      (await segmentsRepository(test.program.kernel.db.read).containing(appId, text, id))?.id
    expect([await after(0), await after(ids[0]!), await after(ids[2]!)]).to.deep.equal([ids[0], ids[2], undefined])
    expect(await after(0, '"Android"')).to.equal(ids[1])
    expect(await after(0, '"ios"')).to.equal(undefined)
  })

  it('count relative times from the moment of use', async () => {
    const { program, clock } = test
    await addInstall(program, appId, 'a', { user: 'anna' })
    const { id } = await create({ field: 'lastActive', op: 'withinDays', value: 7 })
    const meant = async (now: number) => {
      const { condition } = await program.segments.condition(appId, id, now)
      return rowsOf(await program.kernel.db.read.raw('SELECT id FROM installs WHERE ?', [condition])).length
    }
    const at = clock.now()
    expect([await meant(at + 7 * 86_400_000), await meant(at + 7 * 86_400_000 + 1)]).to.deep.equal([1, 0])
  })

  it('follow an install that is updated: 1.10 comes after 1.9', async () => {
    const { program, clock } = test
    await addInstall(program, appId, 'a')
    const track = (version: string) =>
      program.inTransaction(async ({ crm }) => {
        const install = await crm.ensureInstall(appId, 'a', clock.now())
        await crm.trackInstall(appId, install, { app: { version } }, clock.now())
      })
    const newer = async () =>
      (await program.segments.previewOf(appId, { field: 'appVersion', op: 'greaterThan', value: '1.9' })).total
    await track('1.9.0')
    expect(await newer()).to.equal(0)
    await track('1.10')
    expect(await newer()).to.equal(1)
    await track('nightly')
    expect(await newer()).to.equal(0)
  })

  it('that a notification waits for are not deleted', async () => {
    const { db, clock } = test.program.kernel
    const { id, uuid } = await create(EVERYBODY, 'VIPs')
    let waiting: string | undefined = 'notification 12'
    const remove = () =>
      db.write((sql) => {
        const { channels, geofences, metrics } = test.program
        const awaitedBy = async () => waiting
        const others = {
          usedBy: async () => [],
          deleted: async () => {},
          reachable: async () => new Map<never, number>(),
        }
        const parts = { sql, repo: segmentsRepository(sql), channels, metrics, clock, awaitedBy, ...others }
        const inside = { unknownIds: geofences.unknownIds, insideCondition: () => sql.raw('FALSE') }
        return segmentsService({ ...parts, geofences: inside }).delete(appId, { uuid })
      })
    const refused = await failure(remove())
    expect(refused.code).to.equal('conflict')
    expect(refused.message).to.equal(
      'segment "VIPs" is the target of notification 12, which is not sent yet: cancel that first',
    )
    expect(await test.program.segments.get(appId, { id })).to.deep.include({ uuid })
    waiting = undefined
    await remove()
    expect((await failure(test.program.segments.get(appId, { id }))).code).to.equal('not_found')
  })

  it('keep no count of a filter that was changed while it was counted', async () => {
    const before = await create(EVERYBODY)
    const { id } = before
    test.clock.advance(1000)
    const filter: Filter = { field: 'os', op: 'equals', value: 'iOS' }
    await test.program.inTransaction((tx) => tx.segments.update(appId, { id }, { filter }))
    await test.program.inTransaction((tx) => tx.segments.noteSize(before, { total: 7, isEstimate: false }))
    expect(await test.program.segments.get(appId, { id })).to.deep.include({ size: null, sizedAt: null })
  })

  it('go with their app', async () => {
    await create(EVERYBODY)
    await test.program.inTransaction((tx) => tx.apps.delete(appId))
    expect(await test.program.kernel.db.read('segments')).to.deep.equal([])
  })
})
