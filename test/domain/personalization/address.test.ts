import { expect } from 'chai'
import { compileAddress } from '../../../src/domain/personalization/compile.ts'
import type { TemplateContext } from '../../../src/domain/personalization/types.ts'
import { chance, seedOf } from '../../support/chance.ts'
import { many } from '../../support/depth.ts'

const CONTEXT: TemplateContext = { lookups: ['product'], event: 'server' }
const SCOPE = {
  user: {
    identifier: 'u',
    attributes: {
      x: 'a/b?c=d&e#f%20 ü',
      host: 'evil.example',
      dots: '..',
      dot: '.',
      half: '\ud83d',
      back: '\\\\evil.example',
    },
  },
  meta: {
    order: 7,
    url: 'https://own.example/a?b=1',
    path: '/sale',
    base: 'https://own.example',
    deep: 'shop://product/1',
    script: 'javascript:alert(1)',
    two: '//evil.example',
    tab: '/\t/evil.example',
    word: 'hello',
    odd: 'https:',
    blank: ' https://own.example',
  },
  lookup: { product: { link: 'https://product.example/1' } },
  event: { link: 'https://event.example/1' },
  now: 0,
}

function addressOf(text: string) {
  const { template, problems } = compileAddress(text, CONTEXT)
  if (template === undefined) throw new Error(`${text}: ${problems[0]!.message}`)
  return template.render(SCOPE)
}
const problemOf = (text: string, context = CONTEXT) => compileAddress(text, context).problems?.[0]?.message

