import { expect } from 'chai'
import { compileContent } from '../../../src/domain/notifications/personal/compiled-content.ts'
import { compileAddress } from '../../../src/domain/personalization/compile.ts'
import { compileDocument } from '../../../src/domain/templates/compiled-document.ts'
import { renderDocument } from '../../../src/domain/templates/render.ts'
import type { ContentDocument, Tag } from '../../../src/domain/templates/types.ts'

/** Values that somebody may write into their attributes, to get from one folder of a website to another. */
const HOSTILE = [
  '.',
  '..',
  '%2e',
  '%2E%2e',
  '.%2e',
  '%2e.',
  '%252e%252e',
  '%25252e.',
  '../admin',
  '..\\admin',
  './x',
  'a/..',
  'a/../b',
  'a\\..\\b',
  '..%2fadmin',
  '..%5Cadmin',
  'a%2f..',
  '%2e%2e%2fadmin',
  'a%252f..%252fb',
]
/** Values that look like these, and are none. */
const HARMLESS = [
  '...',
  '.well-known',
  'a..b',
  '..a',
  'b..',
  'v1.2',
  '%',
  '%2',
  '%2f',
  'a/b',
  '\\',
  '. .',
  '%2ea',
  'é.',
]

const SHOP = 'https://shop.example/p/'
/** The folder to which a browser goes. */
const folderOf = (address: string) => new URL(address).pathname.split('/')[1]

const TAGS: Tag[] = [
  { title: 'Sku', type: 'text', required: true },
  { title: 'More', type: 'text', required: false },
]
const documentWith = (url: string): ContentDocument => ({
  ver: 1,
  frame: {
    type: 'alert',
    nodes: [
      { type: 'heading', text: 'Hello' },
      { type: 'button', text: 'Go', actions: [{ type: 'openUrl', data: { url } }] } as never,
      { type: 'image', src: url, alt: 'A' } as never,
    ],
  },
})

describe('values in the path of an address', () => {
  const pushed = (text: string, x: string) =>
    compileAddress(text).template!.render({ user: { identifier: 'u', attributes: { x } }, now: 0 })

  it('lead to no other folder from a push', () => {
    for (const value of HOSTILE) {
      for (const text of [
        `${SHOP}{{ user.attributes.x }}`,
        `${SHOP}{{ user.attributes.x }}/z`,
        `/p/{{ user.attributes.x }}?q=1`,
        `${SHOP}{{ user.attributes.x | url_encode }}`,
        `${SHOP}.{{ user.attributes.x }}`,
        `shop://a/{{ user.attributes.x }}`,
      ]) {
        expect(pushed(text, value).missing, `${text} ${value}`).to.have.length(1)
      }
      expect(pushed(`${SHOP}z?q={{ user.attributes.x }}`, value).missing).to.eql([])
    }
    for (const value of HARMLESS) {
      const { text, missing } = pushed(`${SHOP}{{ user.attributes.x }}/z`, value)
      expect(missing, value).to.eql([])
      expect(text).to.equal(`${SHOP}${encodeURIComponent(value)}/z`)
    }
  })

  it('cannot complete an escape', () => {
    for (const text of [`${SHOP}%2{{ user.attributes.x }}`, `${SHOP}%{{ user.attributes.x }}/`]) {
      expect(compileAddress(text).problems?.[0]?.message, text).to.match(
        /^line 1, column 1: a value may not complete an escape/,
      )
    }
    expect(compileAddress(`${SHOP}{{ user.attributes.x }}/100%`).problems).to.equal(undefined)
  })

  it('lead to no other folder from the pictures of a push and what a look-up found', () => {
    const content = compileContent({
      title: 'T',
      message: 'M',
      background: false,
      ios: { pictureUrl: `${SHOP}{{ user.attributes.x }}.png` },
      android: { pictureUrl: `${SHOP}{{ lookup.product.sku }}` },
      personalize: { missing: 'skip' },
      lookup: { product: { table: '1_p', by: 'sku', value: 'a' } },
    })
    const person = (x: string) => ({ identifier: 'u', attributes: { x } })
    for (const value of HOSTILE) {
      const reader = { person: person('ok'), lookup: { product: { sku: value } }, now: 0 }
      expect(content.edit(reader, []), value).to.eql({ missing: ['lookup.product.sku'] })
    }
    expect(content.edit({ person: person('..'), lookup: { product: { sku: 'a' } }, now: 0 }, [])).to.eql({
      missing: ['user.attributes.x'],
    })
  })

  for (const url of [`${SHOP}{{Sku}}`, `${SHOP}{{Sku}}/z`, `${SHOP}.{{Sku}}?q={{More}}`, `${SHOP}{{Sku}}{{More}}#a`]) {
    it(`lead to no other folder from ${url} of an in-app message`, () => {
      const content = documentWith(url)
      const compiled = compileDocument(content)
      const both = (value: string) => ({
        plain: renderDocument(content, TAGS, { Sku: value }).errors,
        personal: compiled.judge(
          new Map([
            ['Sku', value],
            ['More', ''],
          ]),
        ),
      })
      for (const value of HOSTILE) {
        const { plain, personal } = both(value)
        expect(plain, value).to.have.keys('content.Sku')
        expect(plain!['content.Sku']!.join(), value).to.match(/another folder/)
        expect(personal, value).to.eql({ wrong: ['Sku'] })
      }
      // Behind a dot some of these are hostile.
      for (const value of url.includes('.{{') ? [] : HARMLESS) {
        const { plain, personal } = both(value)
        expect([plain, personal], value).to.eql([undefined, undefined])
      }
    })
  }

  it('lead to no other folder together', () => {
    const content = documentWith(`${SHOP}{{Sku}}{{More}}/z`)
    for (const [Sku, More, ...titles] of [
      ['%2', 'e', 'Sku', 'More'],
      ['a/', '..', 'More'],
      ['..', '%2fa', 'Sku'],
      ['.', '.', 'Sku', 'More'],
    ] as const) {
      const { errors } = renderDocument(content, TAGS, { Sku, More })
      expect(Object.keys(errors ?? {}), Sku).to.have.members(titles.map((title) => `content.${title}`))
    }
    expect(renderDocument(content, TAGS, { Sku: '%2', More: 'f' }).errors).to.equal(undefined)
    const cut = documentWith(`${SHOP}%2{{Sku}}%2{{Sku}}/z`)
    expect(renderDocument(cut, TAGS, { Sku: 'e' }).errors).to.have.keys('content.Sku')
    expect(compileDocument(cut).judge(new Map([['Sku', 'e']]))).to.eql({ wrong: ['Sku'] })
  })

  it('may be dots in a whole address, and what the template says itself stays', () => {
    const tags: Tag[] = [{ title: 'Link', type: 'url', required: true }, ...TAGS]
    const own = `${SHOP}../q`
    expect(renderDocument(documentWith('{{Link}}'), tags, { Link: own, Sku: '..' }).errors).to.equal(undefined)
    expect(renderDocument(documentWith(`${own}/{{Sku}}`), tags, { Link: own, Sku: 'a' }).errors).to.equal(undefined)
    expect(folderOf(own)).to.equal('q')
    expect(folderOf(`${SHOP}%2e%2e/x`)).to.equal('x')
  })
})
