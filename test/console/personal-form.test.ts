import { expect } from 'chai'
import { loadPure } from './support/pure.ts'

type Draft = Record<string, unknown>
interface Picked {
  path: string
  look: string
  fallback: string
}

const { piecesOf, written, pickedOf, wordsOf, member, pathBelow, spliced } = await loadPure<{
  piecesOf(text: string): Record<string, unknown>[]
  written(picked: Picked): string
  pickedOf(expression: string): Picked | undefined
  wordsOf(path: string): string
  member(root: string, name: string): string
  pathBelow(root: string, field: string): string
  spliced(text: string, start: number, end: number, part: string): string
}>('pages/push/personal/template.ts')
const { EMPTY, draftOf, pushOf, sayingOf, sayingSoFar, missing, personalPlaces } = await loadPure<{
  EMPTY: Draft
  draftOf(request: object): Draft
  pushOf(draft: Draft): object | undefined
  sayingOf(draft: Draft): object
  sayingSoFar(draft: Draft): object
  missing(draft: Draft): Record<string, string | undefined>
  personalPlaces(draft: Draft): Record<string, string>
}>('pages/push/draft.ts')
const { languagesFor, nameOfLanguage } = await loadPure<{
  languagesFor(text: string, taken: readonly string[], locale?: string): { tag: string; name: string }[]
  nameOfLanguage(tag: string, locale?: string): string
}>('pages/push/personal/languages.ts')
const { coverageLines, sampleLine, languageCounts } = await loadPure<{
  coverageLines(coverage: object, recipients: number, whenMissing: 'skip' | 'empty'): string[]
  sampleLine(coverage: object, recipients: number): string | undefined
  languageCounts(coverage: object, recipients: number): ReadonlyMap<string, string>
}>('pages/push/personal/coverage-words.ts')
const { metaNames } = await loadPure<{ metaNames(userMeta: unknown): string[] }>('pages/push/personal/rows.ts')

const { bodyIn } = await loadPure<{ bodyIn(saying: object, tag: string): string }>('pages/push/personal/size-of.ts')

const FIRST_NAME = 'user.attributes.firstName'
const said = (draft: Draft) =>
  Object.entries(missing(draft)).flatMap(([field, words]) => (words === undefined ? [] : [field]))

