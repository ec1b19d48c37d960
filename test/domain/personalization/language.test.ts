import { expect } from 'chai'
import { compile } from '../../../src/domain/personalization/compile.ts'
import { looksLikeTemplate } from '../../../src/domain/personalization/read/tokens.ts'
import type { Scope, TemplateContext } from '../../../src/domain/personalization/types.ts'

const SCOPE: Scope = {
  user: {
    identifier: 'anna',
    attributes: {
      firstName: 'Anna',
      plan: 'gold',
      'home town': 'Köln',
      points: 1234.5,
      vip: true,
      left: false,
      nothing: null,
      blank: '',
      tags: ['a', 7],
      none: [],
      address: { city: 'Bonn' },
      odd: { size: 3, length: 4 },
    },
  },
  install: { os: 'ios', osVersion: '26.1', appVersion: null, timezone: 'Europe/Berlin' },
  meta: { order: 'A/7', items: [{ name: 'Tea' }, { name: 'Milk' }], zero: 0 },
  lookup: { product: { name: 'Lamp', price: 20 } },
  event: { total: 12 },
  app: { name: 'Shop' },
  now: Date.parse('2026-11-29T13:24:54.000Z'),
  timezone: 'Europe/Berlin',
  language: 'de',
}
const CONTEXT: TemplateContext = { lookups: ['product'], event: 'server' }

function templateOf(text: string) {
  const { template, problems } = compile(text, CONTEXT)
  if (template === undefined) throw new Error(`${text}: ${problems[0]!.message}`)
  return template
}
const rendered = (text: string) => templateOf(text).render(SCOPE).text

/** Each text beside its result. */
function holds(rows: readonly (readonly [string, string])[]) {
  for (const [text, result] of rows) expect(rendered(text), text).to.equal(result)
}

