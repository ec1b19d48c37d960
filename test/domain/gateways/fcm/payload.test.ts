import { expect } from 'chai'
import { buildFcmMessage, sizeOfData } from '../../../../src/domain/gateways/fcm/payload.ts'
import type { PushContent } from '../../../../src/domain/gateways/gateway.ts'

const NOW = Date.UTC(2026, 5, 1, 12)

function build(change: Partial<PushContent> = {}, expiresAt = NOW + 3_600_000) {
  const content = { notificationId: 42, title: 'T', message: 'M', background: false, ios: {}, android: {}, ...change }
  return buildFcmMessage({ content, expiresAt, replacementKey: 'r' }, NOW)
}

describe('an FCM message', () => {
  it('of the smallest notification is data only', () => {
    expect(build()).to.deep.equal({
      data: {
        title: 'T',
        alert: 'M',
        custom: JSON.stringify({ a: { 'k.message': { type: 1, data: { id: 42 } } }, u: null, i: '42' }),
      },
      android: { priority: 'normal', ttl: '3600s' },
    })
  })

  it('of the largest has everything in its place, and only text in data', () => {
    const { data, android } = build({
      url: 'https://example.com/a',
      data: { from: 'x', 'google.y': 1 },
      background: true,
      collapseId: 'score',
      buttons: [{ id: 'yes', text: 'Yes' }],
      inAppMessageId: 7,
      android: { highPriority: true, sound: 'ding.mp3', pictureUrl: 'https://example.com/p.png' },
    })
    expect(data).to.include({ bgn: '1', bicon: 'https://example.com/p.png', sound: 'ding' })
    expect(data).to.have.all.keys('title', 'alert', 'custom', 'bgn', 'bicon', 'sound')
    for (const value of Object.values(data)) expect(value).to.be.a('string')
    expect(JSON.parse(data['custom']!)).to.deep.equal({
      a: {
        from: 'x',
        'google.y': 1,
        'k.message': { type: 1, data: { id: 42 } },
        'k.deepLink': { type: 1, data: { id: 7 } },
        'k.buttons': [{ id: 'yes', text: 'Yes' }],
      },
      u: 'https://example.com/a',
      i: '42',
    })
    expect(android).to.deep.equal({ priority: 'high', ttl: '3600s', collapse_key: 'score' })
  })

  const sounds: [string | undefined, string | undefined][] = [
    [undefined, undefined],
    ['', undefined],
    ['none', undefined],
    ['ding', 'ding'],
    ['ding.mp3', 'ding'],
    ['raw/ding.v2.ogg', 'ding.v2'],
    ['.mp3', undefined],
  ]
  for (const [sound, expected] of sounds) {
    it(`has the sound ${expected} for ${sound}`, () => {
      expect(build({ android: sound === undefined ? {} : { sound } }).data['sound']).to.equal(expected)
    })
  }

  it('leaves out a picture that the client would not take', () => {
    expect(build({ android: { pictureUrl: 'a.png' } }).data).not.to.have.property('bicon')
    expect(build({ android: { pictureUrl: 'abcd.png' } }).data).to.have.property('bicon')
  })

  const lives: [number, string][] = [
    [NOW + 1999, '1s'],
    [NOW, '0s'],
    [NOW - 5000, '0s'],
    [NOW + 1e12, '2419200s'],
  ]
  for (const [expiresAt, ttl] of lives) {
    it(`lives ${ttl} when it expires ${expiresAt - NOW} ms from now`, () => {
      expect(build({}, expiresAt).android.ttl).to.equal(ttl)
    })
  }

  it('is measured in bytes of keys and values', () => {
    expect(sizeOfData({ data: { ä: 'öü', b: 'c' }, android: { priority: 'normal', ttl: '0s' } })).to.equal(8)
  })
})
