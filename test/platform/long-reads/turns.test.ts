import { setImmediate } from 'node:timers/promises'
import { expect } from 'chai'
import { isAppError } from '../../../src/platform/errors.ts'
import { type AdmittedRead, createTurns, type Shares } from '../../../src/platform/long-reads/turns.ts'
import { testClock } from '../../support/clock.ts'

const MANY: Shares = { key: 100, app: 100, all: 100 }

describe('turns of long reads', () => {
  const turnsWith = ({ width = 1, shares = MANY }: { width?: number; shares?: Shares } = {}) => {
    const clock = testClock()
    return { clock, turns: createTurns({ clock, width, shares }) }
  }
  const messageOf = (work: () => unknown): string | undefined => {
    try {
      work()
      return undefined
    } catch (error) {
      expect(isAppError(error) && error.code).to.equal('unavailable')
      return (error as Error).message
    }
  }

  /** Runs reads that take this many turns each; the names in the order of their turns. */
  async function orderOf(reads: { name: string; app: number; key: string; turns: number }[]): Promise<string[]> {
    const { turns } = turnsWith()
    const order: string[] = []
    await Promise.all(
      reads.map(async ({ name, app, key, turns: many }) => {
        const read = turns.admit({ app, key }, 5)
        for (let i = 0; i < many; i++) {
          expect(await read.turn()).to.equal(true)
          order.push(name)
        }
        read.end()
      }),
    )
    return order
  }

  it('go to each app alike, however much one of them asks', async () => {
    const greedy = Array.from({ length: 5 }, (_, i) => ({ name: `greedy ${i}`, app: 1, key: 'a', turns: 20 }))
    const order = await orderOf([...greedy, { name: 'modest', app: 2, key: 'b', turns: 3 }])
    expect(order.slice(0, 6).filter((name) => name === 'modest')).to.have.length(3)
  })

  it('go to each key of an app alike, and serve the reads of one key one after the other', async () => {
    const order = await orderOf([
      { name: 'first', app: 1, key: 'a', turns: 3 },
      { name: 'second', app: 1, key: 'a', turns: 3 },
      { name: 'other', app: 1, key: 'b', turns: 2 },
    ])
    expect(order.slice(0, 4).filter((name) => name === 'other')).to.have.length(2)
    expect(order.filter((name) => name !== 'other')).to.deep.equal([
      ...Array(3).fill('first'),
      ...Array(3).fill('second'),
    ])
  })

  it('are given to no more reads at a time than the thread can do', async () => {
    for (const width of [1, 3]) {
      const { turns } = turnsWith({ width })
      let [running, most] = [0, 0]
      await Promise.all(
        Array.from({ length: 6 }, async (_, i) => {
          const read = turns.admit({ app: i, key: 'a' }, 5)
          for (let turn = 0; turn < 4; turn++) {
            await read.turn()
            most = Math.max(most, ++running)
            await setImmediate()
            running--
          }
          read.end()
        }),
      )
      expect(most).to.equal(width)
    }
  })

  it('are refused beyond the share of a key, of an app, and of all, until a read has ended', () => {
    const { turns } = turnsWith({ shares: { key: 1, app: 2, all: 3 } })
    const admit = (app: number, key: string): AdmittedRead => turns.admit({ app, key }, 5)
    const first = admit(1, 'a')
    expect(messageOf(() => admit(1, 'a'))).to.include('for this key')
    admit(1, 'b')
    expect(messageOf(() => admit(1, 'c'))).to.include('for this app')
    admit(2, 'a')
    expect(messageOf(() => admit(3, 'a'))).to.include('in all')
    first.end()
    first.end()
    expect(messageOf(() => admit(1, 'a'))).to.equal(undefined)
    expect(messageOf(() => admit(3, 'a'))).to.include('in all')
  })

  it('are eight of a key, 24 of an app and 64 in all, unless somebody says otherwise', () => {
    const turns = createTurns({ clock: testClock(), width: 1 })
    /** Counts how many of a hundred reads are admitted. */
    const admitted = (whoOf: (i: number) => { app: number; key: string }) =>
      Array.from({ length: 100 }, (_, i) => messageOf(() => turns.admit(whoOf(i), 5))).filter((said) => !said).length
    expect(admitted(() => ({ app: 1, key: 'a' }))).to.equal(8)
    expect(admitted((i) => ({ app: 1, key: `b ${i}` }))).to.equal(24 - 8)
    expect(admitted((i) => ({ app: 2 + i, key: 'a' }))).to.equal(64 - 24)
  })

  it('say when the time of a read is over, and refuse one that never had a turn', async () => {
    const { clock, turns } = turnsWith()
    const read = turns.admit({ app: 1, key: 'a' }, 5)
    const behind = turns.admit({ app: 1, key: 'a' }, 5)
    expect(await read.turn()).to.equal(true)
    clock.advance(4999)
    expect(await read.turn()).to.equal(true)
    clock.advance(1)
    expect(await read.turn()).to.equal(false)
    read.end()
    const error = await behind.turn().catch((thrown: unknown) => thrown)
    expect((error as Error).message).to.include('other long reads were first')
  })

  it('end for a read that was cancelled, while it waits or when it asks for the next, and go to the others', async () => {
    const { turns } = turnsWith()
    const [running, waiting, other] = [1, 2, 3].map((app) => turns.admit({ app, key: 'a' }, 5)) as [
      AdmittedRead,
      AdmittedRead,
      AdmittedRead,
    ]
    await running.turn()
    const refused = waiting.turn().catch((thrown: unknown) => thrown)
    waiting.cancel()
    expect(isAppError(await refused)).to.equal(true)
    waiting.end()
    const next = other.turn()
    running.cancel()
    expect(isAppError(await running.turn().catch((thrown: unknown) => thrown))).to.equal(true)
    running.end()
    expect(await next).to.equal(true)
  })
})
