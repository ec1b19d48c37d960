import { expect } from 'chai'
import {
  FORMS,
  type Form,
  NESTED,
  parse,
  small,
  withAt,
  wrong,
  wrongKeys,
} from '../../../support/notification-forms.ts'

const at = (form: Form, path: string) => (form === 'legacy' ? path.replace('content.', '') : path)
const on = (form: Form, path: string, value: unknown) => wrongKeys(form, withAt(small[form](), at(form, path), value))
const german = { title: 'Hallo', message: 'Welt' }

describe('the personal parts of a request', () => {
  for (const form of FORMS) {
    it(`are stored as they were given (${form})`, () => {
      const body = {
        ...withAt(small[form](), at(form, 'content.languages'), { de: { ...german, url: '/angebot', subtitle: 'S' } }),
        personalize: {},
        lookup: { product: { table: '1_products', by: 'sku', value: '{{ meta.sku }}' } },
      }
      const { content } = parse[form](body)
      expect(content.personalize).to.deep.equal({ missing: 'skip' })
      expect(content.languages).to.deep.equal({ de: { ...german, url: '/angebot', subtitle: 'S' } })
      expect(content.lookup).to.deep.equal(body.lookup)
    })

    it(`leave no trace where they are absent (${form})`, () => {
      const { content } = parse[form](small[form]())
      expect(content).to.have.all.keys('title', 'message', 'background', 'ios', 'android')
    })

    it(`take only what they know (${form})`, () => {
      expect(on(form, 'personalize', { missing: 'empty' })).to.deep.equal([])
      expect(on(form, 'personalize', true)).to.deep.equal(['personalize'])
      expect(on(form, 'personalize', [])).to.deep.equal(['personalize'])
      expect(on(form, 'personalize', { missing: 'maybe' })).to.deep.equal(['personalize.missing'])
      expect(on(form, 'personalize', { Missing: 'skip' })).to.deep.equal(['personalize.Missing'])
      for (const value of [[], 'de', 7])
        expect(on(form, 'content.languages', value)).to.deep.equal([at(form, 'content.languages')])
      for (const variant of [null, 'x', []]) {
        expect(on(form, 'content.languages', { de: variant })).to.deep.equal([at(form, 'content.languages.de')])
      }
      expect(on(form, 'content.languages', { de: { title: 'T' } })).to.deep.equal([
        at(form, 'content.languages.de.message'),
      ])
      expect(on(form, 'content.languages', { de: { ...german, ios: {} } })).to.deep.equal([
        at(form, 'content.languages.de.ios'),
      ])
      expect(on(form, 'content.languages', { de: { ...german, title: '' } })).to.deep.equal([
        at(form, 'content.languages.de.title'),
      ])
    })

    it(`refuse a tag that JavaScript would take for something else (${form})`, () => {
      for (const variant of [german, 5]) {
        const languages = Object.fromEntries([['__proto__', variant]])
        expect(on(form, 'content.languages', languages)).to.deep.equal([at(form, 'content.languages.__proto__')])
      }
    })

    it(`refuse our keys inside of pictures and buttons (${form})`, () => {
      for (const key of ['languages', 'personalize', 'lookup']) {
        expect(on(form, 'ios', { media: { [key]: {} } })).to.deep.equal([`ios.media.${key}`])
        expect(on(form, 'buttons', [{ id: 'a', text: 'A', [key]: {} }])).to.deep.equal([`buttons[0].${key}`])
        expect(on(form, 'buttons', [{ id: 'a', text: 'A', [key]: null }]), 'null says nothing').to.deep.equal([])
      }
    })

    it(`refuse tags that are no languages, the same one twice, and too many (${form})`, () => {
      for (const tag of ['german', 'de_DE', 'jp', '']) {
        expect(on(form, 'content.languages', { [tag]: german }), tag).to.have.length(1)
      }
      expect(on(form, 'content.languages', { iw: german, he: german })).to.deep.equal([
        at(form, 'content.languages.he'),
      ])
      const letters = 'abcdefghijklmnopqrstuvwxyz'
      const many = Array.from({ length: 41 }, (_, i) => [
        `de-${letters[i % 26]!.toUpperCase()}${i < 26 ? 'A' : 'B'}`,
        german,
      ])
      expect(on(form, 'content.languages', Object.fromEntries(many))).to.deep.equal([at(form, 'content.languages')])
    })

    it(`refuse look-ups that texts could not read, or that nothing is personalised for (${form})`, () => {
      const product = { table: '1_products', by: 'sku', value: '{{ meta.sku }}' }
      const withLookUp = (lookup: unknown) => wrongKeys(form, { ...small[form](), personalize: {}, lookup })
      expect(withLookUp({ product })).to.deep.equal([])
      expect(withLookUp({ 'a b': product })).to.deep.equal(['lookup'])
      expect(withLookUp({ product: { ...product, where: 'x' } })).to.deep.equal(['lookup.product.where'])
      expect(withLookUp({ product: { table: '1_products', by: 'sku' } })).to.deep.equal(['lookup.product.value'])
      expect(withLookUp({ a: product, b: product, c: product, d: product })).to.deep.equal(['lookup'])
      expect(wrong(form, { ...small[form](), lookup: { product } }).lookup).to.match(/give personalize as well/)
    })

    it(`judge braces in an address by what is personalised (${form})`, () => {
      const url = 'https://shop.example/o/{{ meta.order }}'
      expect(
        wrongKeys(form, { ...withAt(small[form](), at(form, 'content.url'), url), personalize: {} }),
      ).to.deep.equal([])
      const braces = 'not an address {{ x }}'
      expect(on(form, 'content.url', braces)).to.deep.equal([at(form, 'content.url')])
      expect(on(form, 'android.pictureUrl', 'ftp://pictures.example/{{ x }}')).to.deep.equal(['android.pictureUrl'])
      expect(on(form, 'ios.media.pictureUrl', '{{ x }}')).to.deep.equal(['ios.media.pictureUrl'])
      expect(on(form, 'content.languages', { de: { ...german, url: braces, pictureUrl: braces } })).to.deep.equal([
        at(form, 'content.languages.de.pictureUrl'),
        at(form, 'content.languages.de.url'),
      ])
    })

    it(`are refused inside of other blocks (${form})`, () => {
      for (const block of ['ios', 'android']) {
        expect(on(form, `${block}.personalize`, {})).to.deep.equal([`${block}.personalize`])
        expect(on(form, `${block}.languages`, { de: german })).to.deep.equal([`${block}.languages`])
      }
    })
  }

  for (const form of FORMS) {
    it(`are refused wherever they would be ignored, with the place where they belong (${form})`, () => {
      const keys = { languages: { de: german }, personalize: {}, lookup: {}, template: 'uid', cron: '0 9 * * *' }
      const blocks = ['ios', 'ios.media', 'android', form === 'legacy' ? 'soundConfig' : 'ios.badge']
      for (const [key, value] of Object.entries(keys)) {
        for (const block of blocks)
          expect(wrongKeys(form, withAt(small[form](), `${block}.${key}`, value))).to.include(`${block}.${key}`)
        const button = { id: 'a', text: 'A', [key]: value }
        const ofVariant = at(form, `content.languages.de.buttons[0].${key}`)
        expect(on(form, 'content.languages', { de: { ...german, buttons: [button] } })).to.deep.equal([ofVariant])
        expect(wrong(form, withAt(small[form](), `android.${key}`, value))[`android.${key}`]).to.match(
          /belongs (into|at|beside)/,
        )
      }
      for (const key of ['cron', 'startsAt', 'endsAt']) {
        expect(wrong(form, { ...small[form](), [key]: '2026-01-01 09:00' })[key]).to.match(/belongs into schedule/)
        expect(wrongKeys(form, { ...small[form](), [key]: null })).to.deep.equal([])
      }
      expect(wrongKeys(form, withAt(small[form](), at(form, 'content.data'), keys))).to.deep.equal([])
    })

    it(`are left alone in objects that no form knows, where they are the caller's (${form})`, () => {
      const theirs = { template: 'promo', languages: ['de'], lookup: 1, personalize: true, cron: 'x', endsAt: 'y' }
      for (const block of ['ios', 'android', 'ios.media']) {
        expect(wrongKeys(form, withAt(small[form](), `${block}.payload`, theirs))).to.deep.equal([])
        expect(wrongKeys(form, withAt(small[form](), `${block}.payload`, [{ a: theirs }]))).to.deep.equal([])
      }
      expect(on(form, 'buttons', [{ id: 'a', text: 'A', payload: theirs }])).to.deep.equal([])
    })
  }

  it('are refused in a content of the flat form, which has none', () => {
    for (const key of ['languages', 'personalize', 'lookup', 'template']) {
      expect(wrongKeys('legacy', { ...small.legacy(), content: { [key]: {} } })).to.deep.equal([`content.${key}`])
    }
  })

  it('have their metadata in the target of the push host', () => {
    const userMeta = { anna: { seat: 1 } }
    expect(wrong('push', { ...small.push(), personalize: {}, userMeta }).userMeta).to.match(/target\.userMeta/)
    expect(wrongKeys('push', { ...small.push(), userMeta }), 'an unknown field as ever').to.deep.equal([])
    expect(wrongKeys('push', { ...small.push(), personalize: {}, userMeta: {} }), 'none').to.deep.equal([])
  })

  for (const form of NESTED) {
    it(`are refused in the wrong place, because ignoring them would send braces or the wrong language (${form})`, () => {
      expect(wrongKeys(form, { ...small[form](), languages: { de: german } })).to.deep.equal(['languages'])
      expect(wrongKeys(form, withAt(small[form](), 'content.personalize', {}))).to.deep.equal(['content.personalize'])
      expect(wrongKeys(form, withAt(small[form](), 'content.lookup', {}))).to.deep.equal(['content.lookup'])
      expect(wrongKeys(form, withAt(small[form](), 'target.personalize', {}))).to.include('target.personalize')
    })
  }
})
