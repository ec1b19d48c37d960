import { expect } from 'chai'
import { newSoundnessCell } from '../../src/platform/db/soundness.ts'
import { newWriteTurnCell } from '../../src/platform/db/write-turn.ts'
import { newChangesCell } from '../../src/platform/threads/changes.ts'
import { newClockCell } from '../../src/platform/timekeeping/cell.ts'
import { answerHealth } from '../../src/server/health.ts'
import { startWorkers } from '../../src/workers/index.ts'
import { startWatch } from '../../src/workers/watch.ts'
import { trouble } from '../support/appliance.ts'
import { sleepByIt } from '../support/clock.ts'
import { eventually } from '../support/eventually.ts'
import { openGatewayWorld } from '../support/gateway-world.ts'
import { openTestProgram, type TestProgram } from '../support/program.ts'

/** Between two looks of the watch. */
const LOOK_MS = 2000

/** The watch of a server whose clock the test moves. */
async function watched({ program, clock }: TestProgram) {
  const isAsleep = sleepByIt(clock)
  let looks = 0
  const { faults } = program.kernel
  const { settle } = faults
  faults.settle = (...given) => {
    settle(...given)
    looks++
  }
  const watch = await startWatch(program, { alone: true, node: 'node' })
  return {
    close: () => watch.close(),
    found: () => faults.list().map(({ kind, sentence }) => `${kind}: ${sentence}`),
    ready: () => answerHealth(program, '/readyz'),
    /** Lets time pass, and the watch look each time that it is due: every two seconds. */
    async pass(seconds: number): Promise<void> {
      for (let left = seconds; left > 0; left -= 2) {
        await eventually(() => isAsleep(LOOK_MS), 'the watch has looked')
        const before = looks
        clock.advance(LOOK_MS)
        await eventually(() => looks > before && isAsleep(LOOK_MS), 'the watch looks again')
      }
    },
  }
}

describe('what is wrong with a server becomes a fault', () => {
  it('when its threads cannot be started for 45 s, with the reason: it is not ready any more', async () => {
    const test = await openTestProgram({ settings: { 'workers.deliver': '1' } })
    const { kernel } = test.program
    const watch = await watched(test)
    kernel.vault = {
      ...kernel.vault,
      keyCheck() {
        throw new Error('only 3 of 40 files can still be opened')
      },
    }
    const workers = await startWorkers(test.program, {
      turnCell: newWriteTurnCell(),
      soundnessCell: newSoundnessCell(),
      clockCell: newClockCell(),
      changesCell: newChangesCell(),
      alone: true,
      node: 'node',
    })
    try {
      await watch.pass(44)
      expect(watch.found()).to.deep.equal([])
      expect(await watch.ready()).to.deep.equal({ status: 200, body: { status: 'ready' } })
      await watch.pass(2)
      const [found, ...more] = watch.found()
      expect(found).to.match(
        /^worker: the workers dispatch, .*deliver, .*sweep are stuck: only 3 of 40 files can still be opened; /,
      )
      expect(more).to.deep.equal([])
      expect(await watch.ready()).to.include({ status: 503 })
      // One that turns again is over.
      for (const loop of kernel.ticks.keys()) kernel.ticks.set(loop, test.clock.monotonic())
      await watch.pass(2)
      expect(watch.found()).to.deep.equal([])
    } finally {
      await workers.close()
      await watch.close()
      await test.close()
    }
  })

  it('when a gateway has answered nothing for 20 s: the server stays ready, for one vendor must not take the rest down', async () => {
    const world = await openGatewayWorld({ androids: 2, iphones: 1 })
    const watch = await watched(world.test)
    const { silences } = world.test.program.kernel
    try {
      await world.sandbox.setPlan(trouble({ cutBeforeAnswer: true }, { on: 'fcm' }))
      await world.broadcast()
      await eventually(() => [...silences.values()].flat().length > 0, 'the delivery tells of it')
      expect([...silences.values()].flat()[0]).to.include({ appId: 1, platform: 'android' })
      await watch.pass(18)
      expect(watch.found()).to.deep.equal([])
      await watch.pass(2)
      const [found, ...more] = watch.found()
      expect(found).to.match(
        /^gateway: the android gateway of app 1 does not answer \(.+\); run appsvc gateways check --app 1/,
      )
      expect(more).to.deep.equal([])
      const { status, body } = (await watch.ready())!
      expect([status, body.status, (body.warnings as string[]).length]).to.deep.equal([200, 'ready', 1])
    } finally {
      await watch.close()
      await world.close()
    }
  })

  it('when a lane is held because its gateway is down, at the next look at the lanes', async () => {
    const world = await openGatewayWorld({ iphones: 30 })
    const watch = await watched(world.test)
    try {
      await world.sandbox.setPlan({ listeners: { apns: { refuse: true } } })
      await world.broadcast()
      await eventually(async () => (await world.lane('ios')).holds > 0, 'the lane is held')
      await watch.pass(10)
      expect(watch.found().join()).to.match(
        /^gateway: sending through the ios gateway of app 1 is paused: .*ECONNREFUSED/,
      )
    } finally {
      await watch.close()
      await world.close()
    }
  })
})
