import { expect } from 'chai'
import { compile, compileAddress } from '../../../src/domain/personalization/compile.ts'

const MEGABYTE = 2 ** 20
const NOTHING = { text: '', missing: [], tooLarge: true }

function render(text: string, meta: unknown, options?: { maxBytes: number }) {
  const { template, problems } = compile(text)
  if (template === undefined) throw new Error(problems[0]!.message)
  return template.render({ meta, now: 0 }, options)
}

describe('large values in template texts', () => {
  const meta = {
    big: 'a'.repeat(MEGABYTE),
    b: `b${'a'.repeat(5000)}`,
    list: Array.from({ length: MEGABYTE }, () => 'x'),
  }

  it('make a text too large, which is then not built', () => {
    expect(render('{{ meta.big }}', meta)).to.eql(NOTHING)
    expect(render('{{ meta.big }}'.repeat(200), meta)).to.eql(NOTHING)
    expect(render('{{ meta.big }}', meta, { maxBytes: MEGABYTE }).text).to.have.length(MEGABYTE)
  })

  it('are judged in bytes', () => {
    expect(render('{{ meta }}é', 'é', { maxBytes: 4 })).to.include({ text: 'éé', tooLarge: false })
    expect(render('{{ meta }}é', 'é', { maxBytes: 3 }).tooLarge).to.equal(true)
    expect(render('{{ meta }}', '😀', { maxBytes: 4 }).text).to.equal('😀')
    expect(render('{{ meta }}', '😀', { maxBytes: 3 }).tooLarge).to.equal(true)
    expect(render('four', {}, { maxBytes: 3 }).tooLarge).to.equal(true)
  })

  it('can be cut', () => {
    expect(
      render("{{ meta.big | upcase | truncate: 5 }}{% if meta.big contains 'aaa' %}!{% endif %}", meta).text,
    ).to.equal('AA...!')
  })

  /** Each would take seconds, or more memory than there is. The bound is counted work, so it holds on every machine. */
  it('cannot be multiplied by filters, searches and conditions', () => {
    for (const text of [
      `{{ meta.big${' | append: meta.big'.repeat(800)} | truncate: 5 }}`,
      `{{ meta.big${' | upcase'.repeat(1500)} | truncate: 5 }}`,
      `{{ meta.big${' | strip'.repeat(2000)} | truncate: 5 }}`,
      `{{ 'aaaaaaaaaa'${" | replace: 'a', 'aaaaaaaaaa'".repeat(500)} | truncate: 5 }}`,
      "{{ meta.big | replace: 'a', meta.big | truncate: 5 }}",
      "{{ meta.big | replace: meta.b, '' | truncate: 5 }}",
      `{{ 1${' | plus: meta.big'.repeat(900)} }}`,
      `{{ meta.big${" | default: 'x' | number: 2 | default: meta.big".repeat(300)} }}`,
      `{% if ${'meta.big contains meta.b or '.repeat(500)} true %}{% endif %}`,
      `{% if ${"meta.list contains 'y' or ".repeat(600)} true %}{% endif %}`,
    ]) {
      expect(render(text, meta), text.slice(0, 60)).to.eql(NOTHING)
    }
  })

  it('are read to the end of the longest text that there may be', () => {
    const longest = `{{ 'a'${' |strip'.repeat(2300)} }}`
    expect(render(longest, {}).text).to.equal('a')
    expect(render(`{% if ${'true and '.repeat(1800)}true %}x{% endif %}`, {}).text).to.equal('x')
    expect(render(`{{ meta${'.a'.repeat(8000)} }}`, {}).missing).to.have.length(1)
    for (const text of [
      '{'.repeat(16_384),
      '{{'.repeat(8192),
      '{%'.repeat(8192),
      `{{ ${'['.repeat(16_000)}`,
      `{{ ${'"" '.repeat(5000)}}}`,
      `{{ ${'1'.repeat(16_000)} }}`,
      `{{ a${'-'.repeat(16_000)} }}`,
    ]) {
      expect(compile(text).problems, text.slice(0, 10)).to.have.length(1)
      expect(compileAddress(text).problems, text.slice(0, 10)).to.have.length(1)
    }
  })
})
