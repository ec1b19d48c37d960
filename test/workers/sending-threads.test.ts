import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { newSoundnessCell } from '../../src/platform/db/soundness.ts'
import { newWriteTurnCell } from '../../src/platform/db/write-turn.ts'
import { restartPause } from '../../src/platform/net/backoff.ts'
import { newChangesCell } from '../../src/platform/threads/changes.ts'
import { newClockCell } from '../../src/platform/timekeeping/cell.ts'
import { startWorkers } from '../../src/workers/index.ts'
import { createSendingThreads } from '../../src/workers/sending-threads.ts'
import { sleepByIt } from '../support/clock.ts'
import { eventually } from '../support/eventually.ts'
import { openTestProgram } from '../support/program.ts'

const MINUTE = 60_000

/** Sending threads of which only what is asked of them is noted; `end` ends them. */
function watched() {
  let now = 0
  const asked: string[] = []
  let ended = Promise.withResolvers<void>()
  const threads = createSendingThreads({
    clock: { monotonic: () => now },
    start: () => void asked.push('start'),
    end: () => {
      asked.push('end')
      return ended.promise
    },
    tellBackground: ({ sends }) => void asked.push(sends ? 'send yourself' : 'let go'),
    tellThreads: ({ sends, except }) => void asked.push(`send ${String(sends)}, not ${except.join()}`),
  })
  return {
    threads,
    pass: (ms: number) => (now += ms),
    asked: () => asked.splice(0),
    async end() {
      ended.resolve()
      await new Promise(setImmediate)
      ended = Promise.withResolvers()
    },
  }
}

describe('sending threads', () => {
  it('start with the first pages; the background thread sends until one of them runs', () => {
    const { threads, asked } = watched()
    expect(threads.areWanted).to.equal(false)
    threads.busy()
    threads.busy()
    expect(asked()).to.deep.equal(['start'])
    expect([threads.isBackgroundSending, threads.areWanted]).to.deep.equal([true, true])
    threads.turned()
    threads.turned()
    expect(asked()).to.deep.equal(['let go'])
    expect(threads.isBackgroundSending).to.equal(false)
    expect(threads.order).to.deep.equal({ sends: false, except: [] })
  })

  it('send at once, but leave the lanes alone that the background thread still finishes', () => {
    const { threads, asked } = watched()
    threads.busy()
    threads.turned()
    asked()
    threads.lettingGo([7, 8])
    threads.lettingGo([8])
    // One that starts later.
    expect(threads.order).to.deep.equal({ sends: true, except: [8] })
    threads.lettingGo([])
    expect(asked()).to.deep.equal(['send true, not 7,8', 'send true, not 8', 'send true, not '])
  })

  it('send after five seconds when the background thread is stuck', () => {
    const { threads, asked, pass } = watched()
    threads.busy()
    threads.turned()
    pass(4999)
    threads.turned()
    expect(asked()).to.deep.equal(['start', 'let go'])
    pass(1)
    threads.turned()
    expect(asked()).to.deep.equal(['send true, not '])
  })

  it('end when nothing was sent for ten minutes, and the background thread sends again', async () => {
    const { threads, asked, pass, end } = watched()
    threads.busy()
    threads.turned()
    threads.lettingGo([])
    asked()
    pass(9 * MINUTE)
    threads.busy()
    pass(9 * MINUTE)
    threads.turned()
    expect(asked()).to.deep.equal([])
    pass(MINUTE)
    threads.turned()
    threads.turned()
    expect(asked()).to.deep.equal(['end'])
    await end()
    expect(asked()).to.deep.equal(['send yourself'])
    threads.busy()
    expect(asked()).to.deep.equal(['start'])
  })

  it('start again when pages come while they end', async () => {
    const { threads, asked, pass, end } = watched()
    threads.busy()
    threads.turned()
    threads.lettingGo([])
    pass(10 * MINUTE)
    threads.turned()
    asked()
    threads.busy()
    expect(asked()).to.deep.equal([])
    await end()
    expect(asked()).to.deep.equal(['send yourself', 'start'])
  })
})

