import { expect } from 'chai'
import { type Stream, Streams } from '../../../src/platform/http2/streams.ts'
import type { Batch } from '../../../src/platform/http2/types.ts'

const BATCH = {} as Batch

describe('the open streams of a connection', () => {
  const open = (streams: Streams, id: number) => streams.open(id, BATCH, id, 0, 65_535)
  const ids = (streams: Streams) => [...streams.values()].map(({ id }) => id)

  it('are found by id while they are open, however many there are and in whatever order they close', () => {
    const streams = new Streams()
    const live = new Map<number, Stream>()
    let seed = 1
    const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below
    for (let id = 1; id < 40_000; id += 2) {
      live.set(id, open(streams, id))
      // The first hundred stay open, so that later ones come to lie around them in the table.
      while (live.size > 100 + random(700)) {
        const gone = [...live.values()][100 + random(live.size - 100)] ?? live.values().next().value!
        live.delete(gone.id)
        streams.close(gone)
        expect(streams.find(gone.id === id ? 0 : gone.id)).to.equal(undefined)
      }
      if (id % 1999 === 0) for (const [known, stream] of live) expect(streams.find(known)).to.equal(stream)
    }
    expect(streams.size).to.equal(live.size)
    expect(ids(streams)).to.deep.equal([...live.keys()])
    for (const stream of live.values()) streams.close(stream)
    expect(ids(streams)).to.deep.equal([])
  })

  it('are walked from the oldest on, without those that are closed meanwhile', () => {
    const streams = new Streams()
    for (const id of [513, 515, 1, 3]) open(streams, id)
    const seen: number[] = []
    for (const stream of streams.values()) {
      seen.push(stream.id)
      if (stream.id === 1) streams.close(streams.find(513)!)
      streams.close(stream)
    }
    expect(seen).to.deep.equal([1, 3, 515])
    expect(streams.size).to.equal(0)
  })
})
