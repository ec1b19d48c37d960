import { expect } from 'chai'
import { compile } from '../../../src/domain/personalization/compile.ts'

const problemsOf = (text: string, context = {}) => (compile(text, context).problems ?? []).map(({ message }) => message)

describe('problems of template texts', () => {
  /** Each text with the beginning of its only problem. */
  const ROWS: readonly (readonly [string, string])[] = [
    ['{{ meta.a', 'line 1, column 1: {{ is never closed: put }} behind the expression'],
    ['a\n\n {% if true', 'line 3, column 2: {% is never closed: put %} behind the expression'],
    ['{{ a {{ b }}', 'line 1, column 1: {{ is never closed'],
    ["😀\r\n😀é{{ 'a }}", "line 2, column 6: this quote is never closed: put ' behind the text"],
    ['{{ }}', 'line 1, column 4: something is missing: write a path such as user.attributes.name'],
    ['{{ | upcase }}', 'line 1, column 4: “|” is not expected: write a path'],
    ['{{ meta.a b }}', 'line 1, column 11: “b” is not expected: put | before a filter'],
    ['{{ meta.a == 1 }}', 'line 1, column 11: “==” is not expected: put | before a filter'],
    ['{{ meta. }}', 'line 1, column 9: something is missing: write a name behind the point'],
    ['{{ meta.a\u200f }}', 'line 1, column 10: the invisible character U+200F is not expected'],
    ['{{ meta.a\ufeff }}', 'line 1, column 10: the invisible character U+FEFF is not expected'],
    ['{{ “a” }}', "line 1, column 4: a text stands in straight quotes: write 'text'"],
    ['{{ meta[a] }}', 'line 1, column 9: “a” is not expected: write a name in quotes or a whole number'],
    ['{{ meta[1.5] }}', 'line 1, column 9: “1.5” is not a place in a list'],
    ["{{ meta['a' }}", 'line 1, column 13: something is missing: put ] behind the name'],
    ["{{ 'a\\'' }}", 'line 1, column 8: this quote is never closed'],
    ["{{ 'a\\n' }}", 'line 1, column 6: a backslash means nothing here'],
    [`{{ ${'9'.repeat(400)} }}`, 'line 1, column 4: this number is too large'],
    [
      '{{ name }}',
      'line 1, column 4: there is no value “name”; there are: user.identifier, user.attributes.…, install.…, meta.…, app.name, now.',
    ],
    [
      '{{ users.a }}',
      'line 1, column 4: there is no value “users”; there are: user.identifier, user.attributes.…, install.…, meta.…, app.name, now. Did you mean user?',
    ],
    ['{{ user }}', 'line 1, column 4: a user has user.identifier and user.attributes.…: name one'],
    [
      '{{ user.name }}',
      'line 1, column 4: a user has user.identifier and user.attributes.…: name one (user.attributes.name?)',
    ],
    ['{{ user.attributes }}', 'line 1, column 4: a user has'],
    ['{{ user.identifier.x }}', 'line 1, column 4: a user has'],
    [
      '{{ install.osversion }}',
      'line 1, column 4: there is no value “install.osversion”; there are: install.os, install.osVersion, install.appVersion, install.locale, install.language, install.country, install.timezone. Did you mean install.osVersion?',
    ],
    ['{{ install }}', 'line 1, column 4: there is no value “install”; there are: install.os'],
    ['{{ app.title }}', 'line 1, column 4: there is no value “app.title”; there are: app.name.'],
    ['{{ now.year }}', 'line 1, column 4: now has no parts: write now | date'],
    ['{{ event.total }}', 'line 1, column 4: there is no value “event”'],
    [
      '{{ lookup.shop.name }}',
      'line 1, column 4: there is no look-up “shop”; the request declares none: declare it in lookup',
    ],
    ['{{ constructor }}', 'line 1, column 4: there is no value “constructor”'],
    [
      '{{ meta.a | upcas }}',
      'line 1, column 13: there is no filter “upcas”; there are: default, upcase, downcase, capitalize, truncate, strip, append, prepend, replace, plus, minus, times, divided_by, round, date, number, url_encode. Did you mean upcase?',
    ],
    ['{{ meta.a | toString }}', 'line 1, column 13: there is no filter “toString”'],
    ['{{ meta.a | }}', 'line 1, column 13: something is missing: write the name of a filter behind |'],
    ['{{ meta.a | upcase: 1 }}', 'line 1, column 13: upcase takes no arguments: write upcase alone'],
    ['{{ meta.a | append }}', 'line 1, column 13: append takes 1 argument: text'],
    ['{{ meta.a | replace: "a" }}', 'line 1, column 13: replace takes 2 arguments: search, replacement'],
    [
      '{{ meta.a | truncate: 1, 2, 3 }}',
      'line 1, column 13: truncate takes 0 to 2 arguments: length (may be left out), ellipsis (may be left out)',
    ],
    [
      '{{ meta.a | default: 1, allow_false: true }}',
      'line 1, column 25: arguments have no names: write the value alone',
    ],
    ["{{ meta.a | truncate: 'x' }}", 'line 1, column 23: the length of truncate must be a number, as in 5'],
    ['{{ meta.a | plus: true }}', 'line 1, column 19: the number of plus must be a number, as in 5'],
    ['{{ meta.a | divided_by: 0 }}', 'line 1, column 25: nothing can be divided by 0: write another number'],
    ["{{ now | date: '%d %Q' }}", 'line 1, column 16: date does not know “%Q”; it knows %Y %y'],
    ["{{ now | date: '50 %' }}", 'line 1, column 16: date does not know “%”'],
    ['{{ now | date: meta.format }}', 'line 1, column 16: the format of date must be a text in quotes'],
    ['{{ 1 | number: 21 }}', 'line 1, column 16: the decimals of number must be a whole number from 0 to 20'],
    ['{% for a in meta.b %}', 'line 1, column 4: there is no tag “for”; there are: if, elsif, else, endif'],
    ['{% if %}{% endif %}', 'line 1, column 7: something is missing: write a path'],
    ['{% if meta.a = 1 %}{% endif %}', 'line 1, column 14: “=” is not expected: write and or or between conditions'],
    [
      '{% if meta.a | upcase == "A" %}{% endif %}',
      'line 1, column 14: “|” is not expected: write and or or between conditions',
    ],
    ['{% if (meta.a) %}{% endif %}', 'line 1, column 7: “(” is not expected'],
    ['{% if meta.a == 1 == 2 %}{% endif %}', 'line 1, column 19: “==” is not expected'],
    [
      '{% if meta.a == nil %}{% endif %}',
      'line 1, column 17: a missing value is false by itself: write {% if … %} with the value alone',
    ],
    ["{% if meta.a != '' %}{% endif %}", 'line 1, column 17: a missing value is false by itself'],
    [
      '{% if meta.a == blank %}{% endif %}',
      'line 1, column 17: there is no “blank”: a missing value is false by itself',
    ],
    ['{% if not meta.a %}{% endif %}', 'line 1, column 7: there is no “not”: write != or {% else %}'],
    ['{% if meta.a == null %}{% endif %}', 'line 1, column 17: there is no “null”: write nil'],
    ['{% if true %}', 'line 1, column 1: this if is never closed: put {% endif %} behind it'],
    ['a{% endif %}', 'line 1, column 2: endif has no if before it: begin with {% if … %}'],
    ['{% if true %}{% else %}{% else %}{% endif %}', 'line 1, column 24: else stands behind else: an if has one else'],
    ['{% if true %}{% else %}{% elsif true %}{% endif %}', 'line 1, column 24: elsif stands behind else'],
    [
      '{% if true %}{% else if true %}{% endif %}',
      'line 1, column 22: “if” is not expected: put %} behind else, or write elsif',
    ],
    [
      `${'{% if true %}'.repeat(9)}${'{% endif %}'.repeat(9)}`,
      'line 1, column 105: more than 8 ifs stand inside each other',
    ],
    ['{{ 1 }}'.repeat(201), 'line 1, column 1401: the text has 201 parts in braces; at most 200 are allowed'],
    ['é'.repeat(8193), 'line 1, column 1: the text has 16386 bytes; at most 16384 are allowed: shorten it'],
  ]

  it('have the place and the remedy', () => {
    for (const [text, message] of ROWS) {
      const problems = problemsOf(text)
      expect(problems, text).to.have.length(1)
      expect(problems[0], text).to.satisfy((said: string) => said.startsWith(message))
    }
  })

  it('name what the request declares', () => {
    const context = { lookups: ['shop', 'product'], event: 'device' as const }
    expect(problemsOf('{{ lookup.shops.name }}', context)[0]).to.contain(
      'no look-up “shops”; there are: shop, product: declare it in lookup',
    )
    expect(problemsOf('{{ lookup.shop }}', context)[0]).to.contain(
      'lookup.shop is a row: name a column, as in lookup.shop.name',
    )
    expect(problemsOf('{{ event }}', context)[0]).to.contain('name one, as in event.total')
    expect(problemsOf('{{ x }}', context)[0]).to.contain('event.…, lookup.….')
    expect(problemsOf('{{ lookup.shop.name }}{{ event.a }}', context)).to.eql([])
  })

  it('are all named, in the order of the text', () => {
    const text = '{{ a }}\n{{ meta.b | c }}{% if d %}\n{{ }}{% endif %}{% endif %}'
    expect(problemsOf(text).map((message) => message.slice(0, message.indexOf(': ')))).to.eql([
      'line 1, column 4',
      'line 2, column 13',
      'line 2, column 23',
      'line 3, column 4',
      'line 3, column 17',
    ])
  })

  it('are none at the limits', () => {
    expect(problemsOf('x'.repeat(16_384))).to.eql([])
    expect(problemsOf('{{ 1 }}'.repeat(200))).to.eql([])
    expect(problemsOf(`${'{% if true %}'.repeat(8)}${'{% endif %}'.repeat(8)}`)).to.eql([])
  })
})
