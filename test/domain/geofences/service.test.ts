import { expect } from 'chai'
import { type InsideOf, insideCondition } from '../../../src/domain/geofences/presence.repository.ts'
import type { BoundsFeature, GeofenceChange, LngLat, NewGeofence } from '../../../src/domain/geofences/types.ts'
import { AppError } from '../../../src/platform/errors.ts'
import type { Program } from '../../../src/program.ts'
import { eventually } from '../../support/eventually.ts'
import { circle, polygon } from '../../support/geofences.ts'
import { addInstall } from '../../support/installs.ts'
import { onEachDatabase, onPostgres, openTestProgram, type TestProgram } from '../../support/program.ts'
import { sharedDatabase } from '../../support/shared-database.ts'

const HOUR = 3_600_000
const MOVED = 'k.engage.locationUpdated'

onEachDatabase('geofences', (kind) => {
  let test: TestProgram
  let program: Program
  let appId: number
  let uuid = 0

  const openShared = sharedDatabase(kind)
  beforeEach(async () => {
    test = await openShared()
    program = test.program
    appId = test.first.id
  })
  afterEach(() => test.close())

  const create = (name: string, boundsGeoJson: BoundsFeature, more: Partial<NewGeofence> = {}, id = appId) =>
    program.inTransaction((tx) => tx.geofences.create(id, { name, boundsGeoJson, ...more }))
  const change = (id: number, how: GeofenceChange) => program.inTransaction((tx) => tx.geofences.update(appId, id, how))

  /** An event of the device, a minute after the one before unless `at` says when. */
  async function report(installId: string, data: object, { at, id = appId }: { at?: number; id?: number } = {}) {
    if (at === undefined) test.clock.advance(60_000)
    const event = { type: MOVED, uuid: `event-${++uuid}`, timestamp: at ?? test.clock.now(), data }
    const result = await program.inTransaction((tx) => tx.events.ingest(id, installId, [event]))
    expect(result.accepted).to.equal(1)
  }
  const move = (installId: string, lat: number, lng: number, how?: { at?: number; id?: number }) =>
    report(installId, { lat, lng }, how)

  /** `entered Home`, `left Home`... of an app, oldest first. */
  async function story(id = appId): Promise<string[]> {
    const events = await program.events.after(id, 0, 1000)
    return events
      .filter(({ type }) => type.startsWith('geofence.'))
      .map(({ type, data }) => `${type.slice('geofence.'.length)} ${String(data!.name)}`)
  }

  /** Install ids that are meant, in the order of their names. */
  async function inside(which: InsideOf, id = appId): Promise<string[]> {
    const sql = program.kernel.db.read
    const maxAge = program.kernel.config['geofences.maxAge'] * 1000
    const asked = { ...which, appId: id, now: test.clock.now(), maxAge }
    const rows = await sql('installs').where(insideCondition(sql, asked)).orderBy('install_id').select('install_id')
    return rows.map((row) => row.install_id)
  }

  const SQUARE: LngLat[] = [
    [0, 0],
    [10, 0],
    [10, 10],
    [0, 10],
    [0, 0],
  ]

  describe('made', () => {
    it('have what was given and what they begin with', async () => {
      const bounds = { ...circle([13.4, 52.5], 100), extra: { kept: true } }
      const made = await create('Home', bounds, { tags: ['b', 'a', 'b'] })
      const at = test.clock.now()
      const whole = { id: made.id, appId, name: 'Home', isEnabled: true, boundsGeoJson: bounds, tags: ['b', 'a'] }
      expect(made).to.deep.equal({ ...whole, activationCount: 0, activeUsers: 0, createdAt: at, updatedAt: at })
      expect(await program.geofences.get(appId, made.id)).to.deep.equal(made)
    })

    it('are listed page by page in the order of their creation', async () => {
      for (const name of ['A', 'B', 'C']) await create(name, polygon(SQUARE))
      const first = await program.geofences.list(appId, { limit: 2 })
      expect(first.geofences.map(({ name }) => name)).to.deep.equal(['A', 'B'])
      const second = await program.geofences.list(appId, { after: first.next!, limit: 2 })
      expect(second.geofences.map(({ name }) => name)).to.deep.equal(['C'])
      expect(second.next).to.equal(null)
    })

    it('change in what is given only', async () => {
      const { id, boundsGeoJson } = await create('A', polygon(SQUARE), { tags: ['x'] })
      test.clock.advance(5000)
      const changed = await change(id, { name: 'B', tags: ['y', 'z'] })
      expect(changed).to.include({ name: 'B', isEnabled: true, updatedAt: test.clock.now() })
      expect(changed.tags).to.deep.equal(['y', 'z'])
      expect(changed.boundsGeoJson).to.deep.equal(boundsGeoJson)
      expect(await program.geofences.get(appId, id)).to.deep.equal(changed)
    })

    it('are not there for another app', async () => {
      const other = await program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))
      const { id } = await create('A', polygon(SQUARE))
      expect((await program.geofences.list(other.id, { limit: 10 })).geofences).to.deep.equal([])
      expect(await program.geofences.unknownIds(other.id, [id])).to.deep.equal([id])
      for (const call of [
        program.geofences.get(other.id, id),
        program.inTransaction((tx) => tx.geofences.update(other.id, id, { name: 'x' })),
        program.inTransaction((tx) => tx.geofences.delete(other.id, id)),
      ]) {
        const error = await call.then(
          () => undefined,
          (thrown: unknown) => thrown,
        )
        expect(error).to.be.instanceOf(AppError).with.property('code', 'not_found')
      }
      expect((await program.geofences.get(appId, id)).name).to.equal('A')
    })

    it('tell which ids are unknown, each once and in the order given', async () => {
      const { id } = await create('A', polygon(SQUARE))
      expect(await program.geofences.unknownIds(appId, [77, id, 5555, 77])).to.deep.equal([77, 5555])
      expect(await program.geofences.unknownIds(appId, [])).to.deep.equal([])
    })
  })

  describe('crossed by an install', () => {
    it('count each entry, store events with what happened, and know who is there', async () => {
      const home = await create('Home', circle([13.4, 52.5], 100), { tags: ['private'] })
      await addInstall(program, appId, 'one', { user: 'ann' })
      await move('one', 52.5, 13.4)
      expect(await program.geofences.get(appId, home.id)).to.include({ activationCount: 1, activeUsers: 1 })
      await move('one', 52.5001, 13.4)
      await move('one', 52.6, 13.4)
      expect(await program.geofences.get(appId, home.id)).to.include({ activationCount: 1, activeUsers: 0 })
      await move('one', 52.5, 13.4001)
      expect(await program.geofences.get(appId, home.id)).to.include({ activationCount: 2, activeUsers: 1 })
      expect(await story()).to.deep.equal(['entered Home', 'left Home', 'entered Home'])
      const events = await program.events.after(appId, 0, 100)
      const entered = events.find(({ type }) => type === 'geofence.entered')!
      expect(entered.data).to.deep.equal({ geofenceId: home.id, name: 'Home', tags: ['private'], lat: 52.5, lng: 13.4 })
      expect(entered).to.include({
        userIdentifier: 'ann',
        happenedAt: events.find(({ type }) => type === MOVED)!.happenedAt,
      })
    })

    it('count users, not installs', async () => {
      const { id } = await create('Home', circle([0, 0], 1000))
      for (const [install, user] of [
        ['a', 'ann'],
        ['b', 'ann'],
        ['c', 'bob'],
      ] as const) {
        await addInstall(program, appId, install, { user })
        await move(install, 0, 0)
      }
      expect(await program.geofences.get(appId, id)).to.include({ activationCount: 3, activeUsers: 2 })
    })

    it('may lie upon each other: one step leaves some and enters others', async () => {
      await create(
        'West',
        polygon([
          [0, 0],
          [6, 0],
          [6, 10],
          [0, 10],
          [0, 0],
        ]),
      )
      await create('Middle', circle([5, 5], 150_000))
      await create(
        'East',
        polygon([
          [4, 0],
          [10, 0],
          [10, 10],
          [4, 10],
          [4, 0],
        ]),
      )
      await move('one', 5, 1)
      await move('one', 5, 5)
      await move('one', 5, 9)
      expect(await story()).to.deep.equal([
        'entered West',
        'entered Middle',
        'entered East',
        'left West',
        'left Middle',
      ])
    })

    it('are found over the antimeridian, at the poles and in a hole', async () => {
      await create(
        'Fiji',
        polygon([
          [177, -20],
          [-178, -20],
          [-178, -15],
          [177, -15],
          [177, -20],
        ]),
      )
      await create('Wrangel', circle([180, 71], 100_000))
      await create(
        'Arctic',
        polygon([
          [0, 85],
          [120, 85],
          [-120, 85],
          [0, 85],
        ]),
      )
      await create('South Pole', circle([0, -90], 1000))
      await create(
        'Ring',
        polygon(SQUARE, [
          [4, 4],
          [6, 4],
          [6, 6],
          [4, 6],
          [4, 4],
        ]),
      )
      const places: [number, number, string[]][] = [
        [-17, 179, ['Fiji']],
        [-17, -179, ['Fiji']],
        [-17, 180, ['Fiji']],
        [-17, -180, ['Fiji']],
        [-17, 0, []],
        [71, -179, ['Wrangel']],
        [71, 179, ['Wrangel']],
        [90, 12, ['Arctic']],
        [86, -77, ['Arctic']],
        [-90, 55, ['South Pole']],
        [-89.995, -140, ['South Pole']],
        [5, 3, ['Ring']],
        [5, 5, []],
      ]
      for (const [lat, lng, names] of places) {
        await move('one', 40, 40)
        const before = (await story()).length
        await move('one', lat, lng)
        expect((await story()).slice(before), `${lat}, ${lng}`).to.deep.equal(names.map((name) => `entered ${name}`))
      }
    })

    it('with very many corners are the same', async () => {
      const round = (n: number): LngLat[] => {
        const corners = Array.from(
          { length: n },
          (_, i): LngLat => [Math.cos((i / n) * 2 * Math.PI), Math.sin((i / n) * 2 * Math.PI)],
        )
        return [...corners, corners[0]!]
      }
      await create('Round', polygon(round(1000)))
      await move('one', 0.99, 0)
      await move('one', 0.8, 0.8)
      await move('one', 0.7, 0.7)
      expect(await story()).to.deep.equal(['entered Round', 'left Round', 'entered Round'])
    })

    it('of another app are not met, not even at the same place', async () => {
      const other = await program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))
      await create('Mine', circle([0, 0], 1000))
      await create('Theirs', circle([0, 0], 1000), {}, other.id)
      await move('one', 0, 0)
      await move('one', 0, 0, { id: other.id })
      expect([await story(), await story(other.id)]).to.deep.equal([['entered Mine'], ['entered Theirs']])
      await program.inTransaction((tx) => tx.apps.delete(other.id))
      await move('one', 5, 5)
      expect(await story()).to.deep.equal(['entered Mine', 'left Mine'])
    })

    it('follow the order of what happened, not of arrival', async () => {
      await create('Home', circle([0, 0], 1000))
      await move('one', 0, 0)
      const now = test.clock.now()
      await move('one', 5, 5, { at: now - 1 })
      expect(await story()).to.deep.equal(['entered Home'])
      await move('one', 5, 5, { at: now })
      expect(await story()).to.deep.equal(['entered Home', 'left Home'])
    })

    it('take numbers as text, and store what is no position without its effect', async () => {
      await create('Home', circle([13.4, 52.5], 100))
      await report('one', { lat: '52.5', lng: '13.4' })
      await report('one', { lat: 91, lng: 0 })
      await report('one', { lat: 52.5 })
      await report('one', {})
      expect(await story()).to.deep.equal(['entered Home'])
      expect(await inside({ any: true })).to.deep.equal(['one'])
    })
  })

  describe('and time', () => {
    it('a position that is too old puts nobody inside', async () => {
      const { id } = await create('Home', circle([0, 0], 1000))
      await move('one', 0, 0)
      test.clock.advance(24 * HOUR - 1)
      expect(await inside({ any: true })).to.deep.equal(['one'])
      test.clock.advance(1)
      expect(await inside({ any: true })).to.deep.equal([])
      expect(await program.geofences.get(appId, id)).to.include({ activationCount: 1, activeUsers: 0 })
    })

    for (const swept of [false, true]) {
      it(`whoever comes back after that enters again, and does not leave (${swept ? 'tidied up' : 'not tidied up'})`, async () => {
        await create('Home', circle([0, 0], 1000))
        await create('Away', circle([50, 0], 1000))
        await move('one', 0, 0)
        await move('two', 0, 0)
        test.clock.advance(25 * HOUR)
        if (swept) expect(await program.inTransaction((tx) => tx.geofences.forget(1000))).to.equal(2)
        await move('one', 0, 0)
        await move('two', 0, 50)
        expect(await story()).to.deep.equal(['entered Home', 'entered Home', 'entered Home', 'entered Away'])
        expect(await inside({ any: true })).to.deep.equal(['one', 'two'])
      })
    }

    it('a report that comes in too late changes nothing', async () => {
      await create('Home', circle([0, 0], 1000))
      await move('one', 0, 0, { at: test.clock.now() - 24 * HOUR })
      expect(await story()).to.deep.equal([])
      await move('one', 0, 0, { at: test.clock.now() - 24 * HOUR + 1 })
      expect(await story()).to.deep.equal(['entered Home'])
    })

    it('forgetting keeps what is fresh', async () => {
      await create('Home', circle([0, 0], 1000))
      await move('one', 0, 0)
      test.clock.advance(23 * HOUR)
      await move('two', 0, 0)
      test.clock.advance(HOUR)
      expect(await program.inTransaction((tx) => tx.geofences.forget(1000))).to.equal(1)
      expect(await program.inTransaction((tx) => tx.geofences.forget(1000))).to.equal(0)
      expect(await inside({ any: true })).to.deep.equal(['two'])
    })
  })

  describe('made or changed where installs are', () => {
    it('have them inside at once, and nobody has entered', async () => {
      await move('in', 0, 0)
      await move('out', 5, 5)
      const { id } = await create('Home', circle([0, 0], 1000))
      expect(await inside({ geofenceIds: [id] })).to.deep.equal(['in'])
      expect(await program.geofences.get(appId, id)).to.include({ activationCount: 0, activeUsers: 1 })
      await move('in', 1, 1)
      expect(await story()).to.deep.equal(['left Home'])
    })

    it('with new bounds hold whoever is in those', async () => {
      await move('a', 0, 0)
      await move('b', 5, 5)
      const { id } = await create('Home', circle([0, 0], 1000))
      await change(id, { boundsGeoJson: circle([5, 5], 1000) })
      expect(await inside({ any: true })).to.deep.equal(['b'])
      expect(await story()).to.deep.equal([])
      await move('c', 0, 0)
      await move('c', 5, 5)
      expect(await story()).to.deep.equal(['entered Home'])
    })

    it('with another name and other tags hold the same', async () => {
      const { id } = await create('Home', circle([0, 0], 1000), { tags: ['old'] })
      await move('a', 0, 0)
      await change(id, { name: 'House', tags: ['new'] })
      expect(await inside({ tags: ['old'] })).to.deep.equal([])
      expect(await inside({ tags: ['new'] })).to.deep.equal(['a'])
    })

    it('disabled hold nobody, meet nobody and tell nothing', async () => {
      const { id } = await create('Home', circle([0, 0], 1000))
      await move('a', 0, 0)
      await change(id, { isEnabled: false })
      expect(await inside({ geofenceIds: [id] })).to.deep.equal([])
      await move('a', 1, 1)
      await move('b', 0, 0)
      expect(await story()).to.deep.equal(['entered Home'])
      await change(id, { isEnabled: true })
      expect(await inside({ geofenceIds: [id] })).to.deep.equal(['b'])
      await move('a', 0, 0)
      expect(await story()).to.deep.equal(['entered Home', 'entered Home'])
    })

    it('made disabled begin with nobody', async () => {
      await move('a', 0, 0)
      await create('Home', circle([0, 0], 1000), { isEnabled: false })
      await move('a', 0, 0.0001)
      expect(await story()).to.deep.equal([])
      expect(await program.inTransaction((tx) => tx.geofences.settle())).to.equal(false)
    })

    it('deleted are gone without a word', async () => {
      const { id } = await create('Home', circle([0, 0], 1000), { tags: ['x'] })
      await move('a', 0, 0)
      await program.inTransaction((tx) => tx.geofences.delete(appId, id))
      expect(await inside({ any: true })).to.deep.equal([])
      await move('a', 0, 0.0001)
      await move('a', 1, 1)
      expect(await story()).to.deep.equal(['entered Home'])
    })

    it('over very many installs are filled step by step, and whoever moves meanwhile is right', async () => {
      const installs = 12_500
      await program.kernel.db.write(async (trx) => {
        const row = { app_id: appId, last_active: 0, created_at: 0, updated_at: 0 }
        const [user] = await trx('users')
          .insert({
            app_id: appId,
            identifier: 'all',
            anonymous: false,
            listed: true,
            first_active: 0,
            last_active: 0,
            created_at: 0,
            updated_at: 0,
          })
          .returning('id')
        for (let i = 0; i < installs; i += 500) {
          const ids = Array.from({ length: 500 }, (_, j) => i + j)
          const made = await trx('installs')
            .insert(ids.map((n) => ({ ...row, install_id: `i${n}`, user_id: user.id })))
            .returning('id')
          await trx('install_positions').insert(
            made.map(({ id }, j) => ({
              install_row: id,
              app_id: appId,
              lat: 1,
              lng: (i + j) % 2,
              position_at: test.clock.now(),
            })),
          )
        }
      })
      const { id } = await create(
        'Wide',
        polygon([
          [-0.5, 0],
          [0.5, 0],
          [0.5, 2],
          [-0.5, 2],
          [-0.5, 0],
        ]),
      )
      expect((await inside({ geofenceIds: [id] })).length).to.equal(5000)
      await move('i12498', 50, 50)
      await move('i12499', 1, 0)
      expect(await story()).to.deep.equal(['entered Wide'])
      let steps = 0
      while (await program.inTransaction((tx) => tx.geofences.settle())) steps++
      expect(steps).to.equal(2)
      expect((await inside({ geofenceIds: [id] })).length).to.equal(6250)
      expect(await program.geofences.get(appId, id)).to.include({ activationCount: 1, activeUsers: 1 })
    })
  })

  describe('as a condition over installs', () => {
    it('mean the installs in any of the ids, with any of the tags, or in any fence of the app', async () => {
      const other = await program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))
      const a = await create('A', circle([0, 0], 1000), { tags: ['red', 'round'] })
      const b = await create('B', circle([1, 0], 1000), { tags: ['blue', 'round'] })
      const theirs = await create('Theirs', circle([0, 0], 1000), { tags: ['round'] }, other.id)
      await move('in a', 0, 0)
      await move('in b', 0, 1)
      await move('nowhere', 50, 50)
      await addInstall(program, appId, 'silent')
      await move('theirs', 0, 0, { id: other.id })
      expect(await inside({ geofenceIds: [a.id] })).to.deep.equal(['in a'])
      expect(await inside({ geofenceIds: [a.id, b.id, theirs.id, 99_999] })).to.deep.equal(['in a', 'in b'])
      expect(await inside({ tags: ['red'] })).to.deep.equal(['in a'])
      expect(await inside({ tags: ['round'] })).to.deep.equal(['in a', 'in b'])
      expect(await inside({ tags: ['unknown'] })).to.deep.equal([])
      expect(await inside({ any: true })).to.deep.equal(['in a', 'in b'])
      expect(await inside({ any: true }, other.id)).to.deep.equal(['theirs'])
    })
  })
})