describe('addresses with values', () => {
  it('have them percent-encoded behind the host', () => {
    const x = 'a%2Fb%3Fc%3Dd%26e%23f%2520%20%C3%BC'
    const rows: readonly (readonly [string, string])[] = [
      ['https://shop.example/o/{{ meta.order }}', 'https://shop.example/o/7'],
      ['https://shop.example/{{ user.attributes.x }}', `https://shop.example/${x}`],
      ['https://shop.example?q={{ user.attributes.x }}', `https://shop.example?q=${x}`],
      ['https://shop.example#{{ user.attributes.x }}', `https://shop.example#${x}`],
      ['https://shop.example:8080/{{ user.attributes.x }}/z', `https://shop.example:8080/${x}/z`],
      ['shop://product/{{ meta.order }}', 'shop://product/7'],
      ['shop:///product/{{ meta.order }}', 'shop:///product/7'],
      ['/sale?x={{ user.attributes.x }}', `/sale?x=${x}`],
      ['/{{ meta.word }}', '/hello'],
      [`/{{ "O'Brien" }}?x={{ "O'Brien" | url_encode }}`, '/O%27Brien?x=O%27Brien'],
      [
        'https://shop.example/?a={{ user.attributes.x | url_encode }}',
        `https://shop.example/?a=${x.replace('%20%C3', '+%C3')}`,
      ],
      ['https://shop.example/{{ user.attributes.back }}', 'https://shop.example/%5C%5Cevil.example'],
      [
        'https://shop.example/{% if meta.order == 7 %}seven{% else %}{{ meta.order }}{% endif %}',
        'https://shop.example/seven',
      ],
      ['{% if meta.order == 7 %}https://a.example/{% else %}https://b.example{% endif %}', 'https://a.example/'],
      ['https://{% if meta.order == 7 %}a{% else %}b{% endif %}.example/{{ meta.order }}', 'https://a.example/7'],
      ['https://shop.example/plain', 'https://shop.example/plain'],
    ]
    for (const [text, address] of rows)
      expect(addressOf(text), text).to.include({ text: address, missing: addressOf(text).missing })
    expect(addressOf('https://shop.example/{{ user.attributes.half }}').text).to.equal('https://shop.example/')
    expect(addressOf('https://shop.example/?v={{ user.attributes.dots }}').text).to.equal('https://shop.example/?v=..')
  })

  it('have no line breaks and no blank at the end, which would make every result no address', () => {
    for (const text of ['https://shop.example/\n{{ meta.order }}', 'https://shop.example/{{ meta.order }}\n']) {
      expect(problemOf(text), text).to.match(
        /^line 1, column \d+: an address has no line breaks and control characters/,
      )
    }
    expect(problemOf('https://shop.example/{{ meta.order }} ')).to.match(/an address does not end with a blank/)
  })

  it('come whole only from what a server says', () => {
    const rows: readonly (readonly [string, string])[] = [
      ['{{ meta.url }}', SCOPE.meta.url],
      ['{{- meta.path -}}', '/sale'],
      ['{{ meta.deep }}', SCOPE.meta.deep],
      ['{{ lookup.product.link }}', SCOPE.lookup.product.link],
      ['{{ event.link }}', SCOPE.event.link],
      ['{{ meta.gone | default: lookup.product.link }}', SCOPE.lookup.product.link],
      ["{{ meta.gone | default: 'https://a.example' }}", 'https://a.example'],
      ['{{ meta.base }}/x?y={{ user.attributes.x | truncate: 3, "" }}', 'https://own.example/x?y=a%2Fb'],
      [
        '{% if meta.gone %}{{ meta.gone }}{% else %}https://a.example/{{ meta.order }}{% endif %}',
        'https://a.example/7',
      ],
    ]
    for (const [text, address] of rows) expect(addressOf(text).text, text).to.equal(address)
    const why = 'a whole address may come only from meta, a look-up or an event that a server sent'
    for (const inside of [
      'user.attributes.x',
      'user.identifier',
      'app.name',
      'install.os',
      'now',
      'meta.a | default: user.attributes.x',
      'meta.a | append: install.locale',
    ]) {
      // biome-ignore format: a list
      expect(problemOf(`{{ ${inside} }}`), inside).to.contain(`line 1, column 1: ${why}`)
    }
    expect(problemOf('{{ event.link }}', { event: 'device' })).to.contain(why)
  })

  it('are empty, and the value counts as missing, where it is no address or leads to another folder', () => {
    for (const name of ['gone', 'script', 'two', 'tab', 'word', 'odd', 'blank', 'order']) {
      expect(addressOf(`{{ meta.${name} }}`), name).to.eql({ text: '', missing: [`meta.${name}`], tooLarge: false })
      expect(addressOf(`{{ meta.${name} }}/x`).text, name).to.equal('')
    }
    for (const name of ['dots', 'dot', 'gone']) {
      const { text, missing } = addressOf(`https://shop.example/a/{{ user.attributes.${name} }}/b`)
      expect([text, missing], name).to.eql(['https://shop.example/a//b', [`user.attributes.${name}`]])
      for (const between of ['/', '\\']) {
        expect(addressOf(`/{{ user.attributes.${name} }}${between}{{ user.attributes.host }}`).text, name).to.equal('')
      }
    }
  })

  it('are refused where a value could change scheme or host', () => {
    const host = 'this value could change the host of the address: put / ? or # before it'
    const scheme = 'scheme and host of an address must be written out'
    const rows: readonly (readonly [string, string])[] = [
      ['https://{{ meta.a }}', host],
      ['https://{{ meta.a }}/x', host],
      ['https://shop.example{{ meta.a }}', host],
      ['https://shop.example:{{ meta.a }}/', host],
      ['https://{{ meta.a }}@shop.example/', host],
      ['https://u:{{ meta.a }}@shop.example/', host],
      ['https://shop.{{ meta.a }}.example/', host],
      ['https:///{{ meta.a }}/', host],
      ['https://shop.example\\{{ meta.a }}/', host],
      ['https://shop.example\n{{ meta.a }}/', host],
      ['shop://{{ meta.a }}', host],
      ['{% if meta.a %}https://shop.example{% endif %}{{ meta.a }}', host],
      ['https://shop.example{% if meta.a %}/{% endif %}{{ meta.a }}', host],
      ['https://shop.example{% if meta.a %}{{ meta.a }}{% endif %}/', host],
      ['https:{{ meta.a }}', scheme],
      ['http{{ meta.a }}://shop.example/', scheme],
      ['//{{ meta.a }}', scheme],
      ['//shop.example/{{ meta.a }}', scheme],
      ['/\\{{ meta.a }}', scheme],
      [' https://shop.example/{{ meta.a }}', scheme],
      ['mailto:{{ meta.a }}', scheme],
      ['javascript:{{ meta.a }}', scheme],
      ['sale/{{ meta.a }}', scheme],
      ['/{% if meta.a %}/{% endif %}{{ meta.a }}', scheme],
      ['{{ meta.a }}://shop.example/', 'put / ? or # behind it'],
      ['{{ meta.a }}.example/', 'put / ? or # behind it'],
      ['{{ meta.a }}{{ meta.b }}', 'put / ? or # between them'],
      ['{{ meta.a }}{% if meta.b %}/{% endif %}{{ meta.b }}', 'put / ? or # between them'],
      ['{% if meta.a %}https://shop.example/{% endif %}{{ meta.a }}', 'write a whole address in each branch'],
      [`https://${'{% if meta.a %}a{% else %}b{% endif %}'.repeat(5)}/{{ meta.a }}`, 'too many forms'],
    ]
    for (const [text, message] of rows) {
      const problems = compileAddress(text, CONTEXT).problems?.map((one) => one.message)
      expect(problems?.join(' '), text).to.contain(message)
    }
    const places = compileAddress('a\nhttps://{{ meta.a }}', CONTEXT).problems?.map(({ line, column }) => [
      line,
      column,
    ])
    expect(places).to.deep.include([2, 9])
    expect(problemOf('https://shop.example/{{ foo }}')).to.match(/^line 1, column 25: there is no value/)
  })

  it('lead to no other host than those that are written, whatever the values are', () => {
    const seed = seedOf(97)
    const random = chance(seed)
    const pick = <T>(list: readonly T[]): T => list[random(list.length)]!
    const pieces = [
      'https://',
      'https:',
      'shop://',
      'a.example',
      '/',
      '/',
      '?',
      '#',
      ':',
      '@',
      '\\',
      '//',
      '.',
      'x',
      ' ',
      '\t',
      '{{ user.attributes.v }}',
      '{{ user.attributes.w }}',
      '{% if user.attributes.v %}',
      '{% else %}',
      '{% endif %}',
    ]
    const values = [
      '',
      'evil.example',
      '/evil.example',
      '//evil.example',
      '\\evil.example',
      '@evil.example',
      ':x@evil.example',
      '.',
      '..',
      '/',
      '\\',
      '\t',
      '\n',
      'https://evil.example',
      '%2f%2fevil.example',
      '\u3002',
      '?',
      '#',
    ]
    let accepted = 0
    for (let i = 0; i < many(40_000, { long: 400_000 }); i++) {
      let text = pick([
        'https://a.example',
        '/',
        'https://',
        '',
        'shop://',
        '{% if user.attributes.v %}https://a.example/',
      ])
      for (let n = 1 + random(6); n > 0; n--) text += pick(pieces)
      if (text.split('{% if').length > text.split('{% endif').length) text += '{% endif %}'
      const { template } = compileAddress(text)
      if (template === undefined || template.isConstant || template.paths.length === 0) continue
      const literal = text.replaceAll(/\{[{%].*?[}%]\}/g, '')
      if (literal.includes('evil')) continue
      for (let n = 0; n < 4; n++) {
        const result = template.render({
          now: 0,
          user: { identifier: '', attributes: { v: pick(values), w: pick(values) } },
        }).text
        const host = URL.canParse(result, 'https://site.example/') ? new URL(result, 'https://site.example/').host : ''
        if (host.includes('evil'))
          expect(host, `seed ${seed}: ${JSON.stringify(text)} gives ${JSON.stringify(result)}`).to.equal('')
      }
      accepted++
    }
    expect(accepted).to.be.above(1000)
  })
})
