import { expect } from 'chai'
import { checkDocument, checkTemplate, fittingSample } from '../../../src/domain/templates/check.ts'
import { readTags } from '../../../src/domain/templates/tags.ts'
import { alert, closing, heading } from '../../support/templates.ts'

const { declared } = readTags([
  { title: 'Title', type: 'text' },
  { title: 'Maybe', type: 'text', required: false },
  { title: 'Link', type: 'url' },
  { title: 'Picture', type: 'image' },
  { title: 'Accent', type: 'color' },
  { title: 'Price', type: 'number' },
])
const wrongIn = (content: unknown) => checkDocument(content, declared)
const pathsIn = (content: unknown) => Object.keys(wrongIn(content)).sort()

const button = (...actions: unknown[]) => ({ type: 'button', text: 'OK', actions })
const image = (more: object) => ({ type: 'image', src: 'https://example.com/a.png', alt: '', ...more })

describe('a content document', () => {
  const everything = {
    ver: 1,
    frame: {
      type: 'inset',
      stackingGravity: 'bottom-up',
      closeButton: 'top-left',
      animation: 'none',
      backgroundLayers: [
        { type: 'color', color: '#fff' },
        {
          type: 'gradient',
          angle: 45,
          stops: [
            { color: '#000000', at: 0 },
            { color: { light: '#ffffff80', dark: '{{Accent}}' }, at: 100 },
          ],
        },
        { type: 'image', src: 'https://example.com/{{Title}}.png', fit: 'cover' },
        { type: 'video', src: '{{Link}}', poster: '{{Picture}}' },
      ],
      nodes: [
        { type: 'heading', text: 'Hello {{ Title }}', align: 'start', color: '{{Accent}}', size: 8 },
        {
          type: 'subheading',
          text: ['plain', ['bold', ['bold', 'italic']], ['all', { bold: true, strike: true, color: '#123', size: 72 }]],
        },
        { type: 'text', text: '{{Maybe}}', align: 'end' },
        image({ width: 50, radius: 64 }),
        {
          type: 'video',
          src: 'http://example.com/a.mp4',
          alt: 'A film',
          poster: 'https://example.com/a.png',
          captions: 'https://example.com/a.vtt',
          autoplay: true,
          loop: false,
          muted: true,
        },
        {
          type: 'button',
          text: [['Buy', ['bold']]],
          style: { fg: '#fff', bg: '{{Accent}}', border: { light: '#000', dark: '#fff' }, radius: 4, size: 'wide' },
          actions: [
            { type: 'closeMessage' },
            { type: 'trackConversionEvent', data: { eventType: 'bought', data: { price: '{{Price}}', deep: [[1]] } } },
            { type: 'subscribeToChannel', data: { channelUuid: 'news' } },
            { type: 'openUrl', data: { url: 'https://example.com:{{Price}}/?q={{Title}}' } },
          ],
        },
        button({ type: 'deepLink', data: { deepLink: { page: '{{Title}}' } } }),
        button({ type: 'requestAppStoreRating' }),
        button({ type: 'promptPushPermission' }),
      ],
    },
    defaults: {
      font: { family: 'rounded', size: 10 },
      fontColor: { light: '#000', dark: '#fff' },
      dir: 'rtl',
      lang: 'ar-EG',
    },
  }
  it('may use every part of the format', () => {
    expect(wrongIn(everything)).to.deep.equal({})
  })

  const wrong: [what: string, content: unknown, paths: string[]][] = [
    ['is no object', [], ['']],
    ['is empty', {}, ['frame', 'ver']],
    ['has another version and unknown fields', { ...alert(), ver: 2, extra: 1 }, ['extra', 'ver']],
    ['has an empty frame', { ver: 1, frame: {} }, ['frame.nodes', 'frame.type']],
    ['has a frame that is none', { ver: 1, frame: 'alert' }, ['frame']],
    [
      'has wrong choices',
      alert([heading()], { type: 'popup', stackingGravity: 'left', closeButton: 1, animation: null }),
      ['frame.animation', 'frame.closeButton', 'frame.stackingGravity', 'frame.type'],
    ],
    ['has no nodes', alert([]), ['frame.nodes']],
    ['has too many nodes', alert(Array.from({ length: 51 }, () => heading())), ['frame.nodes']],
    ['has too many layers', alert([heading()], { backgroundLayers: Array(9).fill(0) }), ['frame.backgroundLayers']],
    [
      'has nodes of no known type',
      alert([
        null,
        {},
        ...['table', 'constructor', '__proto__', ['heading'], { toString: 1 }].map((type) => ({ type })),
      ]),
      ['frame.nodes[0]', ...[1, 2, 3, 4, 5, 6].map((i) => `frame.nodes[${i}].type`)],
    ],
    ['has a misspelt field', alert([{ ...heading(), colour: '#fff' }]), ['frame.nodes[0].colour']],
    [
      'has fields called as those of every object',
      alert([JSON.parse('{"type": "heading", "text": "x", "__proto__": {}, "constructor": 1}')]),
      ['frame.nodes[0].__proto__', 'frame.nodes[0].constructor'],
    ],
    [
      'has wrong texts',
      alert([
        heading(5),
        heading(['x', 5, ['a'], ['a', { bold: false }], ['a', ['loud']], ['a', { blink: true, size: 7 }]]),
        heading([]),
        heading('\u0000'),
        heading('\ud800'),
        heading('x'.repeat(4001)),
      ]),
      [
        'frame.nodes[0].text',
        'frame.nodes[1].text[1]',
        'frame.nodes[1].text[2]',
        'frame.nodes[1].text[3][1].bold',
        'frame.nodes[1].text[4][1][0]',
        'frame.nodes[1].text[5][1].blink',
        'frame.nodes[1].text[5][1].size',
        'frame.nodes[2].text',
        'frame.nodes[3].text',
        'frame.nodes[4].text',
        'frame.nodes[5].text',
      ],
    ],
    [
      'has sizes out of bounds',
      alert([heading('x', { size: 73 }), heading('x', { size: '20' }), image({ width: 0, radius: 65 })]),
      ['frame.nodes[0].size', 'frame.nodes[1].size', 'frame.nodes[2].radius', 'frame.nodes[2].width'],
    ],
    [
      'has wrong colours',
      alert(
        ['red', '#12', '#1234', '{{Title}}', '#{{Accent}}', { light: '#fff' }, 5].map((color) =>
          heading('x', { color }),
        ),
      ),
      [0, 1, 2, 3, 4, 6].map((i) => `frame.nodes[${i}].color`).concat('frame.nodes[5].color.dark'),
    ],
    [
      'has addresses that are none',
      alert(
        [
          'a.png',
          'data:text/html;base64,AAAA',
          'javascript:alert(1)',
          'https:example.com',
          'https://exa mple.com/',
          'https://example.com/"onerror=',
          '//example.com',
          '{{Title}}',
          '{{Price}}/a.png',
          '',
        ].map((src) => image({ src })),
      ),
      Array.from({ length: 10 }, (_, i) => `frame.nodes[${i}].src`),
    ],
    [
      'has addresses whose values would decide where they lead',
      alert(
        [
          'https://example.com{{Title}}',
          'https://example.com{{Title}}/a.png',
          'https://{{Title}}:8080/',
          'https://{{Title}}?a=b',
        ].map((src) => image({ src })),
      ),
      Array.from({ length: 4 }, (_, i) => `frame.nodes[${i}].src`),
    ],
    [
      'has no alternative for a picture',
      alert([{ type: 'image', src: 'https://example.com/a' }]),
      ['frame.nodes[0].alt'],
    ],
    [
      'has buttons without label and actions',
      alert([
        { type: 'button', text: ' ', actions: [] },
        { type: 'button', text: '{{Maybe}}', actions: [{}] },
      ]),
      ['frame.nodes[0].actions', 'frame.nodes[0].text', 'frame.nodes[1].actions[0].type', 'frame.nodes[1].text'],
    ],
    [
      'has wrong actions',
      alert([
        button({ type: 'closeMessage', data: {} }, { type: 'run', data: {} }, { type: 'openUrl' }),
        button({ type: 'openUrl', data: { url: 'tel:1' } }),
        button({ type: 'subscribeToChannel', data: { channelUuid: '' } }),
        button({ type: 'trackConversionEvent', data: { eventType: 5, data: [] } }),
        button({ type: 'deepLink', data: { deepLink: 'x' } }),
        button({
          type: 'deepLink',
          data: { deepLink: JSON.parse('{"__proto__": 1, "{{Title}}": 1, "ok": "{{No}}"}') },
        }),
      ]),
      [
        'frame.nodes[0].actions[0].data',
        'frame.nodes[0].actions[1].type',
        'frame.nodes[0].actions[2].data',
        'frame.nodes[1].actions[0].data.url',
        'frame.nodes[2].actions[0].data.channelUuid',
        'frame.nodes[3].actions[0].data.data',
        'frame.nodes[3].actions[0].data.eventType',
        'frame.nodes[4].actions[0].data.deepLink',
        'frame.nodes[5].actions[0].data.deepLink.__proto__',
        'frame.nodes[5].actions[0].data.deepLink.ok',
        'frame.nodes[5].actions[0].data.deepLink.{{Title}}',
      ],
    ],
    [
      'has a button that leads away twice',
      alert([button({ type: 'openUrl', data: { url: 'https://example.com' } }, { type: 'requestAppStoreRating' })]),
      ['frame.nodes[0].actions'],
    ],
    [
      'cannot be closed',
      alert([button({ type: 'requestAppStoreRating' })], { closeButton: 'none' }),
      ['frame.closeButton'],
    ],
    [
      'has too few stops',
      alert([heading()], { backgroundLayers: [{ type: 'gradient', stops: [] }] }),
      ['frame.backgroundLayers[0].stops'],
    ],
    [
      'has wrong defaults',
      { ...alert(), defaults: { font: { family: 'Arial', size: 9 }, fontColor: 'x', dir: 'up', lang: 'x!' } },
      ['defaults.dir', 'defaults.font.family', 'defaults.font.size', 'defaults.fontColor', 'defaults.lang'],
    ],
    ['names a tag that is not declared', alert([heading('{{Nobody}}')]), ['frame.nodes[0].text']],
    ['names no tag at all', alert([heading('{{}}')]), ['frame.nodes[0].text']],
    ['leaves a brace open', alert([heading('{{Title')]), ['frame.nodes[0].text']],
    ['has too many braces', alert([heading('{{{Title}}}')]), ['frame.nodes[0].text']],
  ]
  for (const [what, content, paths] of wrong) {
    it(`that ${what} is refused with every place`, () => {
      expect(pathsIn(content)).to.deep.equal(paths.toSorted())
    })
  }

  it('may have no close button when a button closes it', () => {
    expect(wrongIn(alert([closing()], { closeButton: 'none' }))).to.deep.equal({})
  })

  it('may be nested sixteen levels deep in what is for the app, not deeper', () => {
    const nested = (levels: number): unknown => (levels === 0 ? 1 : { in: nested(levels - 1) })
    const at = (levels: number) => pathsIn(alert([button({ type: 'deepLink', data: { deepLink: nested(levels) } })]))
    expect(at(16)).to.deep.equal([])
    expect(at(17)).to.have.length(1)
  })

  it('may have 64 KiB, not more, and is then not looked at further', () => {
    const filled = (bytes: number) => {
      const nodes = Array.from({ length: 20 }, () => heading('x'.repeat(3000)))
      const content = alert([...nodes, heading('')])
      const rest = bytes - JSON.stringify(content).length
      const last = { ...alert([...nodes, heading('x'.repeat(rest))]) }
      return last
    }
    expect(JSON.stringify(filled(65_536)).length).to.equal(65_536)
    expect(wrongIn(filled(65_536))).to.not.have.property('')
    expect(wrongIn(filled(65_537))['']![0]).to.match(/65537 bytes.*65536 are allowed/)
  })

  it('says which tag has the wrong type, and what would be right', () => {
    const said = wrongIn(alert([heading('x', { color: '{{Title}}' }), image({ src: '{{Title}}' })]))
    expect(said['frame.nodes[0].color']).to.deep.equal(['needs a tag of type color; Title is of type text'])
    expect(said['frame.nodes[1].src']).to.deep.equal([
      'must begin with https:// or with a tag of type url or image; Title is of type text',
    ])
  })
})

