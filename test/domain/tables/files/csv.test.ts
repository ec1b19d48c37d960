import { expect } from 'chai'
import { type CsvLine, csvLine, fieldsOfCells, readCsv } from '../../../../src/domain/tables/files/csv.ts'
import { type FileLine, readJsonLines } from '../../../../src/domain/tables/files/json-lines.ts'
import { fieldsOfFile, readUnits, type Units } from '../../../../src/domain/tables/files/values.ts'
import type { Column, Table } from '../../../../src/domain/tables/types.ts'
import { column } from '../../../support/tables.ts'

const table: Table = {
  id: 1,
  appId: 1,
  name: 'things',
  alias: '1_things',
  columns: [column('s', 'string'), column('n', 'integer'), column('j', 'json')].map(
    (one, i): Column => ({ ...one, id: i + 1, references: null }),
  ),
  nextColumn: 4,
  createdAt: 0,
  updatedAt: 0,
}

/** The text in pieces of every size up to some, so that every character is at an edge once. */
async function* pieces(text: string | Buffer, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text as string)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

async function read(text: string | Buffer, size = 1 << 20): Promise<CsvLine[]> {
  return collect(readCsv(pieces(text, size), table))
}

const shown = (lines: CsvLine[]) =>
  lines.map((one) => [one.line, one.fault ? Object.values(one.fault)[0]![0] : [...one.cells.values()]])

