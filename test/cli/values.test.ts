import { createReadStream, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { expect } from 'chai'
import { openValues, type Parsed, readValues } from '../../src/cli/notify/values.ts'

const LIMIT = 1000

async function read(...chunks: string[]): Promise<unknown[]> {
  const found: unknown[] = []
  const input = (async function* () {
    for (const chunk of chunks) yield Buffer.from(chunk)
  })()
  for await (const parsed of readValues(input, { limit: LIMIT }))
    found.push('errors' in parsed ? first(parsed) : parsed.value)
  return found
}

function first(parsed: Extract<Parsed, { errors: unknown }>): string {
  return Object.values(parsed.errors)[0]![0]!
}

describe('what appsvc notify reads', () => {
  const good: [string, string[], unknown[]][] = [
    ['one value', ['{"a":1}'], [{ a: 1 }]],
    ['one value over several lines', ['{\n  "a": [\n 1,\n2]\n}\n'], [{ a: [1, 2] }]],
    ['one value with empty lines inside', ['{\n\n"a":1\n\n}'], [{ a: 1 }]],
    ['an array', ['[{"a":1},{"a":2}]'], [{ a: 1 }, { a: 2 }]],
    ['an array over several lines', ['[\n{"a":1},\n{"a":2}\n]\n'], [{ a: 1 }, { a: 2 }]],
    ['JSON lines', ['{"a":1}\n{"a":2}\n'], [{ a: 1 }, { a: 2 }]],
    [
      'JSON lines with Windows line breaks and a byte order mark',
      ['\ufeff{"a":1}\r\n{"a":2}\r\n'],
      [{ a: 1 }, { a: 2 }],
    ],
    ['blank lines', ['\n\n{"a":1}\n\n  \n{"a":2}'], [{ a: 1 }, { a: 2 }]],
    ['chunks that cut anywhere', ['{"a"', ':"ü', '"}\n{"a":', '2}', '\n'], [{ a: 'ü' }, { a: 2 }]],
    ['values that are no objects', ['1\n"x"\nnull\n'], [1, 'x', null]],
    ['nothing', [''], []],
    ['only blanks', ['  \n\t\n'], []],
  ]
  for (const [what, chunks, values] of good) {
    it(what, async () => expect(await read(...chunks)).to.deep.equal(values))
  }

  it('a line that is not JSON is named by its number, and the others go on', async () => {
    const found = await read('{"a":1}\n{bad\n\n{"a":2}\n')
    expect(found[0]).to.deep.equal({ a: 1 })
    expect(found[1]).to.match(/^line 2 is not valid JSON: /)
    expect(found[2]).to.deep.equal({ a: 2 })
  })

  it('a broken first line is not taken for the beginning of one value', async () => {
    const found = await read('{"a":\n{"a":2}\n')
    expect(found[0]).to.match(/^line 1 is not valid JSON/)
    expect(found[1]).to.deep.equal({ a: 2 })
  })

  it('lines that end with CR alone say so, however long they are', async () => {
    const says = ['line 1 contains a carriage return: lines end with LF or CRLF']
    expect(await read('{"a":1}\r{"a":2}\r')).to.deep.equal(says)
    expect(await read('{"a":1}\r'.repeat(LIMIT))).to.deep.equal(says)
    expect(await read('{"a":\r1}\r\n{"a":2}')).to.deep.equal([{ a: 1 }, { a: 2 }])
  })

  it('a line beyond the limit is read over', async () => {
    const found = await read(`{"a":1}\n{"a":"${'x'.repeat(2 * LIMIT)}"}\n{"a":2}\n`)
    expect(found[1]).to.match(/^line 2 is longer than 1000 bytes/)
    expect(found[2]).to.deep.equal({ a: 2 })
  })

  it('many lines that look like one value are given up at the limit', async () => {
    const found = await read('[\n', ...Array.from({ length: 300 }, () => '{"a":1},\n'))
    expect(found).to.have.length(301)
    expect(found.every((one) => typeof one === 'string' && one.startsWith('line '))).to.equal(true)
  })

  it('bytes that are no UTF-8 are refused', async () => {
    const found: Parsed[] = []
    for await (const one of readValues(
      (async function* () {
        yield Buffer.from([0x22, 0xff, 0x22, 0x0a])
      })(),
      { limit: LIMIT },
    ))
      found.push(one)
    expect(first(found[0] as Extract<Parsed, { errors: unknown }>)).to.equal('line 1 is not valid UTF-8')
  })

  it('lines before the one to begin with are skipped, whatever they are, and the others keep their numbers', async () => {
    let skipped = 0
    const input = Readable.from([Buffer.from('[\n{bad\n\n{"a":4}\n{"a":5}\n')])
    const found: Parsed[] = []
    for await (const one of readValues(input, { limit: LIMIT, fromLine: 4, onSkip: (bytes) => (skipped += bytes) }))
      found.push(one)
    expect(found.map((one) => [one.line, 'value' in one && one.value])).to.deep.equal([
      [4, { a: 4 }],
      [5, { a: 5 }],
    ])
    expect(skipped).to.equal('[\n{bad\n\n'.length)
  })

  it('standard input has a size when it is a file, and none when it is a pipe', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'appsvc-values-'))
    const file = join(dir, 'many.jsonl')
    writeFileSync(file, '{"a":1}\n{"a":2}\n')
    const io = { stdout: new PassThrough(), stderr: new PassThrough(), environment: {} }
    const sizes: (number | undefined)[] = []
    for (const stdin of [createReadStream(file, { fd: openSync(file, 'r') }), Readable.from(['{}'])]) {
      const values = await openValues({ ...io, stdin }, '-', { limit: LIMIT, fromLine: 2 })
      sizes.push(values.size)
      for await (const _ of values) sizes.push(values.size)
      await values.close()
    }
    rmSync(dir, { recursive: true })
    expect(sizes).to.deep.equal([16, 8, undefined])
  })
})
