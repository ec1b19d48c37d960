import { join } from 'node:path'
import { expect } from 'chai'
import { loadConfig } from '../../src/config.ts'
import type { Outcome } from '../../src/domain/gateways/gateway.ts'
import { recoverPages } from '../../src/domain/notifications/deliver/recover.ts'
import { openProgram } from '../../src/open.ts'
import type { Program } from '../../src/program.ts'
import { testClock } from '../support/clock.ts'
import { broadcast, deliverDue, deliveryParts, scriptedSender, withAndroids } from '../support/delivery.ts'
import type { TestProgram } from '../support/program.ts'
import { run, temporaryDirectory } from './cli.ts'

describe('those who wait to be sent to', () => {
  const { dir, end } = temporaryDirectory()
  const data = join(dir, 'data')
  const clock = testClock(Date.now())
  let program: Program
  let test: TestProgram
  before(async () => {
    const { config } = await loadConfig({ environment: {}, flags: { dataDir: data } })
    program = openProgram({ config, clock })
    await program.migrate()
    const first = await program.inTransaction((tx) => tx.apps.create({ name: 'First' }))
    test = { program, clock, dir, first, close: () => program.close() }
    await withAndroids(test, 6)
  })
  after(async () => {
    await program.close()
    end()
  })

  const trace = async (id: number) => {
    const at = ['notifications', 'trace', String(id), '--install', 'install-0', '--data-dir', data]
    const pages = (await run([...at, '--json'])).json<{ pages: { again: string | null }[] }>().pages
    return { again: pages.map((page) => page.again), text: (await run(at)).stdout }
  }

  async function crash(): Promise<void> {
    const { sender, sent } = scriptedSender(() => new Promise<Outcome>(() => {}))
    void deliverDue(test, sender, { owner: 'dead' })
    while (sent.length < 6) await new Promise((resolve) => setImmediate(resolve))
    await recoverPages(deliveryParts(test), { name: 'dead' })
  }

  it('after a crash are named by status, with the time, and by trace', async () => {
    expect((await run(['status', '--data-dir', data])).stdout).to.include('No recipients are waiting.')
    const id = await broadcast(test)
    await crash()
    const status = await run(['status', '--data-dir', data])
    expect(status.stdout).to.match(/1 +android +6 .*resent after a crash/)
    const { waiting } = (await run(['status', '--data-dir', data, '--json'])).json<{
      waiting: { cause: string; recipients: number; firstAt: string }[]
    }>()
    expect(waiting).to.have.lengthOf(1)
    expect(waiting[0]).to.include({ cause: 'after_crash', recipients: 6 })
    expect(Date.parse(waiting[0]!.firstAt)).to.be.within(clock.now() + 4000, clock.now() + 15_000)

    const { again, text } = await trace(id)
    expect(again).to.deep.equal([null, 'after_crash'])
    expect(text).to.match(/page \d+, attempt 1: moved/)
    expect(text).to.match(/page \d+, resent after a crash: pending, not before /)
  })

  it('after a lost answer are told apart from those', async () => {
    const id = await broadcast(test)
    const { sender } = scriptedSender(() => ({ kind: 'uncertain', reason: 'deadline' }))
    await deliverDue(test, sender)
    expect((await run(['status', '--data-dir', data])).stdout).to.match(/because the gateway did not answer/)
    const { again, text } = await trace(id)
    expect(again).to.deep.equal([null, 'no_answer'])
    expect(text).to.match(/page \d+, resent because no answer came: pending/)
  })

  it('because the gateway asked for it are in another attempt', async () => {
    const id = await broadcast(test)
    await deliverDue(test, scriptedSender(() => ({ kind: 'throttled_recipient', reason: '429' })).sender)
    const { again, text } = await trace(id)
    expect(again).to.deep.equal([null, 'retry'])
    expect(text).to.match(/page \d+, attempt 2: pending/)
  })
})

describe('those whose notification has not come so far', () => {
  const { dir, end } = temporaryDirectory()
  after(end)

  it('are not denied by status, nor is it while sending is held', async () => {
    const at = ['--data-dir', join(dir, 'data')]
    const status = async () => (await run(['status', ...at])).stdout
    await run(['apps', 'create', 'First', ...at])
    expect(await status()).to.include('No recipients are waiting.')
    const stdin = JSON.stringify({ target: { broadcast: true }, content: { title: 'T', message: 'M' } })
    expect((await run(['notify', ...at], { stdin })).code).to.equal(0)
    expect(await status())
      .to.include('The recipients of the open notifications are not known yet.')
      .and.to.not.include('No recipients')

    const { config } = await loadConfig({ environment: {}, flags: { dataDir: join(dir, 'data') } })
    const program = openProgram({ config, clock: testClock(Date.now()) })
    await program.kernel.db.write((trx) => trx('instance').update({ held_at: Date.now(), held_reason: 'of a test' }))
    await program.close()
    expect(await status())
      .to.include('Nothing is sent until appsvc release')
      .and.to.not.include('No recipients')
  })
})
