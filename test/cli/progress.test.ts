import { Readable, Writable } from 'node:stream'
import { expect } from 'chai'
import { startProgress } from '../../src/cli/output/progress.ts'

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
    expect(long.text()).to.match(/█+░+ 50 of 100 lines/)
  })
})
