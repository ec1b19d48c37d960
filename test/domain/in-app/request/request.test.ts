import { expect } from 'chai'
import { fromInAppForm, inAppForm } from '../../../../src/domain/in-app/request/request.ts'
import { check, describe as describeSchema, parseJson } from '../../../../src/platform/values/parse.ts'
import { inAppBody } from '../../../support/in-app.ts'

const REQUIRED = 'is required'
const UNLESS_NEVER = 'is required unless presentedWhen is never'
const schedule = { sendAt: '2026-03-02 09:00', strategy: 'utc', pastTimes: 'ignore' }

/** Rows: what is replaced in a right request, and its wrong keys. `undefined` takes a field away. */
const wrong: [string, object, Record<string, string>][] = [
  ['no target', { target: undefined }, { target: REQUIRED }],
  ['no template', { template: undefined }, { template: REQUIRED }],
  ['a template that is a number', { template: 7 }, { template: 'must be a string' }],
  ['an empty template', { template: '' }, { template: 'must not be empty' }],
  ['content that is a list', { content: [] }, { content: 'must be an object' }],
  ['no presentedWhen', { presentedWhen: undefined }, { presentedWhen: REQUIRED }],
  [
    'another presentedWhen',
    { presentedWhen: 'later' },
    { presentedWhen: 'must be one of immediately, next-open, never' },
  ],
  ['no ttl', { ttl: undefined }, { ttl: UNLESS_NEVER, 'ttl.expiresIn': UNLESS_NEVER, 'ttl.units': UNLESS_NEVER }],
  ['an empty ttl', { ttl: {} }, { 'ttl.expiresIn': REQUIRED, 'ttl.units': REQUIRED }],
  ['a ttl of nothing', { ttl: { expiresIn: 0, units: 'd' } }, { 'ttl.expiresIn': 'must be at least 1' }],
  ['a ttl of more than a year', { ttl: { expiresIn: 366, units: 'd' } }, { 'ttl.expiresIn': 'must be at most 365' }],
  ['a ttl that is not whole', { ttl: { expiresIn: 1.5, units: 'd' } }, { 'ttl.expiresIn': 'must be an integer' }],
  ['a ttl that is text', { ttl: { expiresIn: '1', units: 'd' } }, { 'ttl.expiresIn': 'must be a number' }],
  ['a ttl in weeks', { ttl: { expiresIn: 1, units: 'w' } }, { 'ttl.units': 'must be one of d, h' }],
  [
    'a wrong ttl of a message that is never shown',
    { presentedWhen: 'never', ttl: { units: 'd' } },
    { 'ttl.expiresIn': REQUIRED },
  ],
  [
    'data that no device can read',
    { data: { a: { b: '\ud800' } } },
    { 'data.a.b': 'must be well-formed text without NUL characters' },
  ],
  [
    'data that fifty times is too much for a device',
    { data: { a: 'ä'.repeat(32_768) } },
    { data: 'has 65544 bytes as JSON, 65536 are allowed' },
  ],
  ['an empty notification', { notification: {} }, { 'notification.title': REQUIRED, 'notification.message': REQUIRED }],
  [
    'empty texts',
    { notification: { title: '', message: '' } },
    { 'notification.title': 'must not be empty', 'notification.message': 'must not be empty' },
  ],
  [
    'pictures that are no addresses',
    {
      notification: {
        title: 'T',
        message: 'M',
        ios: { media: { pictureUrl: 'x' } },
        android: { pictureUrl: 'ftp://x/y' },
      },
    },
    {
      'notification.ios.media.pictureUrl': 'must be an absolute http or https URL',
      'notification.android.pictureUrl': 'must be an absolute http or https URL',
    },
  ],
  [
    'a wrong schedule',
    { schedule: { ...schedule, sendAt: 'soon', strategy: 'now' } },
    { 'schedule.sendAt': '', 'schedule.strategy': '' },
  ],
  ['an unknown field of the schedule', { schedule: { ...schedule, pastTime: 1 } }, { 'schedule.pastTime': '' }],
  ['both times', { schedule, intelligentDelivery: true }, { schedule: '', intelligentDelivery: '' }],
  ['an empty target', { target: {} }, { target: '' }],
  ['a mixed target', { target: { broadcast: true, userIds: ['a'] } }, { target: '' }],
  ['an unknown field of the target', { target: { broadcast: true, userId: 'a' } }, { 'target.userId': '' }],
  ['data that is text', { data: 'x' }, { data: 'must be an object' }],
  ['an inbox without texts', { inbox: {} }, { 'inbox.title': REQUIRED, 'inbox.subtitle': REQUIRED }],
  ['an inbox time that is none', { inbox: { title: 'T', subtitle: '', from: 'tomorrow' } }, { 'inbox.from': '' }],
  [
    'an inbox that ends before it begins',
    { inbox: { title: 'T', subtitle: '', from: '2026-03-02', to: '2026-03-01' } },
    { 'inbox.to': 'must be later than inbox.from' },
  ],
  [
    'everything at once',
    { template: 1, presentedWhen: 'x', ttl: { expiresIn: 0 }, notification: { title: 1 } },
    {
      template: '',
      presentedWhen: '',
      'ttl.expiresIn': '',
      'ttl.units': '',
      'notification.title': '',
      'notification.message': '',
    },
  ],
]

