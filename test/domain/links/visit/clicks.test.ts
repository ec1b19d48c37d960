import { expect } from 'chai'
import type { Click } from '../../../../src/domain/links/types.ts'
import { type ClickBufferParts, clickBuffer } from '../../../../src/domain/links/visit/clicks.ts'
import { type Log, silentLog } from '../../../../src/platform/log/log.ts'
import { testClock } from '../../../support/clock.ts'

const click = (linkId: number): Click => ({ appId: 1, linkId, at: linkId })

/** A buffer with a store that can be told to fail, and what it got. */
function open(parts: Partial<ClickBufferParts> = {}) {
  const batches: number[][] = []
  const stored = Promise.withResolvers<void>()
  const state = { fails: 0 }
  const buffer = clickBuffer({
    async store(batch) {
      if (state.fails-- > 0) throw new Error('database is away')
      batches.push(batch.map(({ linkId }) => linkId))
      stored.resolve()
    },
    clock: testClock(),
    log: silentLog,
    everyMs: 1,
    ...parts,
  })
  return { buffer, batches, stored: stored.promise, state }
}

describe('clicks on their way into the database', () => {
  it('are written together, by themselves, in order', async () => {
    const { buffer, batches, stored } = open()
    for (let i = 0; i < 5; i++) buffer.add(click(i))
    expect(batches).to.deep.equal([])
    await stored
    expect(batches).to.deep.equal([[0, 1, 2, 3, 4]])
    await buffer.close()
    expect(batches).to.have.length(1)
  })

  it('are written in batches of a size, and all of them at the end', async () => {
    const { buffer, batches } = open({ batch: 2, everyMs: 60_000 })
    for (let i = 0; i < 5; i++) buffer.add(click(i))
    await buffer.close()
    expect(batches).to.deep.equal([[0, 1], [2, 3], [4]])
  })

  it('are written link by link, those of one link in the order they came', async () => {
    const { buffer, batches } = open({ batch: 2, everyMs: 60_000 })
    for (const linkId of [3, 1, 2, 1]) buffer.add(click(linkId))
    expect(buffer.waiting()).to.equal(4)
    await buffer.close()
    expect(batches).to.deep.equal([
      [1, 1],
      [2, 3],
    ])
    expect(buffer.waiting()).to.equal(0)
  })

  it('wait for a database that is away, and none is counted twice', async () => {
    const { buffer, batches, stored, state } = open({ batch: 2 })
    state.fails = 3
    for (let i = 0; i < 3; i++) buffer.add(click(i))
    await stored
    await buffer.close()
    expect(batches).to.deep.equal([[0, 1], [2]])
  })

  it('are dropped when there are too many of them, and that is said', async () => {
    const said: object[] = []
    const log: Log = { ...silentLog, error: (fields: object) => void said.push(fields) }
    const { buffer, batches } = open({ capacity: 2, everyMs: 60_000, log })
    for (let i = 0; i < 5; i++) buffer.add(click(i))
    await buffer.close()
    expect(batches).to.deep.equal([[0, 1]])
    expect(said).to.deep.equal([{ dropped: 3 }])
  })

  it('that could not be written until the end are told of', async () => {
    const said: object[] = []
    const log: Log = { ...silentLog, error: (fields: object) => void said.push(fields) }
    const { buffer, state } = open({ everyMs: 60_000, log })
    state.fails = 9
    buffer.add(click(1))
    await buffer.close()
    expect(said).to.deep.equal([{ lost: 1 }])
  })
})
