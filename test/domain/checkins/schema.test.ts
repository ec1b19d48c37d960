import { expect } from 'chai'
import { newCheckin, readCheckin } from '../../../src/domain/checkins/schema.ts'
import { check, parseJson } from '../../../src/platform/values/parse.ts'

const BODY = { location: 'cafe', contacts: [{ lastName: 'Kelly' }], deviceKey: 'k' }
const contact = { lastName: 'x' }

describe('the body of a check-in', () => {
  for (const [what, body, fields] of [
    ['no object', [], ['']],
    ['nothing', {}, ['contacts', 'deviceKey', 'location']],
    [
      'wrong types',
      { location: 5, partySize: '3', contacts: {}, tz: 1, deviceKey: 1 },
      ['contacts', 'deviceKey', 'location', 'partySize', 'tz'],
    ],
    ['nobody', { ...BODY, contacts: [] }, ['contacts']],
    ['too many people', { ...BODY, contacts: Array.from({ length: 101 }, () => contact) }, ['contacts']],
    ['somebody without a name', { ...BODY, contacts: [contact, {}, null] }, ['contacts[1].lastName', 'contacts[2]']],
    [
      'odd people',
      { ...BODY, contacts: [{ lastName: '', meta: { a: 1 }, smsNumber: 5 }] },
      ['contacts[0].lastName', 'contacts[0].meta.a', 'contacts[0].smsNumber'],
    ],
  ] as [string, unknown, string[]][]) {
    it(`with ${what} is refused, naming ${fields.join(', ')}`, () => {
      expect(Object.keys(check(newCheckin, body, true) ?? {}).sort()).to.deep.equal(fields)
    })
  }

  it('may leave out or empty what a person can be without', () => {
    const bare = { lastName: 'x', firstName: null, emailAddress: null, smsNumber: null, meta: null }
    const body = {
      ...BODY,
      partySize: 0,
      tz: '',
      contacts: [contact, { ...contact, firstName: '', smsNumber: '', meta: null }],
    }
    expect(readCheckin(parseJson(newCheckin, body))).to.deep.equal({
      location: 'cafe',
      partySize: 2,
      timezone: null,
      deviceKey: 'k',
      contacts: [bare, bare],
    })
    // What the Swift SDK sends when the system gave it no random bytes.
    expect(check(newCheckin, { ...BODY, deviceKey: '' }, true)).to.equal(undefined)
  })
})
