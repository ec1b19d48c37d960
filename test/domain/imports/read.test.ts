import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { decodeExport } from '../../../src/domain/imports/read/decode.ts'
import { type JsonItem, readJsonItems } from '../../../src/domain/imports/read/json-items.ts'
import { readExportRows } from '../../../src/domain/imports/read/rows.ts'
import { csv } from '../../../src/domain/imports/sources/csv.ts'
import type { SourceOptions } from '../../../src/domain/imports/types.ts'
import { collect } from '../../../src/platform/concurrency/chunks.ts'

const OPTIONS: SourceOptions = { map: new Map(), tagChannels: [], numbers: false, sandbox: false }

/** The bytes in pieces of this size. */
async function* pieces(bytes: Buffer | string, size: number): AsyncGenerator<Buffer> {
  const all = Buffer.from(bytes as string)
  for (let at = 0; at < all.length; at += size) yield all.subarray(at, at + size)
}

const messageOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'nothing was thrown',
    (error: Error) => error.message,
  )

describe('the objects of a JSON file', () => {
  const found = async (text: string, size: number, wrappers: string[] = []) =>
    (await collect<JsonItem>(readJsonItems(pieces(text, size), wrappers))).map(({ line, bytes }) => [
      line,
      JSON.parse(bytes.toString('utf8')),
    ])

  const cases: { name: string; text: string; wrappers?: string[]; items: unknown[] }[] = [
    {
      name: 'of a list',
      text: '\n[{"a":1},\n {"b":{"c":[{}]}}]\n',
      items: [
        [2, { a: 1 }],
        [3, { b: { c: [{}] } }],
      ],
    },
    {
      name: 'one on each line',
      text: '{"a":"}"}\n{"b":"\\"{["}\n\n{"c":[1,{"d":2}]}',
      items: [
        [1, { a: '}' }],
        [2, { b: '"{[' }],
        [4, { c: [1, { d: 2 }] }],
      ],
    },
    {
      name: 'of a list inside an object',
      wrappers: ['users'],
      text: '{"ok":true,\n"users": [\n{"a":1},{"b":2}\n],"next":{"x":1}}',
      items: [
        [3, { a: 1 }],
        [3, { b: 2 }],
      ],
    },
    {
      name: 'of several pages',
      wrappers: ['channels'],
      text: '{"channels":[{"a":1}]}{"ok":1,"channels":[{"b":[{"channels":[]}]}]}',
      items: [
        [1, { a: 1 }],
        [1, { b: [{ channels: [] }] }],
      ],
    },
    {
      name: 'an object whose other members only look like a list',
      wrappers: ['users'],
      text: '{"x":"users","y":[1],"z":{"users":[{"a":1}]}}',
      items: [[1, { x: 'users', y: [1], z: { users: [{ a: 1 }] } }]],
    },
    { name: 'beyond ASCII', text: '[{"a":"ü€𝄞"}]', items: [[1, { a: 'ü€𝄞' }]] },
    { name: 'of an empty list', text: '[]', items: [] },
    {
      name: 'behind a byte order mark',
      text: '\ufeff{"a":1}\n{"b":2}',
      items: [
        [1, { a: 1 }],
        [2, { b: 2 }],
      ],
    },
    {
      name: 'and what stands in the place of one in a list',
      text: '[{"a":1},\n5, "x,{y", [1,{"z":1}],null,{"b":2}]',
      items: [
        [1, { a: 1 }],
        [2, 5],
        [2, 'x,{y'],
        [2, [1, { z: 1 }]],
        [2, null],
        [2, { b: 2 }],
      ],
    },
    {
      name: 'and what stands in the place of one on a line',
      text: '{"a":1}\nnull\n{"b":2}\n[3]\n4\ntrue',
      items: [
        [1, { a: 1 }],
        [2, null],
        [3, { b: 2 }],
        [4, 3],
        [5, 4],
        [6, true],
      ],
    },
  ]
  for (const { name, text, wrappers, items } of cases) {
    it(`are found: ${name}, in pieces of any size`, async () => {
      for (const size of [1, 2, 3, 7, 1000]) expect(await found(text, size, wrappers), `${size}`).to.deep.equal(items)
    })
  }

  it('on lines whose text is not closed end there, and the next line is read', async () => {
    for (const size of [1, 3, 1000]) {
      const items = await collect<JsonItem>(readJsonItems(pieces('{"a":"x}\n{"b":2}\n{"c":"\n{"d":4}', size), []))
      expect(items.map(({ line, bytes }) => [line, bytes.toString()])).to.deep.equal([
        [1, '{"a":"x}'],
        [2, '{"b":2}'],
        [3, '{"c":"'],
        [4, '{"d":4}'],
      ])
    }
    expect(await messageOf(found('[{"a":"x},\n{"b":2}]', 5))).to.include('line 1 has a text that is not closed')
  })

  it('on lines that end with CR alone are refused, and white space is not', async () => {
    for (const size of [1, 2, 1000]) {
      expect(await messageOf(found('{"a":1}\r{"b":2}\r', size))).to.equal(
        'line 1 contains a carriage return: lines end with LF or CRLF',
      )
      expect(await found('{"a":1}\r\n{"b":\r2}\r\n\r', size)).to.deep.equal([
        [1, { a: 1 }],
        [2, { b: 2 }],
      ])
    }
  })

  it('a file that ends in the middle, and an endless object, are refused', async () => {
    expect(await messageOf(found('[{"a":1},{"b"', 5))).to.match(/ends in the middle of a value \(line 1\)/)
    expect(await messageOf(found(`[{"a":"${'x'.repeat(2 * 1024 * 1024)}"}]`, 65_536))).to.include(
      'more than 1048576 bytes',
    )
    expect(await messageOf(found(`{"users":[], "${'x'.repeat(2 * 1024 * 1024)}":1}`, 65_536, ['users']))).to.include(
      'a text has more than 1048576 bytes',
    )
    expect(await messageOf(found('{"a":1}}', 100))).to.include('a bracket too many')
  })
})

