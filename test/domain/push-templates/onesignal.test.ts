import { expect } from 'chai'
import { inOurTerms } from '../../../src/domain/push-templates/onesignal/liquid.ts'
import { readOneSignal } from '../../../src/domain/push-templates/onesignal/read.ts'
import { inOurTerms as pinpointTerms } from '../../../src/domain/push-templates/pinpoint/variables.ts'
import { AppError } from '../../../src/platform/errors.ts'

const template = (content: object, more: object = {}) => ({ id: 'one', name: 'One', channel: 'push', content, ...more })
const TEXTS = { headings: { en: 'T' }, contents: { en: 'M' } }

describe('push templates of OneSignal', () => {
  it('become what a push says, with their languages and pictures', () => {
    const { body, leftOut } = readOneSignal(
      template({
        isIos: true,
        email_body: null,
        headings: { en: 'Hi', de: 'Hallo', es: 'Hola' },
        contents: { en: 'Order', de: 'Bestellung', fr: 'Commande', it: '' },
        subtitle: { en: 'Sub', de: 'Unter', nl: 'Onder' },
        url: 'https://example.com/o',
        data: { a: 1 },
        global_image: 'https://example.com/g.png',
        ios_attachments: { id1: 'https://example.com/i.png' },
        buttons: [{ id: 'b', text: 'B', icon: 'i' }],
        ios_sound: 'bell.wav',
        priority: null,
      }),
    )
    expect(body).to.deep.equal({
      uid: 'one',
      name: 'One',
      content: {
        title: 'Hi',
        message: 'Order',
        url: 'https://example.com/o',
        data: { a: 1 },
        languages: {
          de: { title: 'Hallo', message: 'Bestellung', subtitle: 'Unter' },
          fr: { title: 'Hi', message: 'Commande' },
          es: { title: 'Hola', message: 'Order' },
          nl: { title: 'Hi', message: 'Order', subtitle: 'Onder' },
        },
      },
      ios: { media: { pictureUrl: 'https://example.com/i.png' }, subtitle: 'Sub' },
      android: { pictureUrl: 'https://example.com/g.png' },
      buttons: [{ id: 'b', text: 'B' }],
    })
    expect(leftOut).to.deep.equal(['ios_sound'])
  })

  it('are personalised where their texts are', () => {
    expect(readOneSignal(template(TEXTS)).body).to.not.have.property('personalize')
    const data = { a: [{ b: '{{ name }}' }] }
    expect(readOneSignal(template({ ...TEXTS, data })).body).to.deep.include({
      personalize: { missing: 'empty' },
      content: { title: 'T', message: 'M', data: { a: [{ b: '{{ user.attributes.name }}' }] } },
    })
    const buttons = [{ id: 'b', text: 'For {{ name }}' }]
    expect(readOneSignal(template({ ...TEXTS, buttons })).body).to.deep.include({
      personalize: { missing: 'empty' },
      buttons: [{ id: 'b', text: 'For {{ user.attributes.name }}' }],
    })
  })

  it('are read in time in proportion to their texts, also where no part is closed', () => {
    const hostile = ['{{'.repeat(500_000), '{% '.repeat(300_000), `{{${'a['.repeat(300_000)}}}`]
    for (const text of hostile) expect(inOurTerms(text)).to.have.length.of.at.least(text.length)
    expect(pinpointTerms(hostile[0]!, {})).to.equal(hostile[0])
  }).timeout(30_000)

  const rows: [theirs: string, ours: string][] = [
    ['{name} | upcase', '{name} | upcase'],
    ['{{ name }}', '{{ user.attributes.name }}'],
    ["{{- first_name | default: 'my friend' -}}", "{{- user.attributes.first_name | default: 'my friend' -}}"],
    ['{{ first-name }}{{größe-}}', '{{ user.attributes.first-name }}{{user.attributes.größe-}}'],
    ['{% if a-b == 5.5 %}{{ 7e }}{% endif %}', '{% if user.attributes.a-b == 5.5 %}{{ 7e }}{% endif %}'],
    ['{{ a | append: b | upcase }}', '{{ user.attributes.a | append: user.attributes.b | upcase }}'],
    [
      "{% if plan == 'gold' and level > 5 %}A{% else %}B{% endif %}",
      "{% if user.attributes.plan == 'gold' and user.attributes.level > 5 %}A{% else %}B{% endif %}",
    ],
    ['{{ user.external_id }}{{ user.tags.x }}', '{{ user.identifier }}{{ user.attributes.x }}'],
    ['{{ message.custom_data.order }}{{ app.name }}', '{{ meta.order }}{{ app.name }}'],
    ['{{ subscription.email }}', '{{ subscription.email }}'],
  ]
  for (const [theirs, ours] of rows) it(`say ${theirs} as ${ours}`, () => expect(inOurTerms(theirs)).to.equal(ours))

  const wrong: [what: string, given: unknown, keys: string[]][] = [
    ['no template', [], ['']],
    ['one without content', { id: 'x' }, ['']],
    ['one of emails', template(TEXTS, { channel: 'email' }), ['channel']],
    [
      'one without texts in English',
      template({ contents: { de: 'x' } }),
      ['content.headings.en', 'content.contents.en'],
    ],
  ]
  for (const [what, given, keys] of wrong) {
    it(`are refused by name: ${what}`, () => {
      expect(() => readOneSignal(given))
        .to.throw(AppError)
        .with.nested.property('details.fields')
        .that.has.all.keys(keys)
    })
  }
})
