import { expect } from 'chai'
import {
  createRoom,
  makeRoom,
  type Receiver,
  type RoomOptions,
  withRoom,
} from '../../../src/platform/concurrency/room.ts'
import { AppError } from '../../../src/platform/errors.ts'
import { fakeTimers } from '../../support/fake-timers.ts'

const MB = 1_000_000

describe('the room for long answers', () => {
  let cut: string[]
  const roomOf = (options: Partial<RoomOptions> = {}) => {
    cut = []
    return createRoom({
      most: 10 * MB,
      waitMs: 60_000,
      patienceMs: 60_000,
      onCut: (peer) => cut.push(peer),
      ...options,
    })
  }
  const receiver = (peer: string, over: Partial<Receiver> = {}): Receiver => ({
    peer,
    waiting: () => undefined,
    cut: () => {},
    ...over,
  })
  /** Tells whether it is settled by now. */
  async function isDone(promise: Promise<unknown>): Promise<boolean> {
    const later = new Promise((resolve) => setImmediate(() => resolve('later')))
    return (await Promise.race([promise.then(() => 'done'), later])) === 'done'
  }
  const refusal = (promise: Promise<unknown>) =>
    promise.then(
      () => undefined,
      (error: unknown) => error as AppError,
    )

  it('is shared: who finds none waits until another answer has left', async () => {
    const room = roomOf()
    const [a, b, c] = ['a', 'b', 'c'].map((peer) => room.enter(receiver(peer)))
    await a!.claim(5 * MB)
    await b!.claim(5 * MB)
    const third = c!.claim(MB)
    expect(await isDone(third)).to.equal(false)
    // Small ones are not asked to wait.
    await room.enter(receiver('d')).claim(50_000)
    b!.leave()
    await third
    for (const one of [a, c]) one!.leave()
  })

  it('is for one peer half of it, so that others find some', async () => {
    const room = roomOf()
    const [a, b, c] = ['x', 'x', 'y'].map((peer) => room.enter(receiver(peer)))
    await a!.claim(3 * MB)
    const second = b!.claim(3 * MB)
    expect(await isDone(second)).to.equal(false)
    await c!.claim(4 * MB)
    c!.leave()
    a!.leave()
    await second
    b!.leave()
  })

  it('takes in what is larger than all of it when there is nothing else', async () => {
    const room = roomOf()
    const [a, b] = ['a', 'b'].map((peer) => room.enter(receiver(peer)))
    await a!.claim(99 * MB)
    const second = b!.claim(MB)
    expect(await isDone(second)).to.equal(false)
    a!.leave()
    await second
    b!.leave()
  })

  it('is taken from who does not read, while another waits', async () => {
    const room = roomOf({ patienceMs: 20 })
    let taken = 0
    const reader = room.enter(receiver('reads', { waiting: () => taken++ }))
    const stuck = room.enter(receiver('stuck', { waiting: () => 'all', cut: () => stuck.leave() }))
    await reader.claim(5 * MB)
    await stuck.claim(5 * MB)
    const next = room.enter(receiver('next'))
    await next.claim(5 * MB)
    expect(cut).to.deep.equal(['stuck'])
    for (const one of [reader, next]) one.leave()
  })

  it('is refused after a while, with Retry-After, and at once to what would fill the memory by waiting', async () => {
    const timers = fakeTimers()
    const room = roomOf({ waitMs: 60_000 })
    const [a, b, c] = ['a', 'b', 'c'].map((peer) => room.enter(receiver(peer)))
    await a!.claim(10 * MB)
    const late = b!.claim(6 * MB, true)
    const tooMany = await refusal(c!.claim(6 * MB, true))
    expect(await isDone(late.catch(() => {}))).to.equal(false)
    timers.pass(60_000)
    timers.end()
    for (const error of [tooMany, await refusal(late)]) {
      expect(error).to.be.instanceOf(AppError)
      expect([error!.code, error!.details.headers]).to.deep.equal(['unavailable', { 'Retry-After': '5' }])
    }
    a!.leave()
    await c!.claim(MB)
    c!.leave()
  })

  it('is not waited for any more by an answer whose connection is gone', async () => {
    const room = roomOf()
    const [a, b, c] = ['a', 'b', 'c'].map((peer) => room.enter(receiver(peer)))
    await a!.claim(10 * MB)
    const waiting = refusal(b!.claim(5 * MB))
    b!.leave()
    expect((await waiting)?.code).to.equal('unavailable')
    expect((await refusal(b!.claim(5 * MB)))?.code).to.equal('unavailable')
    a!.leave()
    await c!.claim(10 * MB)
    c!.leave()
  })

  it('counts what is read for an answer, and nothing of what is none', async () => {
    const room = roomOf()
    const [a, b] = ['a', 'b'].map((peer) => room.enter(receiver(peer)))
    await withRoom(a!.claim, () => makeRoom(10 * MB))
    await makeRoom(10 * MB)
    const second = withRoom(b!.claim, () => makeRoom(MB))
    expect(await isDone(second)).to.equal(false)
    a!.leave()
    await second
    b!.leave()
  })
})
