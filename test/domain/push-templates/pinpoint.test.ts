import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { readPinpoint } from '../../../src/domain/push-templates/pinpoint/read.ts'
import { inOurTerms } from '../../../src/domain/push-templates/pinpoint/variables.ts'
import { createPushTemplate } from '../../../src/domain/push-templates/schema.ts'
import { AppError } from '../../../src/platform/errors.ts'
import { parseJson } from '../../../src/platform/values/parse.ts'

const SAMPLE = join(import.meta.dirname, '../imports/exports/pinpoint-template.json')
const TEXTS = { Title: 'T', Body: 'M' }
const template = (blocks: object) => ({ TemplateName: 'one', TemplateType: 'PUSH', ...blocks })

describe('push templates of Amazon Pinpoint', () => {
  it('become what a push says, as aws pinpoint get-push-template prints them', () => {
    const { body, leftOut } = readPinpoint(JSON.parse(readFileSync(SAMPLE, 'utf8')))
    expect(body).to.deep.equal({
      uid: 'order_shipped',
      name: 'order_shipped',
      content: {
        title: "On its way, {{ user.attributes.firstName | default: 'friend' }}",
        message: 'Order {{ user.attributes.order }} comes tomorrow.',
        url: 'https://shop.example/orders/{{ user.identifier }}',
      },
      personalize: { missing: 'skip' },
      ios: { sound: 'bell.wav', media: { pictureUrl: 'https://shop.example/box.png' } },
      android: { pictureUrl: 'https://shop.example/box-wide.png' },
    })
    expect(leftOut).to.deep.equal([
      'Default.Sound',
      'GCM.Body',
      'GCM.SmallImageIconUrl',
      'ADM',
      'TemplateDescription',
      'tags',
    ])
    expect(parseJson(createPushTemplate, body)).to.include({ uid: 'order_shipped' })
  })

  it('take a text from the most general block that has it', () => {
    expect(readPinpoint(template({ APNS: { Title: 'A' }, GCM: { ...TEXTS, Title: 'G' } }))).to.deep.equal({
      body: { uid: 'one', name: 'one', content: { title: 'A', message: 'M' } },
      leftOut: ['GCM.Title'],
    })
    expect(readPinpoint(template({ Default: TEXTS, APNS: TEXTS })).leftOut).to.deep.equal([])
  })

  it('open an address only where that is what a tap does', () => {
    const url = (Action: string) => readPinpoint(template({ Default: { ...TEXTS, Action, Url: 'https://a.example/' } }))
    expect(url('URL').body.content).to.include({ url: 'https://a.example/' })
    expect(url('DEEP_LINK').leftOut).to.deep.equal([])
    expect(url('OPEN_APP').body.content).to.not.have.property('url')
    expect(url('OPEN_APP').leftOut).to.deep.equal(['Default.Url'])
  })

  it('are refused with the place of what stands in the way', () => {
    const rows: [unknown, string[]][] = [
      [null, ['']],
      [{ id: 'x' }, ['']],
      [{ PushNotificationTemplateResponse: 1 }, ['']],
      [template({}), ['Default.Title', 'Default.Body']],
      [template({ APNS: { RawContent: '{"aps":{}}' } }), ['Default.Title', 'Default.Body']],
      [template({ Default: TEXTS, DefaultSubstitutions: '{' }), ['DefaultSubstitutions']],
      [template({ Default: TEXTS, DefaultSubstitutions: '[]' }), ['DefaultSubstitutions']],
    ]
    for (const [value, paths] of rows) {
      expect(() => readPinpoint(value), JSON.stringify(value))
        .to.throw(AppError)
        .that.has.nested.property('details.fields')
        .that.has.all.keys(paths)
    }
  })

  const rows: [theirs: string, ours: string][] = [
    ['{{User.UserId}}', '{{ user.identifier }}'],
    ['{{ Attributes.plan }}', '{{ user.attributes.plan }}'],
    ['{{Attributes.plan.[0]}}', '{{ user.attributes.plan }}'],
    ['{{User.UserAttributes.plan[0]}}', '{{ user.attributes.plan }}'],
    ['{{Attributes.plan.[1]}}', '{{Attributes.plan.[1]}}'],
    ['{{Metrics.visits}}', '{{ user.attributes.visits }}'],
    ['{{Demographic.AppVersion}}', '{{ install.appVersion }}'],
    ['{{Location.Country}}', '{{ install.country }}'],
    ['{{Location.City}}', '{{Location.City}}'],
    ['{{Attributes.first}}!', "{{ user.attributes.first | default: 'friend' }}!"],
    ['{{Attributes.quote}}', '{{ user.attributes.quote | default: "it\'s" }}'],
    ['{{#if Attributes.a}}b{{/if}}', '{{#if Attributes.a}}b{{/if}}'],
    ['{{uppercase Attributes.a}}', '{{uppercase Attributes.a}}'],
    ['{{Attributes.toString}}', '{{ user.attributes.toString }}'],
    ['plain', 'plain'],
  ]
  for (const [theirs, ours] of rows) {
    it(`read ${theirs} as ${ours}`, () => {
      expect(inOurTerms(theirs, { 'Attributes.first': 'friend', 'Attributes.quote': "it's" })).to.equal(ours)
    })
  }
})