describe('values in the texts of a push', () => {
  const WRITTEN: [picked: Picked, part: string][] = [
    [{ path: FIRST_NAME, look: '', fallback: '' }, '{{ user.attributes.firstName }}'],
    [{ path: FIRST_NAME, look: '', fallback: 'friend' }, "{{ user.attributes.firstName | default: 'friend' }}"],
    [
      { path: FIRST_NAME, look: 'upcase', fallback: 'YOU' },
      "{{ user.attributes.firstName | upcase | default: 'YOU' }}",
    ],
    [
      { path: 'meta.until', look: "date: '%H:%M'", fallback: 'soon' },
      "{{ meta.until | date: '%H:%M' | default: 'soon' }}",
    ],
    [{ path: 'meta.total', look: 'number: 2', fallback: '' }, '{{ meta.total | number: 2 }}'],
    [{ path: "meta['order no']", look: '', fallback: "it's" }, `{{ meta['order no'] | default: "it's" }}`],
    [{ path: FIRST_NAME, look: '', fallback: 'a }} b' }, "{{ user.attributes.firstName | default: 'a }} b' }}"],
  ]
  for (const [picked, part] of WRITTEN) {
    it(`writes and reads ${part}`, () => {
      expect(written(picked)).to.equal(part)
      expect(piecesOf(`Hi ${part}!`)).to.deep.equal([
        { kind: 'text', text: 'Hi ' },
        { kind: 'value', start: 3, end: 3 + part.length, source: part.slice(2, -2).trim(), picked },
        { kind: 'text', text: '!' },
      ])
    })
  }

  it('makes one kind of quotes typographic where a text has both, because there are no escapes', () => {
    expect(written({ path: 'now', look: '', fallback: `it's "x"` })).to.equal(`{{ now | default: 'it’s "x"' }}`)
  })

  const OTHERS = [
    "user.attributes.a | append: 'b'",
    "'text'",
    'user.attributes.a | upcase | downcase',
    "user.attributes.a | default: 'b' | upcase",
    'user.attributes.a | default: user.identifier',
  ]
  for (const expression of OTHERS) {
    it(`leaves ${expression} as it is written`, () => {
      expect(pickedOf(expression)).to.equal(undefined)
    })
  }

  it('takes braces that are never closed for text', () => {
    expect(piecesOf('a {{ b')).to.deep.equal([{ kind: 'text', text: 'a {{ b' }])
  })

  it('shows conditions as they are written', () => {
    expect(piecesOf('{% if a %}x{%- endif -%}').map(({ kind, source, text }) => [kind, source ?? text])).to.deep.equal([
      ['logic', 'if a'],
      ['text', 'x'],
      ['logic', 'endif'],
    ])
  })

  it('puts a value where the cursor is, in place of what is selected', () => {
    expect(spliced('Hi you!', 3, 6, '{{ now }}')).to.equal('Hi {{ now }}!')
  })

  for (const [path, words] of [
    [FIRST_NAME, 'first name'],
    ['user.attributes.last_order_id', 'last order id'],
    ["user.attributes['Größe in cm']", 'Größe in cm'],
    ['user.identifier', 'user id'],
    ['install.osVersion', 'version of the system'],
    ['meta.seat', 'seat'],
    ['lookup.product.unitPrice', 'unit price of product'],
    ['app.name', 'name of the app'],
  ] as const) {
    it(`calls ${path} the ${words}`, () => {
      expect(wordsOf(path)).to.equal(words)
    })
  }

  for (const [name, path] of [
    ['seat', 'meta.seat'],
    ['order no', "meta['order no']"],
    ["it's", `meta["it's"]`],
    ['Größe', 'meta.Größe'],
  ] as const) {
    it(`reads ${name} as ${path}`, () => {
      expect(member('meta', name)).to.equal(path)
    })
  }

  for (const [field, path] of [
    ['attributes.firstName', 'user.attributes.firstName'],
    ['attributes.First Name', "user.attributes['First Name']"],
    ['attributes.address.1st line', "user.attributes.address['1st line']"],
    ['attributes["a.b"].c', "user.attributes['a.b'].c"],
    ['attributes["say \\"x\\""]', `user.attributes['say "x"']`],
  ] as const) {
    it(`writes ${field} of a segment as ${path}`, () => {
      expect(pathBelow('user', field)).to.equal(path)
      const picked = { path, look: '', fallback: 'x' }
      expect(piecesOf(written(picked))[0]).to.deep.include({ picked })
    })
  }

  it('offers the names of values that some user has', () => {
    expect(metaNames({ anna: { seat: 3, gate: 'A' }, ben: { seat: 4 }, odd: [1], none: null })).to.deep.equal([
      'seat',
      'gate',
    ])
    expect(metaNames({})).to.deep.equal([])
  })
})

