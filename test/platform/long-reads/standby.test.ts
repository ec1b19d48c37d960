import { MessageChannel } from 'node:worker_threads'
import { expect } from 'chai'
import type { Replica } from '../../../src/platform/db/replica.ts'
import { fromDriver } from '../../../src/platform/db/unavailable.ts'
import { AppError } from '../../../src/platform/errors.ts'
import { silentLog } from '../../../src/platform/log/log.ts'
import { createLongReads } from '../../../src/platform/long-reads/client.ts'
import { type ReadCalls, serveReads } from '../../../src/platform/long-reads/serve.ts'
import { createTurns } from '../../../src/platform/long-reads/turns.ts'
import { systemClock } from '../../../src/platform/time/clock.ts'
import { testClock } from '../../support/clock.ts'

describe('a long read', () => {
  const close: (() => void)[] = []
  afterEach(() => {
    for (const one of close.splice(0)) one()
  })

  /** Asks for one read; returns its answer, and what was tried. */
  async function read(isCurrent: boolean, onStandby: () => unknown): Promise<[answer: unknown, tried: string[]]> {
    const tried: string[] = []
    const callsAt = (place: string, work: () => unknown): ReadCalls => ({
      async look() {
        tried.push(place)
        return work()
      },
    })
    const replica: Replica = { isCurrent: async () => isCurrent, failed: () => void tried.push('failed') }
    const places = {
      calls: callsAt('primary', () => 'of the primary'),
      standby: { calls: callsAt('standby', onStandby), replica },
    }
    const turns = createTurns({ clock: testClock(), width: 1 })
    const { port1: port, port2 } = new MessageChannel()
    serveReads(port2, places, turns, silentLog)
    const reads = createLongReads({ connect: async () => ({ port, giveUp() {} }) }, systemClock)
    close.push(() => reads.close())
    const answer = await reads
      .ask('look', [], { who: { app: 1, key: 'a' }, seconds: 60 })
      .catch((error: Error) => error.message)
    return [answer, tried]
  }
  const failing = (error: unknown) => () => {
    throw error
  }
  const ofDriver = (code: string) => fromDriver(Object.assign(new Error('no'), { code }))

  it('runs on a standby that has everything, otherwise on the primary', async () => {
    expect(await read(true, () => 'of the standby')).to.deep.equal(['of the standby', ['standby']])
    expect(await read(false, () => 'of the standby')).to.deep.equal(['of the primary', ['primary']])
  })

  it('runs again on the primary when the standby fails', async () => {
    for (const code of ['40001', '57P01', '25006', 'ECONNRESET']) {
      const expected = ['of the primary', ['standby', 'failed', 'primary']]
      expect(await read(true, failing(ofDriver(code))), code).to.deep.equal(expected)
    }
  })

  it('does not run again when it is refused, is wrong or takes too long', async () => {
    for (const error of [new AppError('unavailable', 'no'), new AppError('invalid', 'no'), ofDriver('57014')]) {
      const [answer, tried] = await read(true, failing(error))
      expect(answer).to.match(/no/)
      expect(tried).to.deep.equal(['standby'])
    }
  })
})
