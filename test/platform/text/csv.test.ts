import { expect } from 'chai'
import { type CsvRow, readCsvRows } from '../../../src/platform/text/csv.ts'

async function read(text: string, size: number, options: { trim?: boolean; longest?: number } = {}): Promise<CsvRow[]> {
  const bytes = Buffer.from(text)
  const all: CsvRow[] = []
  const pieces = (async function* () {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
  })()
  for await (const row of readCsvRows(pieces, { longest: 1000, ...options })) all.push(row)
  return all
}

describe('CSV', () => {
  const rows: [what: string, text: string, expected: [line: number, ...cells: string[]][], trim?: boolean][] = [
    [
      'with LF and CRLF',
      'a,b\nc,d\r\ne,',
      [
        [1, 'a', 'b'],
        [2, 'c', 'd'],
        [3, 'e', ''],
      ],
    ],
    [
      'without empty lines',
      '\na\n\r\n\nb\n\n',
      [
        [2, 'a'],
        [5, 'b'],
      ],
    ],
    [
      'with quotes',
      '"a,""b""\n",c\n"",""\r\n',
      [
        [1, 'a,"b"\n', 'c'],
        [3, '', ''],
      ],
    ],
    ['with a byte order mark', '\ufeffa,b', [[1, 'a', 'b']]],
    ['with a quote in the middle', 'a"b,c', [[1, 'a"b', 'c']]],
    [
      'with blanks around cells',
      ' a , "b, c" \t,d e\n   \n',
      [
        [1, ' a ', ' "b', ' c" \t', 'd e'],
        [2, '   '],
      ],
    ],
    ['with blanks around cells, trimmed', ' a , "b, c" \t,d e\n   \n', [[1, 'a', 'b, c', 'd e']], true],
  ]
  for (const [what, text, expected, trim = false] of rows) {
    it(`${what} is read in pieces of any size`, async () => {
      for (const size of [1, 2, 3, 1000]) {
        const found = await read(text, size, { trim })
        expect(found.map(({ line, cells }) => [line, ...cells.map((cell) => cell.text)])).to.deep.equal(expected)
      }
    })
  }

  it('says which records cannot be read, and goes on behind them', async () => {
    for (const size of [1, 2, 1000]) {
      const found = await read('"a"b,c\nd\n"e', size)
      expect(found.map(({ line, fault }) => [line, fault?.slice(0, 8)])).to.deep.equal([
        [1, 'has text'],
        [2, undefined],
        [3, 'has a qu'],
      ])
    }
  })

  it('has no records without end', async () => {
    const error = await read(`a\n"${'x'.repeat(200)}`, 50, { longest: 100 }).catch((thrown: Error) => thrown)
    expect(error)
      .to.have.property('message')
      .that.matches(/^line 2 has more than 100 bytes/)
  })
})