describe('the form of a push that differs between people', () => {
  const CONTENT = { title: 'Hi {{ user.attributes.firstName }}', message: 'Fresh bread' }
  const GERMAN = {
    title: 'Hallo',
    message: 'Frisches Brot',
    url: 'https://example.com/de',
    data: { screen: 'de' },
    pictureUrl: 'https://example.com/de.png',
    subtitle: 'Heute',
    buttons: [{ id: 'a', text: 'Ja' }],
  }
  const WHOLE: Record<string, object> = {
    'one that leaves people out': { content: CONTENT, personalize: { missing: 'skip' } },
    'one that leaves values out': { content: CONTENT, personalize: { missing: 'empty' } },
    'one with languages': {
      content: { ...CONTENT, languages: { de: GERMAN, 'zh-Hant': { title: '你好', message: '麵包' } } },
      buttons: [{ id: 'a', text: 'Yes' }],
    },
    'one with look-ups and values of its own': {
      content: { title: '{{ lookup.product.name }}', message: 'M' },
      personalize: { missing: 'skip' },
      lookup: { product: { table: '1_products', by: 'sku', value: '{{ meta.sku }}' } },
      userMeta: { anna: { sku: 'rye' } },
    },
    'one with braces that are text': { content: CONTENT },
  }
  for (const [name, request] of Object.entries(WHOLE)) {
    it(`sends ${name} again as it was`, () => {
      const whole = { target: { broadcast: true }, ...request }
      expect(pushOf(draftOf(whole))).to.deep.equal(whole)
      expect(sayingOf(draftOf(whole))).to.deep.equal(request)
    })
  }

  const base: Draft = {
    ...EMPTY,
    who: 'everybody',
    'content.title': 'T {{ now }}',
    'content.message': 'M',
    personalize: true,
  }
  const half = { 'content.languages': { de: GERMAN, fr: { title: 'Bonjour', message: ' ' } } }

  it('sends no look-ups once the values are not filled in any more', () => {
    const lookup = [{ name: 'a', table: 't', by: 'id', value: '1' }]
    expect(pushOf({ ...base, lookup })).to.have.keys('target', 'content', 'personalize', 'lookup')
    expect(pushOf({ ...base, lookup, personalize: false })).to.have.keys('target', 'content')
  })

  const MISSING: [change: Draft, field: string][] = [
    [half, 'content.languages.fr.message'],
    [{ 'content.languages': { de: { title: '', message: 'M' } } }, 'content.languages.de.title'],
    [
      { 'content.languages': { de: { title: 'T', message: 'M', buttons: [{ id: 'a', text: '' }] } } },
      'content.languages.de.buttons',
    ],
    [{ lookup: [{ name: 'a', table: '', by: 'id', value: '1' }] }, 'lookup'],
    [{ lookup: [{ name: '1a', table: 't', by: 'id', value: '1' }] }, 'lookup'],
    [
      {
        lookup: [
          { name: 'a', table: 't', by: 'id', value: '1' },
          { name: 'a', table: 'u', by: 'id', value: '1' },
        ],
      },
      'lookup',
    ],
  ]
  for (const [change, field] of MISSING) {
    it(`says at ${field} what is missing with ${JSON.stringify(change)}`, () => {
      expect(said({ ...base, ...change })).to.deep.equal([field])
    })
  }

  it('asks the server about complete languages and look-ups only', () => {
    const lookup = [
      { name: 'a', table: 't', by: 'id', value: '1' },
      { name: 'b', table: '', by: 'id', value: '' },
    ]
    expect(sayingSoFar({ ...base, ...half, lookup })).to.deep.equal({
      content: { title: 'T {{ now }}', message: 'M', languages: { de: GERMAN } },
      personalize: { missing: 'skip' },
      lookup: { a: { table: 't', by: 'id', value: '1' } },
    })
  })

  it('asks for the size of a language again only when something in it changes', () => {
    const SHORT = { title: 'Hallo', message: 'Brot' }
    const draft = { ...base, 'content.languages': { de: SHORT, fr: { ...GERMAN, url: 'https://a.example/fr' } } }
    const said = (change: Draft, tag = 'de') => bodyIn(sayingSoFar({ ...draft, ...change }), tag)
    expect(said({ 'content.title': 'Other', 'content.message': 'Words' })).to.equal(said({}))
    expect(said({ 'content.url': 'https://a.example/' })).to.not.equal(said({}))
    expect(said({ 'content.url': 'https://a.example/' }, 'fr')).to.equal(said({}, 'fr'))
    expect(said({ 'content.languages': { de: { ...SHORT, title: 'X' } } })).to.not.equal(said({}))
    expect(JSON.parse(said({}))).to.have.nested.property('content.languages.de')
    expect([said({}, 'it'), said({ 'content.title': ' ' })]).to.deep.equal(['', ''])
  })

  it('has a place for what the server says of each text of a language and each part of a look-up', () => {
    const places = personalPlaces({
      ...base,
      'content.languages': { de: GERMAN },
      lookup: [{ name: 'product', table: 't', by: 'id', value: '1' }],
    })
    expect(places).to.include({
      'content.languages.de': 'content.languages.de',
      'content.languages.de.title': 'content.languages.de.title',
      'content.languages.de.buttons[0].text': 'content.languages.de.buttons',
      'lookup.product.by': 'lookup.product.by',
    })
  })
})