describe('the form of an in-app message', () => {
  for (const [what, extra, expected] of wrong) {
    it(`refuses ${what}`, () => {
      const errors = check(inAppForm, inAppBody(extra), true) ?? {}
      expect(Object.keys(errors).sort()).to.deep.equal(Object.keys(expected).sort())
      for (const [key, message] of Object.entries(expected)) expect(errors[key]!.join()).to.include(message)
    })
  }

  const right: [string, object][] = [
    ['hours', { ttl: { expiresIn: 365, units: 'h' } }],
    ['a message that is never shown and never over', { presentedWhen: 'never', ttl: undefined }],
    ['intelligentDelivery: false beside a schedule', { schedule, intelligentDelivery: false }],
    ['unknown fields', { later: 1 }],
    ['numbers for ids', { target: { userIds: [1, 'b'], excludeInstallIds: [2] } }],
  ]
  for (const [what, extra] of right) {
    it(`takes ${what}`, () => expect(check(inAppForm, inAppBody(extra), true)).to.equal(undefined))
  }

  it('is documented as requiring ttl unless presentedWhen is never', () => {
    const { required, ...described } = describeSchema(inAppForm)
    expect(required).to.deep.equal(['target', 'template', 'presentedWhen'])
    expect(described).to.deep.include({
      if: { properties: { presentedWhen: { const: 'never' } } },
      else: { required: ['ttl'] },
    })
  })

  it('is converted to a request in our own terms', () => {
    const body = inAppBody({
      content: { Name: 'Ann' },
      ttl: { expiresIn: 2, units: 'h' },
      notification: { title: 'T', message: 'M', android: { pictureUrl: 'https://example.com/a.png' } },
      data: { a: 1 },
      inbox: { title: 'T', subtitle: '', from: '2026-03-01T12:00:00+01:00', imageUrl: 'https://example.com/i.png' },
      intelligentDelivery: true,
    })
    expect(fromInAppForm(parseJson(inAppForm, body))).to.deep.equal({
      targeting: { broadcast: true },
      template: 'plain',
      presentedWhen: 'immediately',
      content: { Name: 'Ann' },
      ttlMs: 7_200_000,
      notification: { title: 'T', message: 'M', android: { pictureUrl: 'https://example.com/a.png' } },
      data: { a: 1 },
      inbox: {
        title: 'T',
        subtitle: '',
        from: Date.parse('2026-03-01T11:00:00Z'),
        imageUrl: 'https://example.com/i.png',
      },
      schedule: { strategy: 'preferredHour' },
    })
  })
})
