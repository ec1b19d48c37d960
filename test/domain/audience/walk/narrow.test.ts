import { expect } from 'chai'
import { mayNeedFences } from '../../../../src/domain/audience/walk/narrow.ts'

describe('a target whose recipients hang on who is in a geofence', () => {
  const nothing = { segments: [], channels: [], geofences: null }
  const fences = { any: true, ids: [], tags: [] }
  for (const [name, narrowing, expected] of [
    ['everybody', undefined, false],
    ['a narrowing to nothing', nothing, false],
    ['a channel', { ...nothing, channels: [1] }, false],
    ['a geofence', { ...nothing, geofences: fences }, true],
    ['one segment, which may ask for geofences', { ...nothing, segments: [1] }, true],
    ['some segments and a geofence', { segments: [1, 2], channels: [1], geofences: fences }, true],
  ] as const) {
    it(`is ${expected ? 'one' : 'none'} with ${name}`, () => {
      const target = { kind: 'broadcast', ...(narrowing && { narrowing }) }
      expect(mayNeedFences(target as Parameters<typeof mayNeedFences>[0])).to.equal(expected)
    })
  }
})
