import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import { expect } from 'chai'
import { connect, type Database } from '../../../src/platform/db/connect.ts'
import { createWriteTurn, newWriteTurnCell } from '../../../src/platform/db/write-turn.ts'
import { silentLog } from '../../../src/platform/log.ts'
import { PROGRAMS_MS } from '../../support/programs.ts'

describe('the turn to write', () => {
  it('is given first come first served', async () => {
    const cell = newWriteTurnCell()
    const [a, b, c] = [createWriteTurn(cell), createWriteTurn(cell), createWriteTurn(cell)]
    const order: string[] = []
    const use = async (name: string, turn: typeof a) => {
      const end = await turn.take()
      order.push(name)
      await Promise.resolve()
      end()
    }
    await Promise.all([use('a', a), use('b', b), use('c', c), use('a', a), use('b', b)])
    expect(order).to.deep.equal(['a', 'b', 'c', 'a', 'b'])
  })

  it('passes over one that never ends, and counts on when that one ends after all', async () => {
    const turn = createWriteTurn(newWriteTurnCell(), 50)
    const lost = await turn.take()
    const second = await turn.take()
    lost()
    let served = false
    const third = turn.take().then((end) => {
      served = true
      return end
    })
    await new Promise(setImmediate)
    expect(served).to.equal(false)
    second()
    const end = await third
    end()
    end()
    ;(await turn.take())()
  })

  it('goes on when the numbers of the tickets wrap around', async () => {
    const cell = newWriteTurnCell()
    new Int32Array(cell).fill(2 ** 31 - 1)
    const turn = createWriteTurn(cell, 50)
    const end = await turn.take()
    const next = turn.take()
    end()
    ;(await next)()
    await turn.take()
    ;(await turn.take())()
  })

  it('is waited for by a process that has nothing else to do', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [join(import.meta.dirname, 'lone-waiter.ts')])
    expect(stdout).to.equal('served\n')
  })

  describe('between threads', function () {
    this.timeout(PROGRAMS_MS)
    let dir: string
    let file: string
    let db: Database
    const turnCell = newWriteTurnCell()
    const thread = (name: string, data: object) =>
      new Worker(join(import.meta.dirname, name), { workerData: { file, turnCell, ...data } })

    beforeEach(async () => {
      dir = mkdtempSync(join(tmpdir(), 'appsvc-test-'))
      file = join(dir, 'db.sqlite')
      db = connect({ file, turnCell, log: silentLog })
      await db.write(async (trx) => {
        await trx.schema.createTable('counter', (t) => void t.integer('value'))
        await trx('counter').insert({ value: 0 })
      })
    })

    afterEach(async () => {
      await db.close()
      rmSync(dir, { recursive: true, force: true })
    })

    it('two threads that count together miss nothing and never find the database busy', async () => {
      const times = 200
      const threads = [thread('counting-thread.ts', { times }), thread('counting-thread.ts', { times })]
      await Promise.all(threads.map((one) => once(one, 'message')))
      const done = threads.map((one) => once(one, 'message'))
      for (const one of threads) one.postMessage('go')
      await Promise.all(done)
      expect(await db.read('counter')).to.deep.equal([{ value: 2 * times }])
    })

    it('a thread that dies in its turn does not stop the others', async () => {
      const [error] = await once(thread('dying-thread.ts', {}), 'error')
      expect(error.message).to.equal('this thread dies in its turn')
      await db.write((trx) => trx('counter').increment('value', 1))
      expect(await db.read('counter')).to.deep.equal([{ value: 1 }])
    }).slow(15_000)
  })
})