describe('the bytes of an export', () => {
  const text = 'user\nänne\n'
  const read = async (bytes: Buffer | string, size = bytes.length > 10_000 ? 65_536 : 3) =>
    (await collect(readExportRows(decodeExport(pieces(bytes, size)), csv, OPTIONS))).map(
      ({ line, row, problem }) => problem ?? [line, row],
    )

  it('are unpacked, and a byte order mark is skipped', async () => {
    const rows = [[2, { user: 'änne' }]]
    expect(await read(text)).to.deep.equal(rows)
    expect(await read(`\ufeff${text}`)).to.deep.equal(rows)
    expect(await read(gzipSync(text))).to.deep.equal(rows)
    expect(await read(text.replaceAll('\n', '\r\n'))).to.deep.equal(rows)
  })

  it('is unpacked in large pieces: a long row is looked at from its beginning with each of them', async () => {
    const unpacked = await collect(decodeExport(pieces(gzipSync(Buffer.alloc(4 * 1024 * 1024, 'x')), 65_536)))
    expect(Buffer.concat(unpacked).length).to.equal(4 * 1024 * 1024)
    expect(unpacked.length).to.be.below(64)
  })

  const wrong: [string, Buffer | string, RegExp][] = [
    ['UTF-16 with a mark', Buffer.from(`\ufeff${text}`, 'utf16le'), /is UTF-16, not UTF-8/],
    ['UTF-16 without a mark', Buffer.from(text, 'utf16le'), /is UTF-16, not UTF-8/],
    ['Windows-1252', Buffer.from(text, 'latin1'), /line 2 is not UTF-8, probably Windows-1252/],
    ['a spreadsheet', 'PK\x03\x04....', /zip archive or a spreadsheet/],
    ['half of a gzip file', gzipSync(text).subarray(0, 15), /damaged or not complete/],
    ['semicolons', 'user;token\na;b\n', /separated by semicolons/],
    ['tabs', 'user\ttoken\na\tb\n', /separated by tabs/],
    ['bars', 'user|token\na|b\n', /separated by bars/],
    ['a column twice', 'user,token,user\n', /has "user" twice/],
    [
      'lines that end with CR alone',
      'user,token\ra,b\r',
      /^the first line contains a carriage return: lines end with LF or CRLF/,
    ],
    [
      'a megabyte of lines that end with CR alone',
      `user,token\r${'a,b\r'.repeat(400_000)}`,
      /^line 1 contains a carriage return: lines end with LF or CRLF/,
    ],
    ['nothing', '', /is empty/],
  ]
  for (const [name, bytes, message] of wrong) {
    it(`are refused with the remedy: ${name}`, async () => {
      expect(await messageOf(read(bytes))).to.match(message)
    })
  }

  it('are closed when nobody reads on, and when they are refused', async () => {
    let opened = 0
    let closed = 0
    async function* watched(bytes: Buffer | string) {
      opened++
      try {
        yield* pieces(bytes, 4096)
      } finally {
        closed++
      }
    }
    // More than is looked at before the first row.
    const many = `user\n${'anna\n'.repeat(40_000)}`
    const json = `[${'{"user":"anna"},'.repeat(10_000)}{}]`
    for (const bytes of [many, gzipSync(many), Buffer.from(many, 'utf16le'), 'PK\x03\x04....', `${text};a\n`, json]) {
      try {
        for await (const _ of readExportRows(decodeExport(watched(bytes)), csv, OPTIONS)) break
      } catch {
        // Refused.
      }
      expect(closed, String(bytes)).to.equal(opened)
    }
  })

  it('are bounded while they are unpacked: a packed file of blanks, and one line without end', async () => {
    const packed = (text: string) => gzipSync(Buffer.alloc(8 * 1024 * 1024, text))
    expect(await messageOf(read(packed(' '), 65_536))).to.include('begins with more than 1048576 blanks')
    expect(await messageOf(read(packed('x'), 65_536))).to.match(/line 1|first line/)
    expect(await messageOf(read(packed('{"'), 65_536))).to.match(/more than 1048576 bytes/)
  })

  const file = (...lines: string[]) => ['user,token', ...lines].join('\n')
  const DOUBLE = 'has text behind a closing quote: double the quotes inside of a text'
  const broken: [what: string, text: string, rows: unknown[]][] = [
    [
      'a line break inside of quotes is read',
      file('"a\nb",1', 'c,2'),
      [
        [2, { user: 'a\nb', token: '1' }],
        [4, { user: 'c', token: '2' }],
      ],
    ],
    ['a cell too few', file('a', 'c,2'), ['has 1 cells, but the header has 2', [3, { user: 'c', token: '2' }]]],
    ['a cell too many', file('a,1,', 'c,2'), ['has 3 cells, but the header has 2', [3, { user: 'c', token: '2' }]]],
    ['text behind a quote', file('a,"2"x', 'c,2'), [DOUBLE, [3, { user: 'c', token: '2' }]]],
    [
      'a quote inside',
      file('a,2"x', 'c,2'),
      ['has a quote inside a cell: put the cell in quotes and double the quote', [3, { user: 'c', token: '2' }]],
    ],
    [
      'an open quote: the lines that it takes in are named one by one',
      file('a,"1', 'b,"2"', 'c,3'),
      [
        DOUBLE,
        'cannot be told apart from line 2, which has text behind a closing quote',
        [4, { user: 'c', token: '3' }],
      ],
    ],
    [
      'an open quote up to the end',
      file('a,"1', 'b,2', '', 'c,3'),
      [
        'has a quote that is never closed',
        'cannot be told apart from line 2, which has a quote that is never closed',
        'cannot be told apart from line 2, which has a quote that is never closed',
      ],
    ],
    [
      'NUL',
      file('a\0b,1', 'c,2'),
      ['contains a NUL character, which cannot be stored', [3, { user: 'c', token: '2' }]],
    ],
    [
      'a CR in the middle',
      file('a\rb,1', 'c,2'),
      ['contains a carriage return: lines end with LF or CRLF', [3, { user: 'c', token: '2' }]],
    ],
    ['empty lines', file('', '', 'c,2', ''), [[4, { user: 'c', token: '2' }]]],
    ['a separator behind each line', 'user,token,\na,1,\n', [[2, { user: 'a', token: '1' }]]],
    ['a header alone', 'user,token\n', []],
  ]
  for (const [what, text, rows] of broken) {
    it(`are read line by line: ${what}`, async () => {
      for (const size of [1, 3, 1000]) expect(await read(text, size)).to.deep.equal(rows)
    })
  }
})
