import { expect } from 'chai'
import {
  jsonProblem,
  parseJsonBytes,
  parseJsonText,
  readJsonText,
  readWholeObject,
} from '../../../src/platform/json/json.ts'
import { hasText, MAX_UNKEPT, pathOf, unkeptKind } from '../../../src/platform/json/numbers.ts'
import { wrongKeys } from '../../support/wrong-keys.ts'

const LARGE = 'is too large for a number: send it as text'
const INTEGER = 'is an integer beyond 9007199254740991, which a number does not hold exactly: send it as text'
const SMALL = 'is too small for a number and would become 0: send it as text'

describe('a number of a JSON text', () => {
  const kept = [
    '0',
    '-0',
    '0.0',
    '0e999',
    '1e5',
    '1E-5',
    '9007199254740991',
    '-9007199254740991',
    '9007199254740991.0',
    '1e23',
    '1.7976931348623157e308',
    '5e-324',
    '0.1000000000000000055511151231257827',
    '51.123456789012345678',
    '12345678901234567.25',
    '1234567890123456800.0',
    '12345678901234568000e-3',
  ]
  for (const token of kept) {
    it(`is kept: ${token}`, () => {
      expect(unkeptKind(token)).to.equal(undefined)
      expect(parseJsonText(`{"a":[${token}]}`)).to.deep.equal({ a: [Number(token)] })
    })
  }

  const unkept: [token: string, problem: string][] = [
    ['1e400', LARGE],
    ['-1E+400', LARGE],
    ['1.8e308', LARGE],
    ['9'.repeat(400), LARGE],
    [`${'9'.repeat(400)}.5`, LARGE],
    ['9007199254740993', INTEGER],
    ['-9007199254740993', INTEGER],
    ['9007199254740992', INTEGER],
    ['10000000000000000000', INTEGER],
    ['9007199254740993.0', INTEGER],
    ['9007199254740993.000e0', INTEGER],
    ['0.9007199254740993e16', INTEGER],
    ['1234567890123456789e3', INTEGER],
    ['1e-400', SMALL],
    [`0.${'0'.repeat(400)}1`, SMALL],
  ]
  for (const [token, problem] of unkept) {
    it(`is refused with its path: ${token.slice(0, 30)}`, () => {
      expect(wrongKeys(() => parseJsonText(`{"a":[true,{"b c":${token}}],"e":1}`))).to.deep.equal({
        'a[1].b c': [problem],
      })
      expect(wrongKeys(() => parseJsonText(token))).to.deep.equal({ '': [problem] })
    })
  }

  it('is not looked for in texts, nor in what only looks like one', () => {
    for (const source of [
      '{"1e400":"1e400"}',
      '["9007199254740993"]',
      '["\\"",true,false,"\\\\"]',
      '{"a":"x\\",1e400"}',
    ]) {
      expect(parseJsonBytes(Buffer.from(source))).to.deep.equal(JSON.parse(source))
    }
  })

  it('has a path however deep it is, and whatever its key is called', () => {
    const source = '{"__proto__":{"a\\"b":[[],[{"x":[1,2],"y":{"z":1e400}}]]},"q":[[1e400]]}'
    expect(Object.keys(wrongKeys(() => parseJsonText(source)) as object)).to.have.members([
      '__proto__.a"b[1][0].y.z',
      'q[0][0]',
    ])
  })

  it('is one of twenty that are named, and the others are counted', () => {
    const errors = wrongKeys(() => parseJsonText(`[${Array(50).fill('1e400').join()}]`)) as Record<string, string[]>
    expect(Object.keys(errors)).to.have.length(20)
    expect(errors['']).to.deep.equal(['has 31 more numbers that cannot be kept'])
  })

  it('does not make the answer long by a long key', () => {
    const problem = jsonProblemOf(`{"${'k'.repeat(100_000)}":[1e400,1e400]}`)
    expect(problem!.length).to.be.below(2000)
  })

  it('is text where it cannot be corrected', () => {
    const source = '[{"a":9007199254740993,"b":[-9007199254740993, 1e-400],"c":9007199254740991,"d":"x"}]'
    const { value, unkept } = readJsonText(source, hasText)
    expect(value).to.deep.equal([
      { a: '9007199254740993', b: ['-9007199254740993', '1e-400'], c: 9007199254740991, d: 'x' },
    ])
    expect(unkept.map((one) => [pathOf(one), one.isText])).to.deep.equal([
      ['[0].a', true],
      ['[0].b[0]', true],
      ['[0].b[1]', true],
    ])
  })

  it('is refused there, too, when no double is as large', () => {
    const { unkept } = readJsonText('{"a":1e400,"b":9007199254740993}', hasText)
    expect(unkept.map(({ kind, isText }) => [kind, isText])).to.deep.equal([
      ['large', false],
      ['integer', true],
    ])
  })

  it('is refused in an object that a file holds as text', () => {
    expect(readWholeObject('{"a":1}')).to.deep.equal({ object: { a: 1 } })
    expect(readWholeObject('[1e400]')).to.deep.equal({ object: undefined })
    expect(readWholeObject('{')).to.deep.equal({ object: undefined })
    expect(readWholeObject('{"a":1e400}')).to.deep.equal({ problem: `a ${LARGE}` })
  })

  it('makes the whole text refused when there are thousands', () => {
    const source = `[${Array(MAX_UNKEPT + 1)
      .fill('9007199254740993')
      .join()}]`
    expect(wrongKeys(() => readJsonText(source, hasText))).to.deep.equal({
      '': [`has more than ${MAX_UNKEPT} numbers that cannot be kept`],
    })
  })

  it('costs no more than its bytes, behind the longest key and at the greatest depth', () => {
    const numbers = (count: number) => Array(count).fill('9007199254740993').join()
    const hostile = [
      `{"${'k'.repeat(1_000_000)}":[${numbers(9000)}]}`,
      `${'['.repeat(60)}${numbers(60_000)}${']'.repeat(60)}`,
      `[${'1e1,'.repeat(250_000)}1]`,
    ]
    const timed = (work: () => unknown) => {
      const before = process.cpuUsage()
      try {
        work()
      } catch {
        // Refused.
      }
      const { user, system } = process.cpuUsage(before)
      return user + system
    }
    const plain = `[${'1234567,'.repeat(125_000)}1]`
    parseJsonText(plain)
    const unit = Math.max(
      timed(() => parseJsonText(plain)),
      1000,
    )
    for (const source of hostile) expect(timed(() => readJsonText(source, hasText)) / unit).to.be.below(100)
  })
})

function jsonProblemOf(source: string): string | undefined {
  try {
    parseJsonText(source)
    return undefined
  } catch (error) {
    return jsonProblem(error)
  }
}