describe('languages that the console offers', () => {
  it('finds them by name and by tag, and takes any other tag', () => {
    const tags = (text: string, taken: string[] = []) => languagesFor(text, taken, 'en').map(({ tag }) => tag)
    expect(tags('germ')).to.deep.equal(['de'])
    expect(tags('de', ['de'])).to.deep.equal([])
    expect(tags('pt').sort()).to.deep.equal(['pt', 'pt-BR'])
    expect(tags('de_at')).to.deep.equal(['de-AT'])
    expect(tags('german')).to.include('de')
    expect(tags('no such')).to.deep.equal([])
  })

  it('names them for the reader', () => {
    expect(nameOfLanguage('zh-Hant', 'en')).to.equal('Traditional Chinese')
    expect(nameOfLanguage('default')).to.equal('Default')
    expect(nameOfLanguage('not a tag')).to.equal('not a tag')
  })
})

describe('the words for what people get', () => {
  const name = { expression: FIRST_NAME, path: FIRST_NAME, missing: 0, defaults: 0, defaultText: null }
  const none = { sampled: 1000, expressions: [], skipped: 0, tooLarge: 0, longest: null, examples: [] }
  const LINES: [what: string, coverage: object, recipients: number, whenMissing: 'skip' | 'empty', lines: string[]][] =
    [
      ['nothing is missing', { ...none, expressions: [name] }, 1000, 'skip', []],
      [
        'a default stands in',
        { ...none, expressions: [{ ...name, defaults: 26, defaultText: 'Good news' }] },
        1000,
        'skip',
        ['For 26 of 1,000 the first name is missing: they get “Good news”.'],
      ],
      [
        'a sample stands for more',
        { ...none, expressions: [{ ...name, defaults: 26, defaultText: 'Good news' }] },
        48_000,
        'skip',
        ['For about 1,250 of 48,000 the first name is missing: they get “Good news”.'],
      ],
      [
        'people are left out',
        { ...none, expressions: [{ ...name, missing: 2 }], skipped: 2 },
        1000,
        'skip',
        ['For 2 of 1,000 the first name is missing: they get nothing.'],
      ],
      [
        'the value is left out',
        { ...none, expressions: [{ ...name, missing: 2 }] },
        1000,
        'empty',
        ['For 2 of 1,000 the first name is missing: nothing stands in its place.'],
      ],
      [
        'several values are missing',
        {
          ...none,
          expressions: [
            { ...name, missing: 2 },
            { ...name, expression: 'meta.seat', path: 'meta.seat', missing: 3 },
          ],
          skipped: 4,
        },
        1000,
        'skip',
        [
          'For 2 of 1,000 the first name is missing: they get nothing.',
          'For 3 of 1,000 the seat is missing: they get nothing.',
          'In all 4 of 1,000 get nothing: a value is missing, or what they would read ends empty.',
        ],
      ],
      [
        'it is too large',
        { ...none, tooLarge: 1 },
        1000,
        'skip',
        ['For 1 of 1,000 it is too large: they get nothing.'],
      ],
    ]
  for (const [what, coverage, recipients, whenMissing, lines] of LINES) {
    it(`says it when ${what}`, () => {
      expect(coverageLines(coverage, recipients, whenMissing)).to.deep.equal(lines)
    })
  }

  it('says when it is a sample, and counts languages for all', () => {
    const coverage = {
      ...none,
      languages: [
        { language: 'de', count: 640 },
        { language: 'default', count: 360 },
      ],
    }
    expect(sampleLine(coverage, 1000)).to.equal(undefined)
    expect(sampleLine(coverage, 48_000)).to.equal('Reckoned from a sample of 1,000 devices.')
    expect([...languageCounts(coverage, 1000)]).to.deep.equal([
      ['de', '640 devices'],
      ['default', '360 devices'],
    ])
    expect(languageCounts(coverage, 48_000).get('de')).to.equal('about 30,700 devices')
  })
})
