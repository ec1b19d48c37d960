import { expect } from 'chai'
import { readBeacon } from '../../../src/domain/events/beacons.ts'
import { onEachDatabase, openTestProgram } from '../../support/program.ts'

const UUID = 'F7826DA6-4FA2-4E98-8024-BC5B71E0893E'

describe('a beacon', () => {
  for (const [what, data, read] of [
    [
      'of iOS says its numbers as texts',
      { type: 1, uuid: UUID, major: '513', minor: '7', proximity: 1 },
      { type: 1, uuid: UUID, major: 513, minor: 7, proximity: 1 },
    ],
    [
      'of React Native says them as numbers',
      { type: 1, uuid: UUID.toLowerCase(), major: 513, minor: 7 },
      { type: 1, uuid: UUID, major: 513, minor: 7 },
    ],
    [
      'of Android has its distance in metres',
      { type: 2, namespace: 'EDD1EBEAC04E5DEFA017', instance: '0BDB87539B67', distance: 1.25 },
      { type: 2, namespace: 'edd1ebeac04e5defa017', instance: '0bdb87539b67', distance: 1.25 },
    ],
    ['of React Native has it under another name', { type: '2', distanceMetres: '3' }, { type: 2, distance: 3 }],
    ['can be without a distance', { type: 2, distance: null, distanceMetres: '' }, { type: 2 }],
    ['has only what makes sense', { type: 1, uuid: {}, major: 65_536, minor: -1, proximity: 4 }, { type: 1 }],
    ['of an unknown kind is left alone', { type: 3, major: '1' }, {}],
    ['without a type is left alone', {}, {}],
  ] as const) {
    it(what, () => {
      expect(readBeacon(data)).to.deep.equal(read)
    })
  }
})

onEachDatabase('events that have no effect', (kind) => {
  it('are stored, beacons in one form, and unusual ones as they are', async () => {
    const { program, first, close } = await openTestProgram({ kind })
    try {
      const events = [
        ['k.engage.beaconEnteredProximity', { type: 1, uuid: UUID, major: '1', minor: 2, extra: 'x' }],
        ['k.engage.beaconEnteredProximity', { type: 2, instance: 'AB', distanceMetres: 2 }],
        ['k.engage.beaconEnteredProximity', null],
        ['k.pageViewed', { title: 'Home', path: '/', query: { a: '1' } }],
        ['k.pageViewed', { title: 'Home', path: '/' }],
        ['k.deepLink.matched', { url: 'https://x.lnk.click/a', wasDeferred: false }],
        ['k.message.opened', { type: -1, id: 'x' }],
        ['k.of.the.future', { deep: [{ a: null }] }],
        ['of the app', undefined],
      ].map(([type, data], i) => ({ type, uuid: String(i), timestamp: i, data }))
      const report = await program.inTransaction((tx) => tx.events.ingest(first.id, 'I1', events))
      expect(report).to.deep.equal({ isNew: true, accepted: 9, duplicates: 0, refused: [] })
      expect((await program.events.after(first.id, 0, 20)).map(({ data }) => data)).to.deep.equal([
        { type: 1, uuid: UUID, major: 1, minor: 2, extra: 'x' },
        { type: 2, instance: 'ab', distance: 2, distanceMetres: 2 },
        {},
        ...events.slice(3, 8).map(({ data }) => data),
        null,
      ])
    } finally {
      await close()
    }
  })
})
