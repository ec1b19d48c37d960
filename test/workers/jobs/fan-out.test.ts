import { expect } from 'chai'
import { SOURCE } from '../../../src/domain/notifications/types.ts'
import { fanOutDue } from '../../../src/workers/jobs/fan-out.ts'
import { handOut } from '../../../src/workers/jobs/in-app.ts'
import { createWake, type Job } from '../../../src/workers/jobs/job.ts'
import { withAndroids } from '../../support/delivery.ts'
import { accept, addTemplates, addUser } from '../../support/in-app.ts'
import { parse } from '../../support/notification-forms.ts'
import { onEachDatabase, openTestProgram, type TestProgram } from '../../support/program.ts'

const HOUR = 3_600_000

onEachDatabase('a loop over what is due', (kind) => {
  let test: TestProgram
  beforeEach(async () => {
    test = await openTestProgram({ kind })
    await withAndroids(test, 1)
  })
  afterEach(() => test.close())

  const soon = (ms: number) => {
    const sendAt = new Date(test.clock.now() + ms).toISOString().slice(0, 16).replace('T', ' ')
    return { schedule: { sendAt, strategy: 'utc', pastTimes: 'ignore' } }
  }

  async function acceptPush(): Promise<void> {
    const body = { target: { broadcast: true }, content: { title: 'T', message: 'M' }, ...soon(HOUR) }
    await test.program.inTransaction((tx) => tx.sends.accept(test.first.id, SOURCE.messages, parse.messages(body)))
  }

  async function acceptMessage(): Promise<void> {
    await addTemplates(test)
    await addUser(test, 'anna')
    await accept(test, { target: { userIds: ['anna'] }, ...soon(HOUR) })
  }

  /** Returns how long (ms) the loop waits after it found nothing to do. */
  async function waitOf(job: Job): Promise<number> {
    const stop = new AbortController()
    let waited: number | undefined
    const wait = async (ms: number) => {
      waited ??= ms
      stop.abort()
    }
    await job({ program: test.program, owner: 'test', signal: stop.signal, wake: { ...createWake(), wait }, tick() {} })
    return waited!
  }

  for (const [what, job, prepare] of [
    ['pushes', fanOutDue, acceptPush],
    ['in-app messages', handOut, acceptMessage],
  ] as const) {
    it(`does not ask the database without a pause while scheduled ${what} wait for the clock`, async () => {
      await prepare()
      test.clock.advance(HOUR + 1000)
      test.clock.doubt = () => ({ off: 86_400_000, isConfirmed: false, isStart: false })
      expect(await waitOf(job)).to.equal(500)
    })

    it(`wakes when ${what} are due next`, async () => {
      await prepare()
      test.clock.advance(HOUR - 200)
      expect(await waitOf(job)).to.equal(200)
    })
  }
})
