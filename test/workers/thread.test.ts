import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect } from 'chai'
import { settingsAsText } from '../../src/platform/config/config.ts'
import { newSoundnessCell } from '../../src/platform/db/soundness.ts'
import { newWriteTurnCell } from '../../src/platform/db/write-turn.ts'
import { newChangesCell } from '../../src/platform/threads/changes.ts'
import { newClockCell } from '../../src/platform/timekeeping/cell.ts'
import type { ThreadData, ThreadMessage } from '../../src/workers/thread.ts'
import { trouble } from '../support/appliance.ts'
import { eventually } from '../support/eventually.ts'
import { openGatewayWorld } from '../support/gateway-world.ts'
import { PROGRAMS_MS } from '../support/programs.ts'

const THREAD = join(import.meta.dirname, '../../src/workers/thread.ts')

describe('a delivery thread', function () {
  this.timeout(PROGRAMS_MS)

  it('tells that it turns, of outcomes, and of a gateway that does not answer; it ends when it is told', async () => {
    const world = await openGatewayWorld({ androids: 2, byHand: true })
    const { program, dir } = world.test
    const { config, vault } = program.kernel
    const said: ThreadMessage[] = []
    try {
      // The key of the test, as a thread finds it.
      writeFileSync(join(dir, 'master.key'), Buffer.alloc(32, 7).toString('base64'), { mode: 0o600 })
      await world.sandbox.setPlan(trouble({ cutBeforeAnswer: true }, { on: 'fcm' }))
      const id = await world.broadcast()
      const workerData: ThreadData = {
        jobs: ['deliver'],
        owner: 'node/deliver-1/1',
        settings: settingsAsText(config),
        keyCheck: vault.keyCheck(),
        turnCell: newWriteTurnCell(),
        soundnessCell: newSoundnessCell(),
        clockCell: newClockCell(),
        changesCell: newChangesCell(),
        order: { sends: true, except: [] },
      }
      const worker = new Worker(THREAD, { workerData })
      worker.on('message', (message: ThreadMessage) => said.push(message))
      const ended = new Promise<number>((resolve) => worker.once('exit', resolve))
      const silent = () =>
        said.flatMap((message) => (typeof message === 'object' && 'silent' in message ? message.silent : []))
      await eventually(() => silent().length > 0, 'it tells of the gateway')
      expect(silent()[0]).to.include({ appId: 1, platform: 'android' })
      expect(said).to.deep.include({ turned: 'deliver-1' })
      await world.sandbox.setPlan({})
      await program.kernel.db.write((sql) => sql('pages').where({ state: 'queued' }).update({ not_before: 0 }))
      worker.postMessage('wake')
      await eventually(async () => (await world.counts(id)).accepted === 2, 'everybody has it')
      worker.postMessage('cancel')
      expect(await ended).to.equal(0)
      expect(said.at(-1)).to.equal('cancelled')
      const outcomes = said.flatMap((message) =>
        typeof message === 'object' && 'outcomes' in message ? [...message.outcomes] : [],
      )
      const accepted = outcomes.filter(([outcome]) => outcome === 'accepted').reduce((sum, [, count]) => sum + count, 0)
      expect(accepted).to.equal(2)
      expect(said.filter((message) => typeof message === 'object' && 'failed' in message)).to.deep.equal([])
    } finally {
      await world.close()
    }
  })
})
