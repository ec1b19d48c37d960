import { expect } from 'chai'
import { contains, shapeOf } from '../../../src/domain/geofences/shape/shape.ts'
import type { Position } from '../../../src/domain/geofences/types.ts'
import type { Program } from '../../../src/program.ts'
import { circle } from '../../support/geofences.ts'
import { onEachDatabase, type TestProgram } from '../../support/program.ts'
import { sharedDatabase } from '../../support/shared-database.ts'

onEachDatabase('position reports at once', (kind) => {
  let test: TestProgram
  let program: Program
  let appId: number
  let uuid = 0
  const openShared = sharedDatabase(kind)
  beforeEach(async () => {
    test = await openShared()
    program = test.program
    appId = test.first.id
    // A row of fences on the equator that overlap: 0 to 3, 2 to 5, 4 to 7 ... tenths of a degree.
    for (let i = 0; i < 5; i++) {
      const boundsGeoJson = circle([0.2 * i + 0.15, 0], 16_700)
      await program.inTransaction((tx) => tx.geofences.create(appId, { name: `F${i}`, boundsGeoJson }))
    }
  })
  afterEach(() => test.close())

  const report = (lng: number, at: number) => ({
    type: 'k.engage.locationUpdated',
    uuid: `event-${++uuid}`,
    timestamp: at,
    data: { lat: 0, lng },
  })
  const upload = (installId: string, ...events: object[]) => program.uploads.ingest(appId, installId, events)

  /** Reads what an install entered and left, oldest first. */
  async function story(installId: string): Promise<string[]> {
    const { row } = await program.crm.showInstall(appId, installId)
    const events = await program.events.after(appId, 0, 10_000)
    return events
      .filter((event) => event.installRow === row && event.type.startsWith('geofence.'))
      .map(({ type, data }) => `${type.slice('geofence.'.length)} ${String(data!.name)}`)
  }

  /** Computes what a walk along these positions must have told, by the shapes alone. */
  async function expectedStory(walk: readonly Position[]): Promise<string[]> {
    const { geofences } = await program.geofences.list(appId, { limit: 10 })
    const told: string[] = []
    let before = new Set<string>()
    for (const position of walk) {
      const inside = geofences.filter((fence) => contains(shapeOf(fence.boundsGeoJson), position))
      const names = new Set(inside.map(({ name }) => name))
      told.push(...[...before].filter((name) => !names.has(name)).map((name) => `left ${name}`))
      told.push(...[...names].filter((name) => !before.has(name)).map((name) => `entered ${name}`))
      before = names
    }
    return told
  }

  it('of many installs, several of each, tell each install its own walk', async () => {
    const now = test.clock.now()
    const walkOf = (n: number) => Array.from({ length: 6 }, (_, i) => ({ lat: 0, lng: ((i * (n + 1)) % 12) / 10 }))
    const calls = Array.from({ length: 20 }, (_, n) => {
      const reports = walkOf(n).map(({ lng }, i) => report(lng, now + i - 100))
      // One in a call, two in a call, and three in a third.
      return [reports.slice(0, 1), reports.slice(1, 3), reports.slice(3)].map((some) => upload(`i${n}`, ...some))
    })
    await Promise.all(calls.flat())
    for (let n = 0; n < 20; n++) expect(await story(`i${n}`), `i${n}`).to.deep.equal(await expectedStory(walkOf(n)))
    const { geofences } = await program.geofences.list(appId, { limit: 10 })
    const entered = (await program.events.after(appId, 0, 10_000)).filter(({ type }) => type === 'geofence.entered')
    for (const { name, activationCount } of geofences) {
      expect(activationCount).to.equal(entered.filter(({ data }) => data!.name === name).length)
    }
  })

  it('an older one that comes later changes nothing, in the same call, beside it and after it', async () => {
    const now = test.clock.now()
    await upload('a', report(0.1, now - 10), report(0.9, now - 20))
    await Promise.all([upload('b', report(0.1, now - 10)), upload('b', report(0.9, now - 20))])
    await upload('c', report(0.1, now - 10))
    await upload('c', report(0.9, now - 20))
    for (const id of ['a', 'b', 'c']) expect(await story(id), id).to.deep.equal(['entered F0'])
  })

  it('the same one in parallel calls enters once', async () => {
    const one = report(0.1, test.clock.now())
    await Promise.all(Array.from({ length: 10 }, () => upload('a', one)))
    expect(await story('a')).to.deep.equal(['entered F0'])
  })

  it('beside uploads that are no places: those are stored without effect, and nobody else minds', async () => {
    const now = test.clock.now()
    const broken = { ...report(0, now), data: { lat: 'north', lng: 0 } }
    await Promise.all([upload('a', report(0.1, now)), upload('b', broken), upload('c', report(0.1, now))])
    expect(await story('a')).to.deep.equal(['entered F0'])
    expect(await story('b')).to.deep.equal([])
    expect(await story('c')).to.deep.equal(['entered F0'])
  })
})
