import { createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { expect } from 'chai'
import { type Move, surveyFiles } from '../../src/cli/import/steps.ts'
import { createOutput } from '../../src/cli/output/output.ts'
import { durationInWords, startProgress } from '../../src/cli/output/progress.ts'
import { sources } from '../../src/domain/imports/sources/all.ts'

function fakeIo(tty: boolean) {
  let text = ''
  const stderr = new Writable({
    write(chunk, _encoding, done) {
      text += String(chunk)
      done()
    },
  })
  const terminal = { isTTY: tty, columns: 100, cursorTo() {}, clearLine() {}, moveCursor() {} }
  return {
    io: { stdin: Readable.from([]), stdout: new Writable(), stderr: Object.assign(stderr, terminal), environment: {} },
    text: () => text,
  }
}

describe('progress of long jobs', () => {
  const realNow = performance.now.bind(performance)
  let skipped = 0
  before(() => {
    performance.now = () => realNow() + skipped
  })
  after(() => {
    performance.now = realNow
  })

  it('elsewhere than on a terminal is a line every few seconds', async () => {
    const { io, text } = fakeIo(false)
    const progress = await startProgress(io, 'line')
    progress.update(10, 100)
    expect(text()).to.equal('')
    skipped += 6000
    progress.update(50, 100)
    progress.update(60, 100)
    expect(text()).to.match(/^50 of 100 lines \(50%\), \d+\/s, \d+ s left\n$/)
    skipped += 6000
    progress.update(70)
    expect(text()).to.match(/\n70 lines, \d+\/s\n$/)
    skipped += 6000
    progress.update(80, undefined, 0.25)
    expect(text()).to.match(/\n80 lines \(25%\), \d+\/s, (\d+ s|\d+ min) left\n$/)
    skipped += 6000
    progress.update(1)
    expect(text()).to.match(/\n1 line, \d+\/s\n$/)
    skipped += 6000
    progress.update(1, 1)
    expect(text()).to.match(/\n1 of 1 line \(100%\), \d+\/s, 0 s left\n$/)
    progress.stop()
  })

  it('of an import says how much of the files is read before the rows are known', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'appsvc-progress-'))
    const files = ['a.csv', 'b.csv'].map((name) => join(dir, name))
    const rows = Array.from({ length: 6000 }, (_, i) => `id-${i},user-${i},token-${i},android\n`)
    for (const file of files) writeFileSync(file, `id,user,token,platform\n${rows.join('')}`)
    const { io, text } = fakeIo(false)
    async function* slow(file: string) {
      for await (const piece of createReadStream(file, { highWaterMark: 100_000 })) {
        skipped += 6000
        yield piece as Buffer
      }
    }
    const move = {
      io,
      given: { 'include-erased': true },
      reading: {
        files: files.map((name) => ({ name, open: async () => slow(name) })),
        source: sources.csv,
        options: { map: new Map(), tagChannels: [], numbers: false, sandbox: false },
        rules: { source: 'csv', maxAttributes: undefined, refusalOfEndpoint: () => undefined },
      },
    } as unknown as Move
    await surveyFiles(move)
    rmSync(dir, { recursive: true })
    expect(text()).to.match(/^2,?000 rows \(\d+%\), \d+\/s, \d+ s left\n/)
    expect(text()).to.match(/1[0-2],?000 rows \(100%\)/)
  })

  it('on a terminal is a bar, and nothing when the job is short', async () => {
    const short = fakeIo(true)
    const quick = await startProgress(short.io, 'line')
    quick.update(1, 2)
    quick.stop()
    expect(short.text()).to.equal('')

    const long = fakeIo(true)
    const progress = await startProgress(long.io, 'line')
    skipped += 2000
    progress.update(50, 100)
    progress.stop()
    expect(long.text()).to.match(/█+░+ 50%, \d+ s left, 50 of 100 lines/)
  })

  it('remarks and results take the bar off first, so that each has a line of its own', async () => {
    const { io, text } = fakeIo(true)
    const progress = await startProgress(io, 'line')
    skipped += 2000
    progress.update(50, 100)
    const shown = text()
    createOutput(io, { json: false, color: false }).note('line 7: no')
    progress.stop()
    // The bar is cleared and stopped before the remark, and does not come back after it.
    expect(text().slice(shown.length)).to.match(/^[^█]*line 7: no\n$/)
  })

  it('--quiet shows none', async () => {
    const { io, text } = fakeIo(true)
    const progress = await startProgress({ ...io, quiet: true }, 'line')
    skipped += 6000
    progress.update(50, 100)
    progress.stop()
    expect(text()).to.equal('')
  })

  it('durations are said in words', () => {
    expect([12, 99, 150, 6000, 7300].map(durationInWords)).to.deep.equal([
      '12 s',
      '99 s',
      '3 min',
      '1 h 40 min',
      '2 h 2 min',
    ])
  })
})
