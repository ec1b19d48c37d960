import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { catchInterruption, Interrupted } from '../../src/cli/process/interruption.ts'
import { stopSignal } from '../../src/cli/process/signals.ts'
import { eventually } from '../support/eventually.ts'
import { run, temporaryDirectory } from './cli.ts'

/** Gives a signal to the listener that was added last: the test runner has its own. */
function signal(name: 'SIGINT' | 'SIGTERM'): void {
  ;(process.listeners(name).at(-1) as (name: string, number: number) => void)(name, name === 'SIGINT' ? 2 : 15)
}

describe('a long job that is interrupted', () => {
  const { dir, end } = temporaryDirectory()
  const at = ['--data-dir', join(dir, 'data')]
  before(async () => {
    await run(['apps', 'create', 'First', ...at])
    await run(['tables', 'create', 'books', '--column', 'n:integer', ...at])
  })
  after(end)

  const lines = (from: number, count: number) => Array.from({ length: count }, (_, i) => `{"n":${from + i}}\n`).join('')
  const send = (title: string) => JSON.stringify({ target: { broadcast: true }, content: { title, message: 'text' } })
  const stored = async () =>
    (await run(['tables', 'show', 'books', '--json', ...at])).json<{ records: number }>().records

  it('stops behind what is stored, says how to go on, and leaves the signals as they were', async () => {
    const listeners = process.listenerCount('SIGINT')
    const stdin = new PassThrough()
    const running = run(['tables', 'import', 'books', '-', ...at], { stdin })
    // 1000 lines are a transaction; the 500 behind them are not stored yet.
    stdin.write(lines(1, 1500))
    await eventually(async () => (await stored()) === 1000, 'the first thousand is stored')
    signal('SIGINT')
    const { code, stderr } = await running
    expect(stderr).to.equal(
      '1,000 records were stored; continue with the same command and --from-line 1001\nappsvc: interrupted\n',
    )
    expect(code).to.equal(130)
    expect(process.listenerCount('SIGINT')).to.equal(listeners)

    const file = join(dir, 'all.jsonl')
    writeFileSync(file, lines(1, 1500))
    const rest = await run(['tables', 'import', 'books', file, '--from-line', '1001', ...at])
    expect([rest.code, await stored()]).to.deep.equal([0, 1500])
  })

  it('notify finishes what it handed over and says at which line it stopped', async () => {
    const stdin = new PassThrough()
    const running = run(['notify', '--dry-run', ...at], { stdin })
    stdin.write('\n{"target":{}}\n{"target":{}}\n')
    const before = process.listenerCount('SIGTERM')
    await eventually(() => process.listenerCount('SIGTERM') > 0 && stdin.readableLength === 0, 'it reads')
    expect(before).to.be.at.least(0)
    await eventually(() => process.listeners('SIGTERM').at(-1)?.name === 'onSignal', 'it listens')
    signal('SIGTERM')
    const { code, stderr } = await running
    expect(code).to.equal(143)
    expect(stderr).to.match(/(stopped after line [23]|nothing was sent)[^]*appsvc: interrupted/)
  })

  it('notify stops behind the line whose result it printed last and goes on there', async () => {
    const { runCommandLine } = await import('../../src/cli/run.ts')
    const stdin = new PassThrough()
    const stdout = new PassThrough()
    const stderr = new PassThrough()
    const said = text(stderr)
    const listeners = process.listenerCount('SIGINT')
    const ended = runCommandLine(['notify', '--json', ...at], { stdin, stdout, stderr, environment: {} })
    const answers = createInterface({ input: stdout })[Symbol.asyncIterator]()
    const all = Array.from({ length: 5 }, (_, i) => send(`n${i + 1}`))
    stdin.write(`${all.slice(0, 3).join('\n')}\n`)
    for (const line of [1, 2, 3]) expect(JSON.parse((await answers.next()).value!)).to.include({ line, status: 202 })
    signal('SIGINT')
    expect(await ended).to.equal(130)
    stderr.end()
    expect(await said).to.match(
      /\nstopped after line 3: continue with the same command and --from-line 4\nappsvc: interrupted\n$/,
    )
    expect(process.listenerCount('SIGINT')).to.equal(listeners)

    const file = join(dir, 'sends.jsonl')
    writeFileSync(file, `${all.join('\n')}\n`)
    expect((await run(['notify', file, '--from-line', '4', ...at])).code).to.equal(0)
    const listed = (await run(['notifications', 'list', '--json', ...at])).json<{
      notifications: { title: string }[]
    }>()
    expect(listed.notifications.map(({ title }) => title).sort()).to.deep.equal(['n1', 'n2', 'n3', 'n4', 'n5'])
  })

  it('ends at once by a second signal, but not by the echo of the first', () => {
    const { exit } = process
    const codes: (number | string | null | undefined)[] = []
    const now = performance.now
    let late = 0
    performance.now = () => now.call(performance) + late
    process.exit = ((code) => void codes.push(code)) as typeof exit
    const stop = stopSignal()
    const interruption = catchInterruption({})
    try {
      for (const moment of [0, 10, 300]) {
        late = moment
        for (const name of ['SIGINT', 'SIGTERM'] as const) {
          const [one, other] = process.listeners(name).slice(-2) as ((name: string, number: number) => void)[]
          if (moment < 300 || name === 'SIGTERM') for (const heard of [one!, other!]) heard(name, 15)
        }
      }
    } finally {
      process.exit = exit
      performance.now = now
      stop.end()
      interruption.end()
    }
    expect([stop.signal.aborted, interruption.caught?.exit]).to.deep.equal([true, 130])
    expect(codes).to.deep.equal([143, 143])
  })

  it('waits for no input that does not come', async () => {
    const interruption = catchInterruption({})
    const silent = new PassThrough()
    const reading = (async () => {
      for await (const _ of interruption.guard(silent)) throw new Error('nothing was written')
    })()
    signal('SIGTERM')
    const error = await reading.catch((caught: unknown) => caught)
    interruption.end()
    expect(error).to.be.instanceOf(Interrupted).and.include({ exit: 143 })
    expect(() => interruption.check()).to.throw(Interrupted)
    silent.end()
    await once(silent.resume(), 'close')
  })
})
