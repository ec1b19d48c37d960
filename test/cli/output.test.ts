import { Readable, Writable } from 'node:stream'
import { expect } from 'chai'
import { cutToWidth, widthOf } from '../../src/cli/output/columns.ts'
import { createOutput, printable } from '../../src/cli/output/output.ts'
import type { Io } from '../../src/cli/process/io.ts'
import { AppError } from '../../src/platform/errors.ts'

function fakeIo(environment: Record<string, string> = {}, tty = true): { io: Io; text(): string } {
  let text = ''
  const stream = () =>
    Object.assign(
      new Writable({
        write(chunk, _encoding, done) {
          text += String(chunk)
          done()
        },
      }),
      { isTTY: tty },
    )
  return { io: { stdin: Readable.from([]), stdout: stream(), stderr: stream(), environment }, text: () => text }
}

describe('what commands print', () => {
  const hostile: [string, string, string][] = [
    ['clears the screen', '\u001b[2Jx', '\\x1b[2Jx'],
    ['sets the title', '\u001b]0;pwned\u0007', '\\x1b]0;pwned\\x07'],
    ['uses the 8-bit form', '\u009b2J', '\\x9b2J'],
    ['goes back to the beginning', 'ok\rno', 'ok\\x0dno'],
    ['adds a line', 'a\nb', 'a\\x0ab'],
    ['turns the text around', 'a\u202eb\u2066c', 'a\\u202eb\\u2066c'],
    ['holds half a character', 'a\ud800b', 'a\\ud800b'],
    ['is deleted', 'a\u007fb', 'a\\x7fb'],
  ]
  for (const [what, given, shown] of hostile) {
    it(`text that ${what} is shown harmlessly`, () => expect(printable(given)).to.equal(shown))
  }

  it('ordinary text stays as it is', () => {
    for (const text of ['Grüße', '日本語', '👩‍👩‍👧 emoji', 'a\u0301']) expect(printable(text)).to.equal(text)
    expect(printable(null)).to.equal('-')
    expect(printable(0)).to.equal('0')
  })

  it('columns are aligned, numbers to the right, wide characters counted twice', () => {
    const { io, text } = fakeIo({}, false)
    createOutput(io, { json: false, color: true }).table(
      ['N', 'NAME', 'X'],
      [
        [1, 'a', 'x'],
        [22, '日本', 'y'],
      ],
      'none',
    )
    expect(text()).to.equal(' N  NAME  X\n 1  a     x\n22  日本  y\n')
  })

  const colours: [string, Record<string, string>, boolean, { json: boolean; color: boolean }, boolean][] = [
    ['on a terminal', {}, true, { json: false, color: true }, true],
    ['not in a pipe', {}, false, { json: false, color: true }, false],
    ['not with NO_COLOR', { NO_COLOR: '1' }, true, { json: false, color: true }, false],
    ['not with --no-color', {}, true, { json: false, color: false }, false],
    ['not with --json', {}, true, { json: true, color: true }, false],
    ['not on a dumb terminal', { TERM: 'dumb' }, true, { json: false, color: true }, false],
  ]
  for (const [when, environment, tty, options, colored] of colours) {
    it(`colours: ${when}`, () => {
      const { io } = fakeIo(environment, tty)
      expect(createOutput(io, options).paint('red', 'x') !== 'x').to.equal(colored)
    })
  }

  it('with --json only values are printed', () => {
    const { io, text } = fakeIo()
    const out = createOutput(io, { json: true, color: true })
    out.line('for people')
    out.table(['A'], [[1]], '')
    out.fields({ a: 1 })
    out.value({ a: 1 })
    expect(text()).to.equal('{"a":1}\n')
  })

  it('a reader that goes away is no error', async () => {
    const { io } = fakeIo()
    const out = createOutput(io, { json: false, color: false })
    io.stdout.emit('error', Object.assign(new Error(), { code: 'EPIPE' }))
    out.line('more')
    await out.drained()
    expect(out.closed()).to.equal(true)
    await out.written()
  })

  it('a result that could not be written is a failure', async () => {
    const { io } = fakeIo()
    const out = createOutput(io, { json: false, color: false })
    out.line('a result')
    io.stdout.emit('error', Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }))
    const error = await out.written().catch((caught: unknown) => caught)
    expect(error)
      .to.be.instanceOf(AppError)
      .with.property('message', 'the result could not be written: no space left on device')
  })

  it('widths count what a terminal draws', () => {
    const rows: [string, number][] = [
      ['abc', 3],
      ['Grüße', 5],
      ['a\u0301', 1],
      ['日本', 4],
      ['👩‍👩‍👧', 2],
      ['🇩🇪', 2],
      ['❤️', 2],
      ['\u200b', 0],
    ]
    for (const [text, width] of rows) expect(widthOf(text), text).to.equal(width)
    expect(cutToWidth('日本語', 5)).to.equal('日本…')
    expect(cutToWidth('日本語', 6)).to.equal('日本語')
    expect(cutToWidth('abc', 0)).to.equal('')
  })

  describe('a table on a terminal', () => {
    const head = ['ID', 'NAME', 'NOTE']
    const rows = [
      [1, 'x'.repeat(60), 'y'.repeat(30)],
      [2, 'short', '日'.repeat(30)],
    ]
    const printed = (columns: number, tty = true) => {
      const { io, text } = fakeIo({}, tty)
      createOutput({ ...io, stdout: Object.assign(io.stdout, { columns }) }, { json: false, color: false }).table(
        head,
        rows,
        '',
      )
      return text().trimEnd().split('\n')
    }

    it('fits it: the widest columns are cut', () => {
      for (const columns of [30, 40, 80]) {
        const lines = printed(columns)
        expect(lines).to.have.length(3)
        for (const line of lines) expect(widthOf(line)).to.be.at.most(columns)
      }
      expect(printed(80)[1])
        .to.include('…')
        .and.match(/^ 1  x+…  y{30}$/)
    })

    it('too narrow for it is printed row by row', () => {
      expect(printed(16).slice(0, 3)).to.deep.equal(['ID    1', `NAME  ${'x'.repeat(60)}`, `NOTE  ${'y'.repeat(30)}`])
    })

    it('in a pipe is whole', () => expect(printed(20, false)[1]).to.include('x'.repeat(60)))
  })

  it('keys, UUIDs and times are never cut', () => {
    const { io, text } = fakeIo()
    const uuid = '53561251-4c7f-45a9-935a-8c2f6f3c2d78'
    const narrow = { ...io, stdout: Object.assign(io.stdout, { columns: 50 }) }
    createOutput(narrow, { json: false, color: false }).table(['A', 'B'], [[uuid, 'z'.repeat(40)]], '')
    expect(text()).to.include(uuid).and.include('z…')
  })
})