onPostgres('a geofence made while an install moves', () => {
  it('waits for it and holds it: neither misses the other', async () => {
    const { program, first, clock, close } = await openTestProgram({ kind: 'postgres' })
    try {
      const moved = Promise.withResolvers<void>()
      const gate = Promise.withResolvers<void>()
      const moving = program.inTransaction(async (tx) => {
        const event = { type: MOVED, uuid: 'u', timestamp: clock.now(), data: { lat: 0, lng: 0 } }
        await tx.events.ingest(first.id, 'one', [event])
        moved.resolve()
        await gate.promise
      })
      await moved.promise
      const making = program.inTransaction((tx) =>
        tx.geofences.create(first.id, { name: 'Home', boundsGeoJson: circle([0, 0], 1000) }),
      )
      await eventually(async () => {
        const waiting = await program.kernel.db
          .read('pg_locks')
          .where({ locktype: 'advisory', granted: false })
          .whereRaw('database = (SELECT oid FROM pg_database WHERE datname = current_database())')
          .first('pid')
        return waiting !== undefined
      }, 'the new fence waits for the install')
      gate.resolve()
      await moving
      const { id } = await making
      expect(await program.geofences.get(first.id, id)).to.include({ activationCount: 0, activeUsers: 1 })
    } finally {
      await close()
    }
  })
})
