import { expect } from 'chai'
import type { Targeting } from '../../../src/domain/audience/target.ts'
import { lookupTarget } from '../../../src/domain/audience/target.ts'
import type { Cursor } from '../../../src/domain/audience/walk/walk.ts'
import { circle } from '../../support/geofences.ts'
import { addInstall } from '../../support/installs.ts'
import { onEachDatabase, openTestProgram, type TestProgram } from '../../support/program.ts'

/** Installs 0 to 59: every 2nd subscribed to the channel, every 3rd in the segment, every 5th inside the fence. */
const COUNT = 60
const CIRCLE = circle([13.4, 52.5], 1000)

onEachDatabase('an audience of segments, channels and geofences', (kind) => {
  let test: TestProgram
  let channelId: number
  let segmentId: number
  let segmentUuid: string
  let fenceId: number
  const names = new Map<number, number>()

  before(async () => {
    test = await openTestProgram({ kind })
    const { program, first } = test
    for (let i = 0; i < COUNT; i++)
      names.set(await addInstall(program, first.id, `install-${i}`, { user: `user-${i}` }), i)
    await program.inTransaction(async (tx) => {
      const channel = await tx.channels.create(first.id, {
        uuid: 'news',
        name: 'News',
        showInPortal: false,
        meta: null,
      })
      channelId = channel.id
      const installIds = [...names.values()].filter((i) => i % 2 === 0).map((i) => `install-${i}`)
      await tx.subscriptions.changeSubscribers(first.id, channel.id, { installIds }, { subscribe: true, all: true })
      const segment = await tx.segments.create(first.id, {
        name: 'Thirds',
        filter: { field: 'attributes.third', op: 'equals', value: true },
      })
      segmentId = segment.id
      segmentUuid = segment.uuid
      for (const i of names.values()) await tx.crm.putAttributes(first.id, `user-${i}`, { third: i % 3 === 0 })
      const fence = await tx.geofences.create(first.id, {
        name: 'Here',
        isEnabled: true,
        tags: ['city'],
        boundsGeoJson: CIRCLE,
      })
      fenceId = fence.id
    })
    for (const i of names.values()) {
      if (i % 5 !== 0) continue
      await program.inTransaction((tx) =>
        tx.events.ingest(first.id, `install-${i}`, [
          {
            type: 'k.engage.locationUpdated',
            uuid: `p${i}`,
            timestamp: test.clock.now(),
            data: { lat: 52.5, lng: 13.4 },
          },
        ]),
      )
    }
  })
  after(() => test.close())

  async function meant(targeting: Targeting): Promise<number[]> {
    const { program, first } = test
    const found: number[] = []
    await program.inTransaction(async (tx) => {
      const { target } = await lookupTarget(tx.crm, tx, first.id, targeting, 'target.')
      let cursor: Cursor = {}
      for (let done = false; !done; ) {
        const step = await tx.audience.step(first.id, target, cursor, 2)
        for (const { rows } of step.steps) found.push(...rows.map((row) => names.get(row)!))
        cursor = step.cursor
        done = step.done
      }
    })
    return found.sort((a, b) => a - b)
  }
  const every = (...divisors: number[]) => [...names.values()].filter((i) => divisors.every((d) => i % d === 0))

  const rows: [string, () => Targeting, () => number[]][] = [
    ['a channel by uuid', () => ({ channelUuids: ['news'] }), () => every(2)],
    ['a channel by id', () => ({ channelIds: [channelId] }), () => every(2)],
    ['a segment by uuid', () => ({ segmentUuid }), () => every(3)],
    ['a segment by id', () => ({ segmentId }), () => every(3)],
    ['a geofence by id', () => ({ geofenceIds: [fenceId] }), () => every(5)],
    ['a geofence by tag', () => ({ geofenceTags: ['city'] }), () => every(5)],
    ['any geofence', () => ({ geofenceBroadcast: true }), () => every(5)],
    ['a tag that nobody has', () => ({ geofenceTags: ['nowhere'] }), () => []],
    ['an id or a tag', () => ({ geofenceIds: [fenceId], geofenceTags: ['nowhere'] }), () => every(5)],
    ['segment and channel', () => ({ segmentUuid, channelUuids: ['news'] }), () => every(2, 3)],
    [
      'all three at once',
      () => ({ segmentUuid, channelUuids: ['news'], geofenceIds: [fenceId] }),
      () => every(2, 3, 5),
    ],
    [
      'all but the excluded',
      () => ({ channelUuids: ['news'], excludeInstallIds: ['install-0', 'install-2', 'nobody'] }),
      () => every(2).slice(2),
    ],
  ]
  for (const [what, targeting, expected] of rows) {
    it(`means ${what}`, async () => expect(await meant(targeting())).to.eql(expected()))
  }

  it('names every unknown segment, channel and geofence, at the field where the caller wrote it', async () => {
    const wrong: Targeting = { segmentUuid: 'x', channelUuids: ['news', 'nope'], geofenceIds: [fenceId, 99] }
    const error = await meant(wrong).then(
      () => undefined,
      (thrown: { details: { fields: object } }) => thrown,
    )
    expect(error?.details.fields).to.have.all.keys(
      'target.segmentUuid',
      'target.channelUuids[1]',
      'target.geofenceIds[1]',
    )
  })

  it('does not find those of another app', async () => {
    const other = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))
    const lookup = test.program.inTransaction((tx) =>
      lookupTarget(tx.crm, tx, other.id, { channelUuids: ['news'] }, ''),
    )
    expect(await lookup.catch((error: { code: string }) => error.code)).to.equal('invalid')
  })
})
