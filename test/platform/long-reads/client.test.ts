import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { expect } from 'chai'
import { AppError, isAppError } from '../../../src/platform/errors.ts'
import { type Log, silentLog } from '../../../src/platform/log/log.ts'
import { type AskOptions, createLongReads } from '../../../src/platform/long-reads/client.ts'
import type { Pace } from '../../../src/platform/long-reads/pace.ts'
import { type ReadCalls, serveReads } from '../../../src/platform/long-reads/serve.ts'
import { createTurns } from '../../../src/platform/long-reads/turns.ts'
import { testClock } from '../../support/clock.ts'
import { fakeTimers } from '../../support/fake-timers.ts'

const WHO = { who: { app: 1, key: 'a' }, seconds: 5 }

describe('a port to the reader thread', () => {
  /** Reads that end when the test says so, by name. */
  const released = new Map<string, () => void>()
  const begun: string[] = []
  const calls: ReadCalls = {
    echo: async (_pace: Pace, value: unknown) => value,
    refuse: async () => {
      throw new AppError('unavailable', 'no', { headers: { 'Retry-After': '60' } })
    },
    fail: async () => {
      throw new TypeError('a bug')
    },
    failWithoutStack: async () => {
      throw Object.assign(new Error('a bare bug'), { stack: undefined })
    },
    unsendable: async () => () => {},
    async wait(pace: Pace, name: string) {
      begun.push(name)
      await new Promise<void>((resolve) => released.set(name, resolve))
      await pace.turn()
      return name
    },
  }
  const close: (() => void)[] = []
  afterEach(() => {
    for (const one of close.splice(0)) one()
    released.clear()
    begun.length = 0
  })

  /** The asking end, the thread's ends of the ports so far, and what ends the wait for an answer. */
  function open({ serves = () => true }: { serves?: (number: number) => boolean } = {}) {
    const ends: MessagePort[] = []
    const given: string[] = []
    const late: (() => void)[] = []
    const logged: string[] = []
    const log: Log = { ...silentLog, error: (_fields: object, text: string) => void logged.push(text) }
    const turns = () => createTurns({ clock: testClock(), width: 1, shares: { key: 2, app: 3, all: 4 } })
    const reads = createLongReads(
      {
        async connect() {
          const { port1, port2 } = new MessageChannel()
          ends.push(port2)
          if (serves(ends.length)) serveReads(port2, { calls }, turns(), log)
          else port2.close()
          return { port: port1, giveUp: () => void given.push('up') }
        },
      },
      {
        sleep: (_ms, signal) =>
          new Promise((resolve) => {
            late.push(resolve)
            signal?.addEventListener('abort', () => resolve())
          }),
      },
    )
    close.push(() => reads.close())
    const ask = <T>(call: string, args: unknown[] = [], options: Partial<AskOptions> = {}) =>
      reads.ask<T>(call, args, { ...WHO, ...options })
    return { reads, ask, ends, given, late, logged }
  }
  const errorOf = (work: Promise<unknown>): Promise<AppError> =>
    work.then(
      () => expect.fail('it was answered'),
      (error: AppError) => error,
    )
  /** Waits until the thread has begun so many reads. */
  async function untilBegun(many: number): Promise<void> {
    while (begun.length < many) await new Promise((resolve) => setImmediate(resolve))
  }

  it('gives answers, and errors with their code, text and headers', async () => {
    const { ask, ends } = open()
    const answers = await Promise.all([1, 2].map((n) => ask('echo', [{ n, map: new Map([[n, null]]) }])))
    expect(answers).to.deep.equal([1, 2].map((n) => ({ n, map: new Map([[n, null]]) })))
    const refused = await errorOf(ask('refuse'))
    expect(isAppError(refused)).to.equal(true)
    expect(refused).to.include({ code: 'unavailable', message: 'no' })
    expect(refused.details).to.deep.equal({ headers: { 'Retry-After': '60' } })
    for (const call of ['fail', 'unsendable', 'unknown']) expect(isAppError(await errorOf(ask(call)))).to.equal(false)
    expect((await errorOf(ask('fail'))).message).to.match(/^TypeError: a bug\n +at /)
    expect((await errorOf(ask('failWithoutStack'))).message).to.equal('a bare bug')
    expect(await ask('echo', ['still there'])).to.equal('still there')
    expect(ends).to.have.length(1)
  })

  it('notes a bug in the log, and no refusal', async () => {
    const { ask, logged } = open()
    await errorOf(ask('refuse'))
    expect(logged).to.deep.equal([])
    await errorOf(ask('fail'))
    expect(logged).to.deep.equal(['a long read failed'])
  })

  it('is closed when nothing was asked for five minutes and nobody waits, and opened again', async () => {
    const timers = fakeTimers()
    try {
      const { ask, ends } = open()
      let isClosed = false
      const waiting = ask('wait', ['one'])
      await untilBegun(1)
      ends[0]!.once('close', () => (isClosed = true))
      await ask('echo')
      timers.pass(300_000)
      released.get('one')!()
      expect(await waiting, 'a read that takes longer').to.equal('one')
      timers.pass(299_999)
      expect(await ask('echo', [1])).to.equal(1)
      expect([isClosed, ends.length]).to.deep.equal([false, 1])
      timers.pass(300_000)
      expect(await ask('echo', [2])).to.equal(2)
      expect([isClosed, ends.length]).to.deep.equal([true, 2])
    } finally {
      timers.end()
    }
  })

  it('refuses what is asked too much at a time', async () => {
    const { ask } = open()
    const waiting = [ask('wait', ['one']), ask('wait', ['two'])]
    await untilBegun(2)
    expect(await errorOf(ask('wait', ['three']))).to.include({ code: 'unavailable' })
    for (const release of released.values()) release()
    expect(await Promise.all(waiting)).to.deep.equal(['one', 'two'])
  })

  it('tells the thread when the caller has gone, which frees its place', async () => {
    const { ask } = open()
    const gone = new AbortController()
    const waiting = ask('wait', ['one'], { signal: gone.signal })
    await untilBegun(1)
    gone.abort()
    // The message is heard before this one.
    await ask('echo')
    released.get('one')!()
    expect((await errorOf(waiting)).message).to.include('gone')
    expect((await errorOf(ask('wait', ['two'], { signal: gone.signal }))).message).to.include('gone')
    expect(begun).to.deep.equal(['one'])
  })

  it('answers 503 to every read of a thread that ends, and asks a new one afterwards', async () => {
    const { ask, ends } = open()
    const waiting = [ask('wait', ['one']), ask('wait', ['two'])].map(errorOf)
    await untilBegun(2)
    ends[0]!.close()
    for (const error of await Promise.all(waiting)) {
      expect(error).to.include({ code: 'unavailable' })
      expect(error.message).to.include('has ended')
      expect(error.details.headers).to.have.property('Retry-After')
    }
    expect(await ask('echo', [1])).to.equal(1)
    expect(ends).to.have.length(2)
  })

  it('tries again when the thread ends before it has heard anything, and then says so', async () => {
    const second = open({ serves: (number) => number === 3 })
    expect(await second.ask('echo', [1])).to.equal(1)
    const never = open({ serves: () => false })
    expect((await errorOf(never.ask('echo'))).message).to.include('does not start')
    expect(never.ends).to.have.length(3)
    await errorOf(never.ask('echo'))
    expect(never.ends, 'the next read tries anew').to.have.length(6)
  })

  it('gives up a thread that does not answer in time, and asks a new one afterwards', async () => {
    const { ask, ends, given, late } = open()
    const waiting = errorOf(ask('wait', ['one']))
    await untilBegun(1)
    late[0]!()
    expect((await waiting).code).to.equal('unavailable')
    expect(given).to.deep.equal(['up'])
    expect(await ask('echo', [1])).to.equal(1)
    expect(ends).to.have.length(2)
  })

  it('refuses everything once it is closed, also what is under way', async () => {
    const { reads, ask } = open()
    const waiting = errorOf(ask('wait', ['one']))
    await untilBegun(1)
    reads.close()
    expect((await waiting).message).to.include('stopping')
    expect((await errorOf(ask('echo'))).message).to.include('stopping')
  })
})