describe('a template', () => {
  it('names everything that is wrong with its tags', () => {
    const tags = [
      { title: 'A', type: 'text' },
      { title: 'A', type: 'date' },
      { title: ' B', type: 'text', required: 'yes' },
      { title: '{C}', type: 'text', extra: 1 },
      { title: '__proto__', type: 'text' },
      { title: 'x'.repeat(65), type: 'text' },
      { title: 'D', type: 'number', default: 'many' },
      { title: 'E', type: 'url', default: null },
      { type: 'color', default: 'red' },
      'F',
      { title: '\ud800', type: 'text' },
      { title: '', type: 'text' },
    ]
    expect(Object.keys(checkTemplate({ content: alert(), tags, sample: {} })).sort()).to.deep.equal([
      'tags[10].title',
      'tags[11].title',
      'tags[1].title',
      'tags[1].type',
      'tags[2].required',
      'tags[2].title',
      'tags[3].extra',
      'tags[3].title',
      'tags[4].title',
      'tags[5].title',
      'tags[6].default',
      'tags[7].default',
      'tags[8].default',
      'tags[8].title',
      'tags[9]',
    ])
    for (const given of [{}, 'x', Array.from({ length: 51 }, () => ({}))]) {
      expect(checkTemplate({ content: alert(), tags: given })).to.have.all.keys('tags')
    }
  })

  it('names wrong tags and a wrong document in one answer', () => {
    const said = checkTemplate({ content: alert([heading('{{Nobody}}')]), tags: [{ title: 'A' }] })
    expect(said).to.have.all.keys('tags[0].type', 'content.frame.nodes[0].text')
  })

  it('has sample values of the right types, for tags that it has', () => {
    const tags = [
      { title: 'Price', type: 'number' },
      { title: 'Link', type: 'url' },
    ]
    const content = alert([heading('{{Price}} {{Link}}')])
    expect(checkTemplate({ content, tags, sample: { Price: 5 } })).to.deep.equal({})
    expect(checkTemplate({ content, tags, sample: { Price: 'x', Nobody: 1 } })).to.have.all.keys(
      'sample.Price',
      'sample.Nobody',
    )
    expect(checkTemplate({ content, tags, sample: [] })).to.have.all.keys('sample')
  })

  it('has sample values that make a document, when they are whole', () => {
    const tags = [{ title: 'Path', type: 'text' }]
    const content = alert([image({ src: 'https://example.com/{{Path}}' })])
    expect(checkTemplate({ content, tags, sample: { Path: 'x'.repeat(2000) } })).to.deep.equal({})
    expect(checkTemplate({ content, tags, sample: { Path: 'ä'.repeat(2000) } })).to.have.all.keys('sample.Path')
  })

  it('has defaults that make a document, and something to show', () => {
    const tags = [{ title: 'Path', type: 'text', default: 'ä'.repeat(2000) }]
    const content = alert([image({ src: 'https://example.com/{{Path}}' })])
    expect(checkTemplate({ content, tags, sample: {} })).to.have.all.keys('tags[0].default')
    expect(checkTemplate({ content: alert([heading('')]), tags: [], sample: {} })).to.have.all.keys('content')
  })

  it('keeps of its sample what goes with new tags', () => {
    const tags = [
      { title: 'Price', type: 'number' as const, required: true },
      { title: 'New', type: 'text' as const, required: true },
    ]
    expect(fittingSample(tags, { Price: 5, Gone: 'x' })).to.deep.equal({ Price: 5 })
    expect(fittingSample(tags, { Price: 'many' })).to.deep.equal({})
  })
})
