import { expect } from 'chai'
import {
  forgetConnections,
  newSharingCells,
  openSharing,
  sharedConnections,
} from '../../../src/platform/threads/sharing.ts'

describe('connections that threads count together', () => {
  const open = () => {
    const cells = newSharingCells({ threads: 2, maxConnections: 10 })
    const sharings = [0, 1].map((thread) => openSharing({ ...cells, thread }))
    return { sharings, counts: sharings.map(sharedConnections) }
  }

  it('are at most so many of a peer in all threads, until one is closed in the thread that took it', () => {
    const { counts } = open()
    const [one, two] = counts as [(typeof counts)[0], (typeof counts)[0]]
    expect([one.enter('a', 3), two.enter('a', 3), one.enter('a', 3)]).to.deep.equal([true, true, true])
    expect([one.enter('a', 3), two.enter('a', 3)]).to.deep.equal([false, false])
    expect(two.enter('b', 1)).to.equal(true)
    two.leave('a')
    expect([two.enter('a', 3), two.enter('a', 3)]).to.deep.equal([true, false])
  })

  it('are forgotten with the last one, and never fewer than none', () => {
    const { sharings, counts } = open()
    const size = () => sharings[0]!.connections.size
    counts[0]!.enter('a', 9)
    counts[1]!.enter('a', 9)
    expect(size()).to.equal(1)
    counts[0]!.leave('a')
    counts[0]!.leave('a')
    expect(size(), 'the other thread has one').to.equal(1)
    expect([counts[1]!.enter('a', 1), counts[1]!.enter('a', 2)]).to.deep.equal([false, true])
    counts[1]!.leave('a')
    counts[1]!.leave('a')
    expect(size()).to.equal(0)
    counts[1]!.leave('nobody')
    expect(size()).to.equal(0)
  })

  it('of a thread that has ended are gone, and no others', () => {
    const { sharings, counts } = open()
    counts[0]!.enter('both', 9)
    for (const peer of ['both', 'second']) counts[1]!.enter(peer, 9)
    forgetConnections(sharings[0]!, 1)
    expect(sharings[0]!.connections.size).to.equal(1)
    expect([counts[0]!.enter('both', 1), counts[0]!.enter('second', 1)]).to.deep.equal([false, true])
  })

  it('of a thread that has ended are gone, whatever stands beside them', () => {
    const cells = newSharingCells({ threads: 2, maxConnections: 400 })
    const [one, two] = [0, 1].map((thread) => openSharing({ ...cells, thread }))
    for (let i = 0; i < 200; i++) {
      sharedConnections(one!).enter(`stays ${i}`, 1)
      sharedConnections(two!).enter(`goes ${i}`, 1)
    }
    forgetConnections(one!, 1)
    expect(one!.connections.size).to.equal(200)
    forgetConnections(one!, 0)
    expect(one!.connections.size).to.equal(0)
  })
})
