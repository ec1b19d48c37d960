import { expect } from 'chai'
import { renderDocument } from '../../../src/domain/templates/render.ts'
import { piecesOf, valueProblem } from '../../../src/domain/templates/tags.ts'
import type { ContentDocument, Tag, TagType, TagValues } from '../../../src/domain/templates/types.ts'
import { alert, closing, heading } from '../../support/templates.ts'

const tag = (title: string, type: TagType = 'text', more: Partial<Tag> = {}): Tag => ({
  title,
  type,
  required: true,
  ...more,
})
const render = (nodes: unknown[], tags: Tag[], values: TagValues) =>
  renderDocument(alert(nodes) as unknown as ContentDocument, tags, values)
const nodesOf = (nodes: unknown[], tags: Tag[], values: TagValues) =>
  render(nodes, tags, values).document?.frame.nodes as unknown
const image = (src: string) => ({ type: 'image', src, alt: '' })
const srcOf = (src: string, tags: Tag[], values: TagValues) =>
  (nodesOf([image(src)], tags, values) as { src: string }[])[0]?.src

describe('the pieces of a text', () => {
  const rows: [string, unknown][] = [
    ['', []],
    ['plain } { text', [{ text: 'plain } { text' }]],
    ['{{A}}', [{ title: 'A' }]],
    ['x{{ A b }}y{{C}}', [{ text: 'x' }, { title: 'A b' }, { text: 'y' }, { title: 'C' }]],
    ['{{A', undefined],
    ['{{A}} {{', undefined],
    ['{{{A}}}', [{ title: '{A' }, { text: '}' }]],
  ]
  for (const [text, pieces] of rows) {
    it(`of ${JSON.stringify(text)} are found`, () => expect(piecesOf(text)).to.deep.equal(pieces))
  }

  it('of a very long text are found at once', () => {
    for (const text of ['{{'.repeat(100_000), `{{${' '.repeat(200_000)}`, '{{a}}'.repeat(40_000)]) {
      piecesOf(text)
    }
  })
})

describe('a value', () => {
  const rows: [TagType, right: unknown[], wrong: unknown[]][] = [
    [
      'text',
      ['', 'x', '<b>', '{{Other}}', '😀'.repeat(2000)],
      [5, null, true, ['x'], {}, 'x\u0000', '\udc00', 'x'.repeat(2001)],
    ],
    [
      'number',
      [0, -1.5, 12, '12', '12.50', '12,50', '-3'],
      [null, true, '', 'x', '1e3', '0x10', ' 1', '1.', '.5', Number.NaN, Infinity, 1e21, 1e-7, '1'.repeat(33)],
    ],
    ['color', ['#abc', '#AABBCC', '#aabbcc80'], ['', 'red', '#ab', '#abcd', '#12345', 'rgb(1,2,3)', 5, null, {}]],
    [
      'url',
      ['https://example.com', 'HTTP://example.com/a?b=c#d', 'https://exämple.com/ä'],
      [
        '',
        'example.com',
        'ftp://example.com',
        'javascript:alert(1)',
        'data:text/html,x',
        'https://',
        'https:example.com',
        'https://example.com/a b',
        'https://example.com/"x',
        "https://example.com/'x",
        'https://example.com/<x',
        'https://example.com/\u0000',
        `https://example.com/${'x'.repeat(2048)}`,
        5,
        null,
      ],
    ],
    [
      'image',
      ['https://example.com/a.png', 'data:image/png;base64,AAAA', 'data:image/svg+xml;base64,PHN2Zy8+'],
      [
        'file:///a.png',
        'data:text/html;base64,AAAA',
        'data:image/svg+xml,<svg/>',
        'data:image/png;base64,AA"AA',
        'data:image/png;base64,',
        `data:image/png;base64,${'A'.repeat(32_768)}`,
      ],
    ],
  ]
  for (const [type, right, wrong] of rows) {
    it(`of type ${type} is what it says`, () => {
      for (const value of right) expect(valueProblem(type, value), String(value)).to.equal(undefined)
      for (const value of wrong) expect(valueProblem(type, value), String(value)).to.match(/^must /)
    })
  }
})

