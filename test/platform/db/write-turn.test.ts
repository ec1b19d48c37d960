import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import { expect } from 'chai'
import { connect, type Database } from '../../../src/platform/db/connect.ts'
import { createWriteTurn, freeTurnOf, newWriteTurnCell, type WriteTurn } from '../../../src/platform/db/write-turn.ts'
import { silentLog } from '../../../src/platform/log/log.ts'
import { PROGRAMS_MS } from '../../support/programs.ts'

describe('the turn to write', () => {
  /** Long enough that nobody is let go first in vain. */
  const FOR_EVER = 600_000

  it('goes to everybody who waits, and to nobody twice before them', async () => {
    const cell = newWriteTurnCell()
    const [a, b, c] = [1, 2, 3].map(() => createWriteTurn(cell, { deferMs: FOR_EVER }))
    const order: string[] = []
    const use = async (name: string, turn: WriteTurn) => {
      const end = await turn.take()
      order.push(name)
      await new Promise(setImmediate)
      end()
    }
    await Promise.all([use('a', a!), use('b', b!), use('c', c!), use('a', a!)])
    expect(order.toSorted()).to.deep.equal(['a', 'a', 'b', 'c'])
    expect(order[0]).to.equal('a')
    expect(order[1]).not.to.equal('a')
  })

  it('goes to somebody for whom others wait before the background', async () => {
    const cell = newWriteTurnCell()
    const urgent = createWriteTurn(cell, { deferMs: FOR_EVER })
    const [first, second] = [1, 2].map(() => createWriteTurn(cell, { background: true, deferMs: FOR_EVER }))
    const order: string[] = []
    const use = async (name: string, turn: WriteTurn) => {
      const end = await turn.take()
      order.push(name)
      end()
    }
    const end = await first!.take()
    const all = [use('background', second!), use('urgent', urgent)]
    await new Promise(setImmediate)
    end()
    await Promise.all(all)
    expect(order).to.deep.equal(['urgent', 'background'])
  })

  it('is taken by others when the one that should go first does not come', async () => {
    const cell = newWriteTurnCell()
    const [one, other] = [1, 2].map(() => createWriteTurn(cell, { deferMs: 20 }))
    const end = await one!.take()
    // It waits, but its event loop never comes to it: here, because it is not the one that is told.
    new Int32Array(cell)[2] = 12_345
    end()
    ;(await other!.take())()
    ;(await one!.take())()
  })

  it('passes over one that never ends, and counts on when that one ends after all', async () => {
    const cell = newWriteTurnCell()
    const turn = createWriteTurn(cell, { patienceMs: FOR_EVER })
    const lost = await turn.take()
    const second = await createWriteTurn(cell, { patienceMs: 50 }).take()
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

  it('goes on when the numbers of the turns wrap around', async () => {
    const cell = newWriteTurnCell()
    new Int32Array(cell)[4] = 2 ** 31 - 1
    const turn = createWriteTurn(cell, { patienceMs: 50 })
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
      const dying = thread('dying-thread.ts', {})
      const { threadId } = dying
      const ended = new Promise((resolve) => dying.once('exit', resolve))
      const [error] = await once(dying, 'error')
      expect(error.message).to.equal('this thread dies in its turn')
      await ended
      // Nobody is patient enough here to wait until the turn is passed over.
      const turn = createWriteTurn(turnCell, { patienceMs: 600_000 })
      const next = turn.take()
      freeTurnOf(threadId + 1, turnCell)
      expect(new Int32Array(turnCell)[0]! >>> 16).to.equal(threadId + 1)
      freeTurnOf(threadId, turnCell)
      ;(await next)()
      await db.write((trx) => trx('counter').increment('value', 1))
      expect(await db.read('counter')).to.deep.equal([{ value: 1 }])
    })
  })
})