describe('CSV of records', () => {
  it('reads quotes, line breaks, empty cells and empty texts, with the number of the first line of each', async () => {
    const text = '\ufeffs,n,j\r\na,1,"{""x"":1}"\r\n\r\n"two\nlines",,""\n,,\n"",2,\n"a,""b""",3,x'
    const expected = [
      [2, ['a', '1', '{"x":1}']],
      [4, ['two\nlines', null, '']],
      [6, [null, null, null]],
      [7, ['', '2', null]],
      [8, ['a,"b"', '3', 'x']],
    ]
    for (const size of [1, 2, 3, 5, 7, 1000])
      expect(shown(await read(text, size)), `pieces of ${size}`).to.deep.equal(expected)
  })

  it('passes over a line that it cannot read and goes on with the next', async () => {
    const text = 's,n\n"a"b,1\nok,2\none\n1,2,3\n\nlast,3\n"open,4\n5,6'
    for (const size of [1, 3, 1000]) {
      expect(shown(await read(text, size)), `pieces of ${size}`).to.deep.equal([
        [2, 'has text behind a closing quote: double the quotes inside of a text'],
        [3, ['ok', '2']],
        [4, 'has 1 cells, but the header has 2'],
        [5, 'has 3 cells, but the header has 2'],
        [7, ['last', '3']],
        [8, 'has a quote that is never closed'],
        [9, 'cannot be told apart from line 8, which has a quote that is never closed'],
      ])
    }
  })

  it('takes the fields in any order, the own ones too', async () => {
    const [line] = await read('updatedAt,n,id\nx,2,9')
    expect([...(line as CsvLine & { cells: Map<string, string> }).cells]).to.deep.equal([
      ['updatedAt', 'x'],
      ['n', '2'],
      ['id', '9'],
    ])
  })

  const refused: [string, string | Buffer, RegExp][] = [
    ['nothing', '', /is empty/],
    ['an unknown field', 's,zzz\n1,2', /must name fields/],
    ['a field twice', 's,n,s\n', /must name fields/],
    ['an empty head', ',\n', /must name fields/],
    ['bytes that are no UTF-8', Buffer.from([0x73, 0x0a, 0xff, 0xfe]), /UTF-8/],
    ['UTF-16', Buffer.from('\ufeffs,n\n', 'utf16le'), /UTF-16/],
    [
      'lines that end with CR alone',
      's,n\ra,1\r',
      /the first line contains a carriage return: lines end with LF or CRLF/,
    ],
    ['semicolons', 's;n\na;1\n', /separated by semicolons/],
    ['half a character', Buffer.from([0x73, 0x0a, 0xc3]), /UTF-8/],
  ]
  for (const [what, text, why] of refused) {
    it(`refuses a file with ${what}`, async () => {
      const error = await read(text).then(
        () => undefined,
        (thrown: Error) => thrown,
      )
      expect(error?.message).to.match(why)
    })
  }

  it('guards texts that a spreadsheet would run, and takes exactly the guard off again', async () => {
    for (const text of [
      '=1+1',
      '+49 30',
      '-1',
      '@x',
      '\tx',
      "'=1",
      "''=1",
      "'",
      "it's",
      '',
      ' x ',
      '"',
      'a\r\nb',
      '\r=1',
      '\n=1+1',
      '\n',
      '\r\n@x',
      ' =1',
      '\u00a0=1',
      '＝1+1',
      '＋49',
      '－1',
      '＠x',
      "'＝1",
      'a=1',
    ]) {
      const line = csvLine([{ value: text, type: 'string' }], false)
      const isFormula = /^'*(?:[\t\r\n]|\s*[=+\-@＝＋－＠])/.test(text)
      expect(/^"?'/.test(line), text).to.equal(isFormula || text.startsWith("'"))
      const [back] = await read(`s\n${line}`)
      const cells = (back as CsvLine & { cells: Map<string, string> }).cells
      expect(fieldsOfCells(cells, table, false).fields, text).to.deep.equal({ s: text })
      const [raw] = await read(`s\n${csvLine([{ value: text, type: 'string' }], true)}`)
      expect((raw as CsvLine & { cells: Map<string, string> }).cells.get('s'), text).to.equal(text)
    }
    expect(
      csvLine(
        [
          { value: -5, type: 'integer' },
          { value: null, type: 'text' },
          { value: 'x', type: 'json' },
        ],
        false,
      ),
    ).to.equal('-5,,"""x"""\r\n')
  })

  it('names the cells that do not fit', () => {
    const cells = new Map<string, string | null>([
      ['s', 'x'.repeat(256)],
      ['n', 'x'],
      ['j', '{'],
    ])
    expect(fieldsOfCells(cells, table, false).errors).to.have.all.keys('s', 'n', 'j')
  })
})

describe('the values of a file of records', () => {
  const dated: Table = {
    ...table,
    columns: [column('s', 'string'), column('n', 'integer'), column('j', 'json'), column('at', 'datetime')].map(
      (one, i): Column => ({ ...one, id: i + 1, references: null }),
    ),
  }
  const units = readUnits(['at=seconds'], dated)
  const NOV = '2026-11-28T15:30:57+0000'

  const dates: [given: unknown, shown: string | RegExp, units?: Units][] = [
    ['2026-11-28 15:30:57', NOV],
    ['Sat Nov 28 2026 15:30:57 GMT+0000 (Coordinated Universal Time)', NOV],
    ['Sat, 28 Nov 2026 15:30:57 GMT', NOV],
    ['20250101', '2025-01-01T00:00:00+0000'],
    ['1795879857', NOV, units],
    ['1795879857.5', '2026-11-28T15:30:57.500+0000', units],
    ['1795879857', /nothing says whether it counts seconds or milliseconds.* say --dates at=seconds/],
    ['1795879857000', /1795879857000.* seconds since 1970 are outside of the years/, units],
  ]
  for (const [given, shown, by] of dates) {
    it(`reads the date ${JSON.stringify(given)}${by ? ' in seconds' : ''} in both formats`, () => {
      const { fields, errors } = fieldsOfCells(new Map([['at', String(given)]]), dated, false, by)
      const lines = fieldsOfFile({ at: given }, dated, by ?? new Map())
      if (typeof shown === 'string') {
        expect(fields.at).to.equal(shown)
        expect(lines).to.deep.equal({ fields: { at: shown }, errors: {} })
      } else {
        expect(errors.at![0]).to.match(shown)
        expect(lines.errors.at![0]).to.match(shown)
      }
    })
  }

  it('reads the types of MongoDB, and leaves columns of JSON as they are', () => {
    const given = {
      s: { $oid: '507f1f77bcf86cd799439011' },
      n: { $numberInt: '5' },
      j: { kept: { $date: 0 } },
      at: { $date: { $numberLong: '1795879857000' } },
      other: { $date: 0 },
    }
    const { fields, errors } = fieldsOfFile(given, dated, new Map())
    expect(errors).to.deep.equal({})
    expect(fields).to.deep.equal({ ...given, s: '507f1f77bcf86cd799439011', n: 5, at: NOV })
    expect(fieldsOfFile({ s: { $minKey: 1 } }, dated, new Map()).errors.s).to.deep.equal([
      'is {"$minKey":1}, which JSON cannot hold',
    ])
  })

  for (const [pair, message] of [
    ['at', 'write column=unit; the units are seconds, milliseconds, microseconds'],
    ['at=hours', 'write column=unit'],
    ['n=seconds', 'the columns with dates are createdAt, updatedAt, at'],
  ] as const) {
    it(`refuses --dates ${pair}`, () => {
      expect(() => readUnits([pair], dated)).to.throw(message)
    })
  }
})

describe('JSON lines of records', () => {
  it('that end with CR alone, or are UTF-16, say so', async () => {
    const [line] = await collect(readJsonLines(pieces('{"a":1}\r{"a":2}\r', 4)))
    expect(line!.fault).to.deep.equal({ '': ['contains a carriage return: lines end with LF or CRLF'] })
    const wide = collect(readJsonLines(pieces(Buffer.from('{"a":1}\n', 'utf16le'), 100)))
    expect(await wide.catch((error: Error) => error.message)).to.include('is UTF-16')
  })

  it('reads an object a line and tells what is none', async () => {
    const text = '\ufeff{"a":1}\n\n  \r\n[1]\n{"b":\n{"a":"x\\n"}\r\n"x"\n{"last":true}'
    for (const size of [1, 4, 1000]) {
      const lines: FileLine[] = await collect(readJsonLines(pieces(text, size)))
      expect(
        lines.map((one) => [one.line, one.fault ? Object.values(one.fault)[0]![0]!.slice(0, 17) : one.fields]),
      ).to.deep.equal([
        [1, { a: 1 }],
        [4, 'must be an object'],
        [5, 'is not valid JSON'],
        [6, { a: 'x\n' }],
        [7, 'must be an object'],
        [8, { last: true }],
      ])
    }
  })

  it('tells a line that is no UTF-8 and goes on', async () => {
    const bytes = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff]), Buffer.from('"}\n{"b":2}\n')])
    const lines = await collect(readJsonLines(pieces(bytes, 3)))
    expect(lines.map(({ line, fault }) => [line, fault === undefined])).to.deep.equal([
      [1, false],
      [2, true],
    ])
  })
})