describe('the language of template texts', () => {
  it('prints values by their paths', () => {
    holds([
      ['{{ user.identifier }}', 'anna'],
      ['{{user.attributes.firstName}}', 'Anna'],
      ["{{ user.attributes['home town'] }}", 'Köln'],
      ['{{ user.attributes["home town"] }}', 'Köln'],
      ['{{ user.attributes.address.city }}', 'Bonn'],
      ['{{ user.attributes.points }}', '1234.5'],
      ['{{ user.attributes.vip }} {{ user.attributes.left }}', 'true false'],
      ['{{ user.attributes.tags[1] }}', '7'],
      ['{{ meta.items[0].name }}, {{ meta.items[ -1 ].name }}', 'Tea, Milk'],
      ['{{ install.os }} {{ install.osVersion }}', 'ios 26.1'],
      ['{{ lookup.product.name }} {{ event.total }} {{ app.name }}', 'Lamp 12 Shop'],
      ['{{ now }}', '2026-11-29T13:24:54.000Z'],
      ["{{ 'a' }}{{ 5 }}{{ -0.5 }}{{ true }}", 'a5-0.5true'],
      ['{{ meta.zero }}', '0'],
      ['no braces } } % { x', 'no braces } } % { x'],
      ["{{ '}} {{ %}' }}", '}} {{ %}'],
    ])
  })

  it('takes a text that no push may carry for missing: half a character, and one with a NUL', () => {
    for (const value of ['a\ud83d', '\u0000', 'a\u0000b']) {
      const { text, missing } = templateOf('Hi {{ meta.value }}!').render({ ...SCOPE, meta: { value } })
      expect({ text, missing }).to.deep.equal({ text: 'Hi !', missing: ['meta.value'] })
    }
  })

  it('names the outputs that are missing, as they are written', () => {
    const missing = (text: string) => templateOf(text).render(SCOPE).missing
    for (const path of ['nobody', 'nothing', 'blank', 'tags', 'none', 'address', 'firstName.length', 'tags[9]']) {
      expect(missing(`Hi {{ user.attributes.${path} }}!`), path).to.eql([`user.attributes.${path}`])
      expect(rendered(`Hi {{ user.attributes.${path} }}!`), path).to.equal('Hi !')
    }
    expect(missing("{{-  meta.x | append: ''  -}}")).to.eql(["meta.x | append: ''"])
    expect(missing("{{ nil }}{{ '' }}{{ install.appVersion }}{{ meta.order.size }}{{ nil }}")).to.eql([
      'nil',
      "''",
      'install.appVersion',
      'meta.order.size',
    ])
    expect(missing("{{ meta.x | default: 'y' }}{{ false }}{{ 0 }}"), 'nothing').to.eql([])
    expect(missing('{% if meta.x %}{{ meta.x }}{% endif %}'), 'a branch that is not taken').to.eql([])
    expect(templateOf('{{ user.attributes.x }}{{ meta.x }}').render({ now: 0 }).missing).to.have.length(2)
  })

  it('never reaches what JavaScript adds to a value', () => {
    for (const name of ['__proto__', 'constructor', 'toString', 'length', 'hasOwnProperty', 'prototype']) {
      for (const path of [
        'user.attributes',
        'user.attributes.firstName',
        'user.attributes.tags',
        'meta',
        'meta.items[0]',
      ]) {
        const { text, missing } = templateOf(`{{ ${path}.${name} }}{{ ${path}['${name}'].x }}`).render(SCOPE)
        expect([text, missing.length], `${path}.${name}`).to.eql(['', 2])
      }
    }
    holds([['{{ user.attributes.odd.size }} {{ user.attributes.odd.length }}', '3 4']])
    const own: unknown = JSON.parse('{"__proto__": "mine", "constructor": 5}')
    expect(templateOf('{{ meta.__proto__ }}{{ meta.constructor }}').render({ meta: own, now: 0 }).text).to.equal(
      'mine5',
    )
  })

  it('never reads a value as a template', () => {
    for (const value of [
      '{{ user.identifier }}',
      '{% if true %}',
      "'",
      '"',
      '}}',
      '\u202eabc',
      '$&',
      '<b>&amp;',
      '\\n',
    ]) {
      const scope = { ...SCOPE, meta: { value } }
      expect(templateOf('{{ meta.value }}').render(scope).text, value).to.equal(value)
      expect(templateOf("{{ 'x' | replace: 'x', meta.value }}").render(scope).text, value).to.equal(value)
      expect(templateOf('{{ meta.value | append: meta.value }}').render(scope).text, value).to.equal(value + value)
    }
  })

  it('has these filters', () => {
    holds([
      [
        "{{ meta.x | default: 'you' }}{{ '' | default: 1 }}{{ false | default: 2 }}{{ user.attributes.none | default: 3 }}",
        'you123',
      ],
      ["{{ 0 | default: 5 }}{{ ' ' | default: 5 }}", '0 '],
      ["{{ 'straße' | upcase }} {{ 'ÀB' | downcase }} {{ 'hELLO wORLD' | capitalize }}", 'STRASSE àb Hello world'],
      [
        "{{ 'abcdefgh' | truncate: 5 }} {{ 'abcdefgh' | truncate: 5, '…' }} {{ 'abc' | truncate: 3 }}",
        'ab... abcd… abc',
      ],
      ["{{ '😀😀😀😀' | truncate: 3, '' }}", '😀😀😀'],
      ["{{ '  a b ' | strip }}{{ 'b' | append: 'c' | prepend: 'a' }}", 'a babc'],
      ["{{ 'a.b.c' | replace: '.', '$&' }} {{ 'abc' | replace: '', 'x' }}", 'a$&b$&c abc'],
      ["{{ 5 | plus: '2' }} {{ '5' | minus: 7 }} {{ 3 | times: 1.5 }} {{ meta.x | plus: 10 }}", '7 -2 4.5 10'],
      ['{{ 7 | divided_by: 2 }} {{ -7 | divided_by: 2 }} {{ "7" | divided_by: 2 }}', '3 -4 3'],
      ['{{ 7 | divided_by: 2.0 }} {{ 7.5 | divided_by: 2 }} {{ "7.0" | divided_by: 2 }}', '3.5 3.75 3.5'],
      ['{{ 7 | divided_by: meta.zero | default: "no" }}', 'no'],
      ['{{ 1.005 | round: 2 }} {{ 2.5 | round }} {{ -2.5 | round }} {{ 1234 | round: -2 }}', '1.01 3 -3 1200'],
      [
        '{{ user.attributes.points | number }} {{ user.attributes.points | number: 2 }} {{ "12" | number: 1 }}',
        '1.234,5 1.234,50 12,0',
      ],
      [
        "{{ 'twelve' | number | default: '?' }}{{ true | number | default: '?' }}{{ '' | number | default: '?' }}",
        '???',
      ],
      ["{{ 'a b&c/ü' | url_encode }}", 'a+b%26c%2F%C3%BC'],
      ["{{ user.attributes.tags | append: 'x' }}{{ user.attributes.address | upcase }}", 'x'],
    ])
    const spoiled = { ...SCOPE, meta: { half: '\ud83dx' } }
    expect(templateOf('{{ meta.half | url_encode }}').render(spoiled).text).to.equal('')
    expect(templateOf('{{ 1234.5 | number: 1 }}').render({ now: 0, language: 'no such tag' }).text).to.equal('1,234.5')
  })

  it('chooses the first branch whose condition holds', () => {
    const say = (condition: string) => rendered(`{% if ${condition} %}yes{% else %}no{% endif %}`)
    const rows: readonly (readonly [string, string])[] = [
      ["user.attributes.plan == 'gold'", 'yes'],
      ["user.attributes.plan != 'gold'", 'no'],
      ['user.attributes.points > 1000 and user.attributes.vip', 'yes'],
      ['user.attributes.points >= 1234.5', 'yes'],
      ['user.attributes.points<=1', 'no'],
      ["'5' == 5", 'no'],
      ["'5' < 10", 'yes'],
      ["'b' > 'a'", 'yes'],
      ["user.attributes.plan contains 'ol'", 'yes'],
      ['user.attributes.tags contains 7', 'yes'],
      ["user.attributes.tags contains '7'", 'no'],
      ['meta.zero', 'yes'],
      ['false', 'no'],
      ['true or false and false', 'yes'],
      // From the right: true and (false or true), false and (… or true).
      ['true and false or true', 'yes'],
      ['false and true or true', 'no'],
    ]
    for (const [condition, answer] of rows) expect(say(condition), condition).to.equal(answer)
    const by = '{% if meta.a %}1{% elsif meta.zero == 1 %}2{% elsif meta.zero == 0 %}3{% else %}4{% endif %}'
    expect(rendered(by)).to.equal('3')
    expect(rendered('{% if false %}1{% endif %}')).to.equal('')
  })

  it('takes a missing value in a condition for false, and a comparison with it, but for !=', () => {
    for (const path of ['nobody', 'nothing', 'blank', 'tags', 'none', 'address']) {
      const say = (condition: string) => rendered(`{% if ${condition} %}yes{% else %}no{% endif %}`)
      const value = `user.attributes.${path}`
      for (const sign of ['==', '<', '>', '<=', '>=', 'contains']) {
        expect(say(`${value} ${sign} 5`), `${path} ${sign}`).to.equal('no')
        expect(say(`5 ${sign} ${value}`), `${sign} ${path}`).to.equal('no')
      }
      expect(say(value), path).to.equal('no')
      expect(say(`${value} == meta.gone`), path).to.equal('no')
      expect(say(`${value} != 5`), path).to.equal('yes')
      expect(say(`${value} != ${value}`), path).to.equal('yes')
    }
  })

  it('removes the blanks beside a hyphen', () => {
    holds([
      ['a  {{- 1 -}} \n b', 'a1b'],
      ['a {{ 1 -}} b {%- if true %} c {% endif -%} d', 'a 1b c d'],
      ['{{-1}}{{ -1 }}', '1-1'],
      [' {{- " x " -}} ', ' x '],
      ['a\n{%- if false -%}\n b\n{%- endif -%}\nc', 'ac'],
    ])
  })

  it('tells what it reads, and how short it can be', () => {
    const text =
      "é{% if install.os == 'ios' %}long{% elsif meta.a %}xy{% else %}abc{% endif %}{{ lookup.product.name | append: user.attributes['home town'] }}{{ now | date: '%d' }}{{ 1 | number }}{{ meta.a }}"
    const { reads, paths, lookups, leastBytes, isConstant } = templateOf(text)
    expect([...reads].sort()).to.eql(['install', 'language', 'lookup', 'meta', 'now', 'timezone', 'user.attributes'])
    expect(paths).to.have.members([
      'install.os',
      'meta.a',
      'lookup.product.name',
      "user.attributes['home town']",
      'now',
    ])
    expect([...lookups]).to.eql(['product'])
    expect([leastBytes, isConstant]).to.eql([4, false])
    expect(templateOf('{% if true %}long{% endif %}').leastBytes).to.equal(0)
    const plain = templateOf('plain')
    expect([plain.isConstant, plain.leastBytes, plain.reads.size, plain.render({ now: 0 }).text]).to.eql([
      true,
      5,
      0,
      'plain',
    ])
    expect(templateOf('').isConstant).to.equal(true)
    expect(templateOf("{{ 'x' }}").isConstant).to.equal(false)
  })

  it('knows a text that looks like one', () => {
    for (const text of ['Hi {{ name }}', '{% if x %}', '{{}}', '%} {% x %}'])
      expect(looksLikeTemplate(text), text).to.equal(true)
    for (const text of ['', 'Hi', '{ name }', '{{ name', '}} {{', '{% x', '100 %}'])
      expect(looksLikeTemplate(text), text).to.equal(false)
  })
})
