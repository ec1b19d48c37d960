import { once } from 'node:events'
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import { expect } from 'chai'
import { type AppError, isAppError } from '../../../src/platform/errors.ts'
import { silentLog } from '../../../src/platform/log/log.ts'
import { createLongReads, type ReaderSource } from '../../../src/platform/long-reads/client.ts'
import {
  createDistantSource,
  type FromSource,
  lendSource,
  type ToSource,
} from '../../../src/platform/long-reads/distant-source.ts'
import { cannotReadNow } from '../../../src/platform/long-reads/messages.ts'
import { serveReads } from '../../../src/platform/long-reads/serve.ts'
import { createTurns } from '../../../src/platform/long-reads/turns.ts'
import { testClock } from '../../support/clock.ts'

const WHO = { who: { app: 1, key: 'a' }, seconds: 5 }
const DURING_TEST = { sleep: () => new Promise<void>(() => {}) }

describe('ports to the reader thread, for a thread that asks another one', () => {
  const close: (() => void)[] = []
  afterEach(() => {
    for (const one of close.splice(0)) one()
  })

  /** The ends of the reader thread, when each is closed, who was given up, and what ends the reads. */
  function reader({ refusal }: { refusal?: AppError } = {}) {
    const turns = createTurns({ clock: testClock(), width: 1, shares: { key: 3, app: 4, all: 5 } })
    const ends: MessagePort[] = []
    const closed: Promise<unknown>[] = []
    const givenUp: number[] = []
    const waiting: (() => void)[] = []
    const calls = {
      echo: async (_pace: unknown, value: unknown) => value,
      wait: () => new Promise<void>((resolve) => waiting.push(resolve)),
    }
    const source: ReaderSource = {
      async connect() {
        if (refusal) throw refusal
        const { port1: port, port2 } = new MessageChannel()
        const number = ends.push(port2)
        closed.push(once(port2, 'close'))
        close.push(serveReads(port2, { calls }, turns, silentLog))
        return { port, giveUp: () => void givenUp.push(number) }
      },
    }
    return { source, ends, closed, givenUp, waiting }
  }

  /** Reads as a thread asks them that has the source from this one, over a channel. */
  function distantReads(source: ReaderSource) {
    const { port1, port2 } = new MessageChannel()
    const distant = createDistantSource((message) => port1.postMessage(message))
    port1.on('message', (message: FromSource) => distant.hear(message))
    const lent = lendSource(source, (message, transfer) => port2.postMessage(message, transfer))
    port2.on('message', (message: ToSource) => lent.hear(message))
    const reads = createLongReads(distant, DURING_TEST)
    close.push(() => {
      reads.close()
      port1.close()
    })
    return reads
  }
  const errorOf = (work: Promise<unknown>): Promise<AppError> =>
    work.then(
      () => expect.fail('it was answered'),
      (error: AppError) => error,
    )

  it('lead to the thread itself, and to a new one after it ended', async () => {
    const { source, ends, givenUp } = reader()
    const reads = distantReads(source)
    expect(await reads.ask('echo', [1], WHO)).to.equal(1)
    expect(await reads.ask('echo', [2], WHO)).to.equal(2)
    expect(ends).to.have.length(1)
    const waiting = errorOf(reads.ask('wait', [], WHO))
    await reads.ask('echo', [], WHO)
    ends[0]!.close()
    expect((await waiting).message).to.include('has ended')
    expect(await reads.ask('echo', [3], WHO)).to.equal(3)
    expect(ends).to.have.length(2)
    expect(givenUp).to.deep.equal([1])
  })

  it('count the reads of one key together, whichever thread asks', async () => {
    const { source, waiting } = reader()
    const [one, two] = [distantReads(source), distantReads(source)]
    const asked = [one.ask('wait', [], WHO), one.ask('wait', [], WHO), two.ask('wait', [], WHO)]
    while (waiting.length < 3) await new Promise((resolve) => setImmediate(resolve))
    for (const reads of [one, two]) {
      const error = await errorOf(reads.ask('wait', [], WHO))
      expect(error).to.include({ code: 'unavailable' })
      expect(error.message).to.include('for this key: at most 3')
    }
    const other = { ...WHO, who: { app: 1, key: 'b' } }
    expect(await one.ask('echo', [4], other)).to.equal(4)
    for (const end of waiting) end()
    await Promise.all(asked)
  })

  it('are refused with the reason and the time to try again', async () => {
    const { source } = reader({ refusal: cannotReadNow('no more files', 30) })
    const error = await errorOf(distantReads(source).ask('echo', [], WHO))
    expect(isAppError(error)).to.equal(true)
    expect(error).to.include({ code: 'unavailable', message: 'no more files' })
    expect(error.details).to.deep.equal({ headers: { 'Retry-After': '30' } })
  })

  const ways: Record<string, { code: string; isHeld?: true }> = {
    'with the port in its hands': {
      code: `parentPort.on('message', ({ port }) => port.once('message', () => process.exit(1)))`,
    },
    'while the port is on its way': { code: 'process.exit(1)' },
    'before there is a port': { code: 'process.exit(1)', isHeld: true },
  }
  for (const [when, { code, isHeld }] of Object.entries(ways)) {
    it(`are closed when the thread that asked ends ${when}`, async () => {
      const { source, closed } = reader()
      const worker = new Worker(
        `const { parentPort } = require('node:worker_threads'); parentPort.postMessage({ connect: 1 }); ${code}`,
        { eval: true },
      )
      const ended = once(worker, 'exit')
      const late: ReaderSource = {
        async connect() {
          if (isHeld) await ended
          return source.connect()
        },
      }
      const lent = lendSource(late, (message, transfer) => worker.postMessage(message, transfer))
      worker.on('message', (message: ToSource) => lent.hear(message))
      worker.once('exit', () => lent.close())
      await ended
      while (closed.length === 0) await new Promise((resolve) => setImmediate(resolve))
      await closed[0]
    })
  }
})
