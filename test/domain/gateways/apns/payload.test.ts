import { expect } from 'chai'
import {
  buildApnsHeaders,
  buildApnsPayload,
  buildAppData,
  collapseIdOf,
} from '../../../../src/domain/gateways/apns/payload.ts'
import type { PushContent, PushMessage } from '../../../../src/domain/gateways/gateway.ts'

const content = (change: Partial<PushContent> = {}): PushContent => ({
  notificationId: 42,
  title: 'Title',
  message: 'Message',
  background: false,
  ios: {},
  android: {},
  ...change,
})

const message = (change: Partial<PushContent> = {}): PushMessage => ({
  content: content(change),
  expiresAt: 1_800_000_000_999,
  replacementKey: 'n42',
})

const SMALLEST = {
  aps: { alert: { title: 'Title', body: 'Message' }, sound: 'default', 'mutable-content': 1 },
  custom: { a: { 'k.message': { type: 1, data: { id: 42 } } }, i: '42' },
}

describe('an APNs payload', () => {
  it('of the smallest notification has the texts, the sound of the phone and the id', () => {
    expect(buildApnsPayload(content())).to.deep.equal(SMALLEST)
  })

  it('of the largest has everything in its place', () => {
    const built = buildApnsPayload(
      content({
        url: 'https://example.com/a',
        data: { colour: 'red', nested: { a: [1] } },
        background: true,
        buttons: [{ id: 'yes', text: 'Yes' }],
        inAppMessageId: 7,
        ios: {
          category: 'order',
          badge: { type: 'incrementBy', count: 2 },
          sound: 'ding.caf',
          pictureUrl: 'https://example.com/p.png',
        },
      }),
    )
    expect(built).to.deep.equal({
      aps: {
        alert: { title: 'Title', body: 'Message' },
        sound: 'ding.caf',
        badge: 2,
        category: 'order',
        'mutable-content': 1,
        'content-available': 1,
      },
      custom: {
        a: {
          colour: 'red',
          nested: { a: [1] },
          'k.message': { type: 1, data: { id: 42 } },
          'k.deepLink': { type: 1, data: { id: 7 } },
          'k.buttons': [{ id: 'yes', text: 'Yes' }],
        },
        u: 'https://example.com/a',
        i: '42',
        badge_inc: 2,
      },
      attachments: { pictureUrl: 'https://example.com/p.png' },
    })
  })

  const aps: [string, Partial<PushContent>, Record<string, unknown>][] = [
    ['a sound of none is left out', { ios: { sound: 'none' } }, { sound: undefined }],
    ['an empty sound is the sound of the phone', { ios: { sound: '' } }, { sound: 'default' }],
    ['a badge set to zero clears', { ios: { badge: { type: 'setTo', count: 0 } } }, { badge: 0 }],
    ['a badge cannot be set below zero', { ios: { badge: { type: 'setTo', count: -3 } } }, { badge: 0 }],
    // KumulosHelper.swift shows `aps.badge` as it is while it has no count of its own.
    [
      'a badge that is lowered is nothing where the app counted none',
      { ios: { badge: { type: 'incrementBy', count: -1 } } },
      { badge: 0 },
    ],
    ['a background handler wakes the app', { background: true }, { 'content-available': 1 }],
    ['an in-app message wakes the app', { inAppMessageId: 9 }, { 'content-available': 1 }],
  ]
  for (const [what, change, expected] of aps) {
    it(what, () => {
      const built: Record<string, unknown> = buildApnsPayload(content(change)).aps
      for (const [key, value] of Object.entries(expected)) expect(built[key], key).to.equal(value)
    })
  }

  it('lowers the badge of an app that counted', () => {
    const built = buildApnsPayload(content({ ios: { badge: { type: 'incrementBy', count: -3 } } }))
    expect([built.aps.badge, built.custom.badge_inc]).to.deep.equal([0, -3])
  })

  it('without texts and for the background shows and plays nothing', () => {
    const silent = message({
      title: '',
      message: '',
      background: true,
      ios: { sound: 'x', badge: { type: 'incrementBy', count: 1 }, pictureUrl: 'https://e/p.png', category: 'c' },
    })
    expect(buildApnsPayload(silent.content)).to.deep.equal({
      aps: { 'content-available': 1 },
      custom: { a: { 'k.message': { type: 1, data: { id: 42 } } }, i: '42' },
    })
    expect(buildApnsHeaders(silent)).to.include({ 'apns-push-type': 'background', 'apns-priority': '5' })
  })

  it('does not let data of the app take the place of ours', () => {
    const hostile: unknown = JSON.parse('{"k.message": 1, "k.x": 2, "__proto__": {"y": 1}, "constructor": 3, "kk": 4}')
    const data = buildAppData(content({ data: hostile as Record<string, unknown> }))
    expect(JSON.parse(JSON.stringify(data))).to.have.all.keys('k.message', 'constructor', 'kk', '__proto__')
    expect(data['k.message']).to.deep.equal({ type: 1, data: { id: 42 } })
    expect(Object.getPrototypeOf(data)).to.equal(Object.prototype)
  })
})

describe('APNs headers', () => {
  it('say type, priority, expiry in seconds and what to replace', () => {
    expect(buildApnsHeaders(message())).to.deep.equal({
      'apns-push-type': 'alert',
      'apns-priority': '10',
      'apns-expiration': '1800000000',
      'apns-collapse-id': 'n42',
    })
  })

  const rows: [string, Partial<PushContent>, string | RegExp][] = [
    ['is the wish of the caller', { collapseId: 'score' }, 'score'],
    ['is the replacement key without one', {}, 'n42'],
    ['is the replacement key for an empty wish', { collapseId: '' }, 'n42'],
    ['may hold blanks inside', { collapseId: 'a b' }, 'a b'],
    [
      'of an in-app message is the name that the client removes',
      { collapseId: 'x', inAppMessageId: 7 },
      'k-in-app-message:7',
    ],
    ['may have 64 bytes', { collapseId: 'x'.repeat(64) }, 'x'.repeat(64)],
    ['with 65 bytes becomes its hash', { collapseId: 'x'.repeat(65) }, /^[0-9a-f]{64}$/],
    ['that no header can carry becomes its hash', { collapseId: 'ä' }, /^[0-9a-f]{64}$/],
    ['with a line break becomes its hash', { collapseId: 'a\r\nb: c' }, /^[0-9a-f]{64}$/],
  ]
  for (const [what, change, expected] of rows) {
    it(`apns-collapse-id ${what}`, () => {
      const id = collapseIdOf(message(change))
      if (typeof expected === 'string') expect(id).to.equal(expected)
      else expect(id).to.match(expected)
      expect(collapseIdOf(message(change))).to.equal(id)
    })
  }
})