describe('rendering', () => {
  it('puts values in the place of tags, in every text of the document', () => {
    const tags = [tag('A'), tag('Link', 'url'), tag('Accent', 'color'), tag('Price', 'number')]
    const values = { A: 'Anna', Link: 'https://example.com/x', Accent: '#123456', Price: 12.5 }
    const nodes = [
      heading('Hi {{A}}, {{ A }}!', { color: { light: '{{Accent}}', dark: '#fff' } }),
      { type: 'text', text: ['€', ['{{Price}}', { bold: true, color: '{{Accent}}' }]] },
      { type: 'image', src: '{{Link}}', alt: 'of {{A}}' },
      {
        type: 'button',
        text: '{{A}}',
        actions: [
          { type: 'trackConversionEvent', data: { eventType: 'for-{{A}}', data: { a: ['{{Price}}'], n: 1, z: null } } },
          { type: 'openUrl', data: { url: '{{Link}}?a={{A}}' } },
        ],
      },
    ]
    expect(nodesOf(nodes, tags, values)).to.deep.equal([
      heading('Hi Anna, Anna!', { color: { light: '#123456', dark: '#fff' } }),
      { type: 'text', text: ['€', ['12.5', { bold: true, color: '#123456' }]] },
      { type: 'image', src: 'https://example.com/x', alt: 'of Anna' },
      {
        type: 'button',
        text: 'Anna',
        actions: [
          { type: 'trackConversionEvent', data: { eventType: 'for-Anna', data: { a: ['12.5'], n: 1, z: null } } },
          { type: 'openUrl', data: { url: 'https://example.com/x?a=Anna' } },
        ],
      },
    ])
  })

  it('leaves the stored document and the values alone', () => {
    const content = alert([heading('{{A}}')]) as unknown as ContentDocument
    const before = structuredClone(content)
    renderDocument(content, [tag('A')], Object.freeze({ A: 'x' }))
    expect(content).to.deep.equal(before)
  })

  it('takes values for data: braces, markup and patterns in them mean nothing', () => {
    for (const value of ['{{B}}', '{{', '<script>alert(1)</script>', '$&', '$1', '\\u0041', '"}]}']) {
      expect(nodesOf([heading('{{A}}{{B}}')], [tag('A'), tag('B')], { A: value, B: 'b' })).to.deep.equal([
        heading(`${value}b`),
      ])
    }
  })

  it('has no line ends that would end a script in old web views', () => {
    expect(nodesOf([heading('a\u2028{{A}}'), heading('c\u2029d')], [tag('A')], { A: 'b\u2029' })).to.deep.equal([
      heading('a\nb\n'),
      heading('c\nd'),
    ])
  })

  it('takes the default of a tag without a value, and nothing without a default', () => {
    const tags = [
      tag('A', 'text', { default: 'a' }),
      tag('B', 'text', { required: false }),
      tag('N', 'number', { default: 3 }),
    ]
    expect(nodesOf([heading('{{A}}{{B}}{{N}}')], tags, {})).to.deep.equal([heading('a3')])
    expect(nodesOf([heading('{{A}}{{B}}{{N}}')], tags, { A: '', B: 'b', N: '4' })).to.deep.equal([heading('b4')])
  })

  it('names every missing, unknown and wrong value', () => {
    const tags = [tag('A'), tag('Link', 'url'), tag('B', 'text', { required: false }), tag('N', 'number')]
    const values = { Link: 'x', N: true, Other: 1, constructor: 'x', ...JSON.parse('{"__proto__": 1}') }
    const { errors } = render([heading('{{A}}')], tags, values as TagValues)
    expect(errors).to.have.all.keys(
      'content.A',
      'content.Link',
      'content.N',
      'content.Other',
      'content.constructor',
      ...(Object.keys(values).includes('__proto__') ? ['content.__proto__'] : []),
    )
    expect(errors!['content.A']).to.deep.equal(['is required: the tag is a text and has no default'])
    expect(errors!['content.Other']![0]).to.equal('is not a tag of this template: it has A, Link, B, N')
  })

  it('changes no prototype, whatever the values are called', () => {
    const { errors } = render([heading('x')], [], JSON.parse('{"__proto__": {"polluted": 1}, "toString": "x"}'))
    expect(errors).to.have.all.keys('content.__proto__', 'content.toString')
    expect(({} as { polluted?: number }).polluted).to.equal(undefined)
    expect(render([heading('{{toString}}')], [tag('toString')], {}).errors).to.have.all.keys('content.toString')
  })

  it('counts wrong values beyond the hundredth', () => {
    const values = Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`x${i}`, 1]))
    const { errors } = render([heading('x')], [], values)
    expect(Object.keys(errors!)).to.have.length(101)
    expect(errors!.content).to.deep.equal(['has 50 more wrong values'])
  })

  it('percent-encodes values inside an address, so that they cannot lead elsewhere', () => {
    expect(srcOf('https://example.com/{{A}}', [tag('A')], { A: 'a/x?y=z&ä#/@evil' })).to.equal(
      'https://example.com/a%2Fx%3Fy%3Dz%26%C3%A4%23%2F%40evil',
    )
    expect(srcOf('https://example.com/{{A}}', [tag('A')], { A: "O'Brien" })).to.equal('https://example.com/O%27Brien')
    expect(srcOf('{{L}}?to={{L}}', [tag('L', 'url')], { L: 'https://example.com/a' })).to.equal(
      'https://example.com/a?to=https%3A%2F%2Fexample.com%2Fa',
    )
  })

  it('blames the tags whose values make a text wrong', () => {
    const cases: [unknown, Tag[], TagValues, string[]][] = [
      [image('https://example.com/{{A}}'), [tag('A')], { A: 'ä'.repeat(500) }, ['content.A']],
      [image('https://{{A}}.example.com/'), [tag('A')], { A: 'a@b' }, ['content.A']],
      [image('https://example.com:{{A}}'), [tag('A')], { A: '80@b' }, ['content.A']],
      [
        heading('{{A}}{{B}}{{C}}'),
        ['A', 'B', 'C'].map((title) => tag(title)),
        { A: 'x'.repeat(2000), B: 'x'.repeat(2000), C: 'x' },
        ['content.A', 'content.B', 'content.C'],
      ],
      [closing('{{A}}'), [tag('A')], { A: ' ' }, ['content.A']],
      [
        { type: 'button', text: 'x', actions: [{ type: 'subscribeToChannel', data: { channelUuid: '{{A}}' } }] },
        [tag('A')],
        { A: '' },
        ['content.A'],
      ],
    ]
    for (const [node, tags, values, keys] of cases) {
      const { errors } = render([node], tags, values)
      expect(errors).to.have.all.keys(keys)
      expect(errors![keys[0]!]![0]).to.match(/^makes frame\.nodes\[0\]\S* of the document wrong: it must/)
    }
  })

  it('leaves texts out of which nothing is left, unless nothing else is there', () => {
    const tags = [tag('A', 'text', { required: false })]
    expect(
      nodesOf([heading('{{A}}'), { type: 'text', text: [['{{A}}', ['bold']], ' '] }, closing()], tags, {}),
    ).to.deep.equal([closing()])
    expect(render([heading('{{A}}')], tags, {}).errors).to.deep.equal({
      content: ['leaves nothing to show: every text of the template is empty'],
    })
  })

  it('refuses a document of more than 64 KiB and says what to shorten', () => {
    const nodes = Array.from({ length: 50 }, () => heading('{{A}}'))
    const { errors } = render(nodes, [tag('A')], { A: 'x'.repeat(2000) })
    expect(errors!.content![0]).to.match(/^makes a document of \d+ bytes, 65536 are allowed; shorten A \(2000 bytes\)$/)
  })

  it('sets the language from a tag', () => {
    const content = { ...alert(), defaults: { lang: '{{Lang}}' } } as unknown as ContentDocument
    expect(renderDocument(content, [tag('Lang')], { Lang: 'pt-BR' }).document?.defaults).to.deep.equal({
      lang: 'pt-BR',
    })
    expect(renderDocument(content, [tag('Lang')], { Lang: 'no such' }).errors).to.have.all.keys('content.Lang')
  })
})
