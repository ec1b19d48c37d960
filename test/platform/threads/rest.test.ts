import { expect } from 'chai'
import { collectAll, isWorthCollecting } from '../../../src/platform/threads/rest.ts'

const MB = 1024 * 1024

describe('a thread that rests', () => {
  for (const [what, look, wanted] of [
    [
      'gives back what its start has left behind',
      { worked: 0.01, held: 48 * MB, kept: 0, since: Number.POSITIVE_INFINITY },
      true,
    ],
    ['does not when it works', { worked: 0.06, held: 48 * MB, kept: 0, since: Number.POSITIVE_INFINITY }, false],
    [
      'does not when little has been added since',
      { worked: 0.01, held: 44 * MB, kept: 37 * MB, since: 600_000 },
      false,
    ],
    ['does so again after a busy time', { worked: 0.01, held: 45 * MB, kept: 37 * MB, since: 600_000 }, true],
    ['does not when it did lately', { worked: 0.01, held: 80 * MB, kept: 37 * MB, since: 599_000 }, false],
  ] as const) {
    it(what, () => {
      expect(isWorthCollecting(look)).to.equal(wanted)
    })
  }

  it('collects what nobody holds any more', async () => {
    const loose = new WeakRef({})
    // A reference holds its object until the end of the turn.
    await new Promise(setImmediate)
    collectAll()
    expect(loose.deref()).to.equal(undefined)
  })
})
