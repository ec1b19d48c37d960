import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { newSoundnessCell } from '../../src/platform/db/soundness.ts'
import { newWriteTurnCell } from '../../src/platform/db/write-turn.ts'
import { newChangesCell } from '../../src/platform/threads/changes.ts'
import { newClockCell } from '../../src/platform/timekeeping/cell.ts'
import { startWorkers } from '../../src/workers/index.ts'
import { sleepByIt } from '../support/clock.ts'
import { eventually } from '../support/eventually.ts'
import { openTestProgram } from '../support/program.ts'

const SILENT = [{ appId: 1, platform: 'android', since: 5, reason: 'ECONNRESET' }]

/** Tells what a delivery thread may tell, and ends badly when it is woken; the other threads only stop when they are told. */
const THREAD = `
  import { parentPort, workerData } from 'node:worker_threads'
  const isDelivery = workerData.jobs.length === 1
  parentPort.on('message', (message) => {
    if (message === 'wake' && isDelivery) process.exit(1)
    if (message !== 'cancel') return
    parentPort.postMessage('cancelled')
    parentPort.close()
  })
  if (workerData.jobs.includes('dispatch')) parentPort.postMessage('busy')
  if (isDelivery) {
    parentPort.postMessage({ silent: ${JSON.stringify(SILENT)} })
    parentPort.postMessage({ outcomes: new Map([['accepted', 2]]) })
    parentPort.postMessage({ outcomes: new Map([['accepted', 3], ['unknown', 1]]) })
  }
`

describe('what worker threads tell', () => {
  it('of silent gateways and outcomes is known to the process; the silence is forgotten with its thread, until the next tells it again', async () => {
    const test = await openTestProgram({ settings: { 'workers.deliver': '1' } })
    sleepByIt(test.clock)
    const { silences, outcomes } = test.program.kernel
    const path = join(test.dir, 'thread.mjs')
    writeFileSync(path, THREAD)
    const cells = {
      turnCell: newWriteTurnCell(),
      soundnessCell: newSoundnessCell(),
      clockCell: newClockCell(),
      changesCell: newChangesCell(),
    }
    const workers = await startWorkers(test.program, { ...cells, alone: true, node: 'node' }, path)
    try {
      // What comes last is heard last.
      await eventually(() => outcomes.get('unknown') === 1, 'the thread has told all')
      expect([...silences]).to.deep.equal([['deliver-1', SILENT]])
      expect([...outcomes]).to.deep.equal([
        ['accepted', 5],
        ['unknown', 1],
      ])
      workers.wake()
      await eventually(() => silences.size === 0, 'its silence is forgotten')
      // The next one is started after a pause.
      await eventually(() => {
        test.clock.advance(1000)
        return outcomes.get('unknown') === 2
      }, 'the next thread has told all')
      expect([...silences]).to.deep.equal([['deliver-1', SILENT]])
    } finally {
      await workers.close()
      await test.close()
    }
    expect(silences.size).to.equal(0)
  })
})
