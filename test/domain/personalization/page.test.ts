import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { compile, compileAddress } from '../../../src/domain/personalization/compile.ts'
import { DIRECTIVE_LETTERS } from '../../../src/domain/personalization/filters/dates.ts'
import { FILTER_NAMES } from '../../../src/domain/personalization/filters/filters.ts'
import { MAX_DEPTH, MAX_PARTS, MAX_TEXT_BYTES } from '../../../src/domain/personalization/types.ts'

const PAGE = readFileSync(join(import.meta.dirname, '../../../docs/personalising.md'), 'utf8')
const sectionOf = (heading: string) => PAGE.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? ''
const unescaped = (cell: string) => cell.replaceAll('\\|', '|')

describe('docs/personalising.md', () => {
  it('has every filter, each with an example whose result is right', () => {
    const rows = [...sectionOf('Filters').matchAll(/^\| (?:`(\w+)`)? ?\| `(\{\{.*\}\})` \| (.*) \|$/gm)]
    expect(rows.flatMap(([, name]) => name ?? [])).to.eql(FILTER_NAMES)
    for (const [, , text, result] of rows) {
      const { template } = compile(unescaped(text!))
      expect(template?.render({ now: 0, timezone: 'Europe/Berlin', language: 'de' }).text, text).to.equal(result)
    }
  })

  it('has every directive of date', () => {
    const shown = [...sectionOf('Filters').matchAll(/`%([A-Za-z%])`/g)].map(([, letter]) => letter)
    expect(shown).to.have.members([...DIRECTIVE_LETTERS])
  })

  it('shows texts, values and addresses that are accepted', () => {
    const context = { lookups: ['product'], event: 'server' } as const
    const values = [...sectionOf('Values').matchAll(/`((?:user|install|meta|lookup|event|app|now)\b[^`]*)`/g)].map(
      ([, path]) => path!,
    )
    expect(values).to.have.length.above(12)
    for (const path of values) expect(compile(`{{ ${path} }}`, context).problems, path).to.equal(undefined)
    const addresses = [...sectionOf('Addresses').matchAll(/`([^`]*\{[{%][^`]*)`/g)].map(([, address]) =>
      address!.replace('if …', 'if true'),
    )
    expect(addresses).to.have.length(4)
    for (const address of addresses) expect(compileAddress(address, context).problems, address).to.equal(undefined)
    const [, example] = /```liquid\n([^`]*)```/.exec(PAGE) ?? []
    expect(compile(example ?? '{{').problems).to.equal(undefined)
  })

  it('has the limits', () => {
    const numbers = [...sectionOf('Limits').matchAll(/\| (\d+)(?: KiB)? \|$/gm)].map(([, number]) => Number(number))
    expect(numbers).to.eql([MAX_TEXT_BYTES / 1024, MAX_PARTS, MAX_DEPTH])
  })
})
