import { expect } from 'chai'
import { type Column, LineError, readColumn } from '../../../src/domain/channels/one-column.ts'
import { markLength } from '../../../src/platform/text/csv.ts'

/** The whole text at once. */
function read(text: string | Buffer): Column {
  return readColumn(Buffer.from(text as string), { line: 1, last: true })
}

/** The same in pieces of `size` bytes, as it arrives from a network. */
function readInPieces(bytes: Buffer, size: number): { values: string[]; lines: number[] } {
  const values: string[] = []
  const lines: number[] = []
  let rest = Buffer.alloc(0)
  let line = 1
  let blank: number | undefined
  for (let i = 0; i < bytes.length || i === 0; i += size) {
    rest = Buffer.concat([rest, bytes.subarray(i, i + size)])
    const column = readColumn(rest, { line, last: i + size >= bytes.length, blank })
    values.push(...column.values)
    lines.push(...column.lines)
    ;({ line, blank } = column)
    rest = rest.subarray(column.consumed)
  }
  expect(rest).to.have.length(0)
  return { values, lines }
}

const emoji = '😀'.repeat(255)

describe('a file of one column', () => {
  const good: [string, string, string[], number[]?][] = [
    ['ends its lines with LF', 'a\nb\n', ['a', 'b'], [1, 2]],
    ['ends its lines with CRLF', 'a\r\nb\r\n', ['a', 'b'], [1, 2]],
    ['loses the guard of a formula, and one of several', "'=a\n''+b\n'c\n\"'-d\"\n", ['=a', "'+b", "'c", '-d']],
    ['may mix both', 'a\r\nb\nc', ['a', 'b', 'c'], [1, 2, 3]],
    ['need not end its last line', 'a\nb', ['a', 'b']],
    ['may end with empty lines', 'a\n\r\n\n', ['a']],
    ['keeps spaces, semicolons, tabs and case', ' a ;\tB\n', [' a ;\tB']],
    ['holds any script', 'größe\n日本\n😀\n', ['größe', '日本', '😀']],
    ['takes 255 characters beyond the basic plane', `${emoji}\n`, [emoji]],
    ['takes quotes around a value', '"a"\n"b"\r\n"c"', ['a', 'b', 'c'], [1, 2, 3]],
    ['takes commas in quotes', '"a,b"\n', ['a,b']],
    ['takes doubled quotes', '"say ""hi"""\n""""\n', ['say "hi"', '"']],
    ['takes line ends in quotes, which count as lines', '"a\nb"\nc\n', ['a\nb', 'c'], [1, 3]],
    ['takes 255 quotes', `"${'""'.repeat(255)}"\n`, ['"'.repeat(255)]],
  ]
  for (const [what, text, values, lines] of good) {
    it(what, () => {
      const column = read(text)
      expect(column.values).to.deep.equal(values)
      if (lines) expect(column.lines).to.deep.equal(lines)
      expect(column.consumed).to.equal(Buffer.byteLength(text))
      for (const size of [1, 2, 3, 7]) {
        expect(readInPieces(Buffer.from(text), size), `pieces of ${size}`).to.deep.equal({
          values,
          lines: column.lines,
        })
      }
    })
  }

  const bad: [string, string | Buffer, number, RegExp][] = [
    ['two columns', 'a\nb,c\n', 2, /more than one column/],
    ['a comma at the end', 'a,\n', 1, /more than one column/],
    ['a second column after quotes', 'a\n"b",c\n', 2, /more than one column/],
    ['a quote inside of a value', 'a"b\n', 1, /quote inside/],
    ['text behind a closing quote', '"a"b\n', 1, /behind a closing quote/],
    ['an open quote', 'a\n"b\nc\n', 2, /never closed/],
    ['an empty line in between', 'a\n\nb\n', 2, /is empty/],
    ['an empty line at the front', '\na\n', 1, /is empty/],
    ['an empty value in quotes', 'a\n""\n', 2, /is empty/],
    ['the line ends of old Macs', 'a\rb\r', 1, /carriage return/],
    ['a number that a spreadsheet has rounded', 'a\n1.23E+17\n', 2, /a spreadsheet has rounded/],
    ['256 characters', `a\n${'x'.repeat(256)}\n`, 2, /longer than 255/],
    ['256 characters beyond the basic plane', `${emoji}😀\n`, 1, /longer than 255/],
    ['256 characters in quotes', `"${'x'.repeat(256)}"\n`, 1, /longer than 255/],
    ['a line without an end', 'x'.repeat(100_000), 1, /longer than 255/],
    ['quotes without an end', `a\n"${'x\n'.repeat(100_000)}`, 2, /longer than 255|never closed/],
    ['bytes that are no UTF-8', Buffer.from([97, 10, 0xc3, 10, 98]), 2, /UTF-8/],
    ['an overlong form', Buffer.from([0xc0, 0x80, 10]), 1, /UTF-8/],
    ['a surrogate', Buffer.from([0xed, 0xa0, 0x80, 10]), 1, /UTF-8/],
    ['a character that is cut off at the end', Buffer.from([97, 10, 0xf0, 0x9f]), 2, /UTF-8/],
    ['quotes and lines that end with CR alone', Buffer.from('"a"\r"b"\r'), 1, /: lines end with LF or CRLF$/],
    ['thousands of lines that end with CR alone', Buffer.from('abc\r'.repeat(3000)), 1, /: lines end with LF or CRLF$/],
    ['Latin-1 in quotes', Buffer.from([0x22, 0xe9, 0x22, 10]), 1, /UTF-8/],
    ['a NUL', 'a\nb\0c\n', 2, /NUL/],
  ]
  for (const [what, text, line, reason] of bad) {
    it(`is refused for ${what}, with the line`, () => {
      const bytes = Buffer.from(text as string)
      for (const attempt of [() => read(bytes), () => readInPieces(bytes, 1), () => readInPieces(bytes, 4096)]) {
        if (bytes.length > 10_000 && attempt.toString().includes(', 1)')) continue
        expect(attempt).to.throw(LineError, reason).with.property('line', line)
      }
    })
  }

  it('stops after as many values as are wanted, and goes on there', () => {
    const bytes = Buffer.from('a\nb\nc\n')
    const first = readColumn(bytes, { line: 1, last: true, most: 2 })
    expect(first).to.deep.include({ values: ['a', 'b'], consumed: 4, line: 3 })
    const rest = readColumn(bytes.subarray(4), { line: 3, last: true })
    expect(rest).to.deep.include({ values: ['c'], lines: [3], line: 4 })
  })

  it('may begin with a byte order mark', () => {
    expect(markLength(Buffer.from('\ufeffa'))).to.equal(3)
    expect(markLength(Buffer.from('a'))).to.equal(0)
    expect(markLength(Buffer.alloc(0))).to.equal(0)
  })
})
