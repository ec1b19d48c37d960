import { expect } from 'chai'
import { deleteApp } from '../../../src/domain/apps/deletion.ts'
import { chance } from '../../support/chance.ts'
import { many } from '../../support/depth.ts'
import { circle } from '../../support/geofences.ts'
import { onEachDatabase, type TestProgram } from '../../support/program.ts'
import { sharedDatabase } from '../../support/shared-database.ts'

const HOUR = 3_600_000
const INSTALLS = 24
const USERS = 12
/** Other histories on the other database. */
const SEEDS = {
  sqlite: Array.from({ length: many(1, { long: 10 }) }, (_, i) => 1 + 2 * i),
  postgres: Array.from({ length: many(1, { long: 10 }) }, (_, i) => 2 + 2 * i),
}

onEachDatabase('the counts of geofences', (kind) => {
  let test: TestProgram
  let uuid = 0
  const openShared = sharedDatabase(kind)
  beforeEach(async () => {
    test = await openShared()
  })
  afterEach(() => test.close())

  /** The users inside each geofence, counted again by what is stored. */
  async function recount(): Promise<Map<number, number>> {
    const since = test.clock.now() - test.program.kernel.config['geofences.maxAge'] * 1000
    const rows: { id: number; users: number }[] = await test.program.kernel.db
      .read('geofence_presence as inside')
      .join('install_positions as place', 'place.install_row', 'inside.install_row')
      .join('installs', 'installs.id', 'inside.install_row')
      .where('place.position_at', '>', since)
      .groupBy('inside.geofence_id')
      .select('inside.geofence_id as id')
      .countDistinct({ users: 'installs.user_id' })
    return new Map(rows.map(({ id, users }) => [id, users]))
  }

  async function expectExact(when: string): Promise<void> {
    const { geofences } = await test.program.geofences.list(test.first.id, { limit: 100 })
    const right = await recount()
    const shown = geofences.map(({ id, activeUsers }) => [id, activeUsers])
    expect(shown, when).to.deep.equal(geofences.map(({ id }) => [id, right.get(id) ?? 0]))
  }

  const event = (type: string, data: object) => ({ type, uuid: `e${++uuid}`, timestamp: test.clock.now(), data })
  /** A transaction for each, so that they meet on PostgreSQL as those of several processes do. */
  const upload = (install: string, ...events: object[]) =>
    test.program.inTransaction((tx) => tx.events.ingest(test.first.id, install, events))

  for (const seed of SEEDS[kind]) {
    it(`are those of a recount after a random history of many things at once (${seed})`, async () => {
      const { program, clock, first } = test
      const random = chance(seed)
      const place = () => circle([random(10) / 10, 0], 5_000 + random(40_000))
      const someFence = async () => {
        const { geofences } = await program.geofences.list(first.id, { limit: 100 })
        return geofences[random(geofences.length)]!.id
      }
      const create = () =>
        program.inTransaction((tx) => tx.geofences.create(first.id, { name: 'F', boundsGeoJson: place() }))
      const change = (id: number, how: object) => program.inTransaction((tx) => tx.geofences.update(first.id, id, how))
      const install = () => `i${random(INSTALLS)}`
      const move = () => event('k.engage.locationUpdated', { lat: 0, lng: random(10) / 10 })
      const associate = () => event('k.stats.userAssociated', { id: `u${random(USERS)}` })
      for (let i = 0; i < 5; i++) await create()

      let least = 0
      for (let round = 0; round < 8; round++) {
        clock.advance(HOUR * (1 + random(6)))
        const uploads = Array.from({ length: 20 }, () => {
          const events = [[move()], [associate()], [move(), associate()], [associate(), move(), move()]]
          return upload(install(), ...events[random(events.length)]!)
        })
        const what = random(8)
        if (what === 0) uploads.push(create() as never)
        if (what === 1) uploads.push(change(await someFence(), { isEnabled: random(2) === 0 }) as never)
        if (what === 2 || what === 3) uploads.push(change(await someFence(), { boundsGeoJson: place() }) as never)
        if (what === 4) {
          const id = await someFence()
          uploads.push(program.inTransaction((tx) => tx.geofences.delete(first.id, id)) as never)
        }
        if (what > 4) uploads.push(program.inTransaction((tx) => tx.geofences.forget(5)) as never)
        await Promise.all(uploads)
        while (await program.inTransaction((tx) => tx.geofences.settle())) continue
        await expectExact(`after round ${round}`)
        least = Math.max(least, ...(await recount()).values())
      }
      expect(least, 'somebody was inside').to.be.above(1)

      // Installs go by cascades, and their users with them.
      await program.kernel.db.write((trx) =>
        trx('installs')
          .where('id', '<=', INSTALLS / 2)
          .delete(),
      )
      await expectExact('after installs were deleted')
      await deleteApp({ inTransaction: program.inTransaction, clock }, first.id)
      for (const table of ['geofence_users', 'geofence_activations', 'active_hour_counts']) {
        expect(await program.kernel.db.read(table), table).to.deep.equal([])
      }
    })
  }

  it('count two installs of a user once, also when they enter and leave at the same time', async () => {
    const { program, first } = test
    const made = (name: string) =>
      program.inTransaction((tx) => tx.geofences.create(first.id, { name, boundsGeoJson: circle([0, 0], 1000) }))
    const ids = [(await made('a')).id, (await made('b')).id]
    const installs = ['one', 'two', 'three', 'four']
    await Promise.all(installs.map((id) => upload(id, event('k.stats.userAssociated', { id: 'ann' }))))
    const counts = async () =>
      Promise.all(ids.map(async (id) => (await program.geofences.get(first.id, id)).activeUsers))
    for (let i = 0; i < 5; i++) {
      test.clock.advance(1000)
      await Promise.all(installs.map((id) => upload(id, event('k.engage.locationUpdated', { lat: 0, lng: 0 }))))
      expect(await counts()).to.deep.equal([1, 1])
      test.clock.advance(1000)
      await Promise.all(
        installs.slice(1).map((id) => upload(id, event('k.engage.locationUpdated', { lat: 1, lng: 1 }))),
      )
      expect(await counts(), 'one stayed').to.deep.equal([1, 1])
      await upload('one', event('k.engage.locationUpdated', { lat: 1, lng: 1 }))
      expect(await counts()).to.deep.equal([0, 0])
    }
  })
})