/** Notes what it is told. The background thread has pages when it is first woken; a sending thread turns whenever it is woken. */
const THREAD = `
  import { parentPort, workerData } from 'node:worker_threads'
  import { appendFileSync } from 'node:fs'
  const sends = workerData.jobs.length === 1
  const name = workerData.owner.split('/')[1]
  const note = (what) => appendFileSync(new URL('told', import.meta.url), name + ' ' + what + '\\n')
  let hasSent = false
  note('starts ' + workerData.order.sends)
  parentPort.on('message', (message) => {
    if (message === 'wake' && sends) parentPort.postMessage({ turned: name })
    else if (message === 'wake' && !hasSent) {
      hasSent = true
      parentPort.postMessage('busy')
    } else if (message !== 'wake') {
      note(JSON.stringify(message))
      if (message.sends === false) parentPort.postMessage({ lettingGo: [] })
    }
    if (message !== 'cancel') return
    parentPort.postMessage('cancelled')
    parentPort.close()
  })
  if (sends) parentPort.postMessage({ turned: name })
`

/** Makes the first sending thread end at once, and the background thread have pages again whenever it shall send. */
const FIRST_FAILS = `
  if (workerData.owner === 'node/deliver-1/2') process.exit(1)
  parentPort.on('message', (message) => {
    if (message.sends) hasSent = false
  })
`

const newCells = () => ({
  turnCell: newWriteTurnCell(),
  soundnessCell: newSoundnessCell(),
  clockCell: newClockCell(),
  changesCell: newChangesCell(),
})

describe('the threads of a server', () => {
  it('are one while it rests: those that send come with pages, go after ten minutes, and are no fault meanwhile', async () => {
    const test = await openTestProgram({ settings: { 'workers.deliver': '2' } })
    sleepByIt(test.clock)
    const { ticks } = test.program.kernel
    const path = join(test.dir, 'thread.mjs')
    writeFileSync(path, THREAD)
    writeFileSync(join(test.dir, 'told'), '')
    const told = () => readFileSync(join(test.dir, 'told'), 'utf8')
    const workers = await startWorkers(test.program, { ...newCells(), alone: true, node: 'node' }, path)
    const sending = () => [...ticks.keys()].filter((loop) => loop.startsWith('deliver-'))
    try {
      await eventually(() => told() === 'background starts true\n', 'the only thread has started')
      expect(sending()).to.deep.equal([])
      workers.wake()
      await eventually(() => told().includes('deliver-1 {"sends":true'), 'the first sends')
      expect(told()).to.include('background {"sends":false')
      await eventually(() => told().includes('deliver-2 starts '), 'there are two')
      expect(sending()).to.deep.equal(['deliver-1', 'deliver-2'])
      test.clock.advance(10 * MINUTE)
      await eventually(() => {
        workers.wake()
        return told().includes('deliver-1 "cancel"') && told().includes('deliver-2 "cancel"')
      }, 'they are told to end')
      await eventually(() => told().includes('background {"sends":true'), 'the background thread sends again')
      expect(sending()).to.deep.equal([])
    } finally {
      await workers.close()
      await test.close()
    }
  })

  it('are started once when one that failed still waits while all end and come again', async () => {
    const test = await openTestProgram({ settings: { 'workers.deliver': '2' } })
    sleepByIt(test.clock)
    const { sleep } = test.clock
    const pause = Promise.withResolvers<void>()
    let isPausing = false
    test.clock.sleep = (ms, signal) => {
      if (ms !== restartPause(0)) return sleep(ms, signal)
      isPausing = true
      return pause.promise
    }
    const path = join(test.dir, 'thread.mjs')
    writeFileSync(path, `${THREAD}${FIRST_FAILS}`)
    writeFileSync(join(test.dir, 'told'), '')
    const told = () => readFileSync(join(test.dir, 'told'), 'utf8')
    const workers = await startWorkers(test.program, { ...newCells(), alone: true, node: 'node' }, path)
    const wakeUntil = (isSo: () => boolean, what: string) =>
      eventually(() => {
        workers.wake()
        return isSo()
      }, what)
    try {
      await wakeUntil(() => isPausing && told().includes('deliver-2 {"sends":true'), 'one has failed, the other sends')
      test.clock.advance(10 * MINUTE)
      await wakeUntil(() => told().split('deliver-1 starts').length === 3, 'they have ended and come again')
      pause.resolve()
      // The first thread's pages are released in a transaction before this one.
      await new Promise(setImmediate)
      await test.program.inTransaction(async () => {})
      test.clock.advance(1)
      const { ticks } = test.program.kernel
      await wakeUntil(() => ticks.get('deliver-1') === test.clock.monotonic(), 'the new one has heard all')
      expect(told()).not.to.include('deliver-1 "cancel"')
    } finally {
      await workers.close()
      await test.close()
    }
  })
})
