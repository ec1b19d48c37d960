import { expect } from 'chai'
import { buildApnsPayload } from '../../../src/domain/gateways/apns/payload.ts'
import { buildFcmMessage } from '../../../src/domain/gateways/fcm/payload.ts'
import type { PushContent } from '../../../src/domain/gateways/gateway.ts'

/** Pushes read the way the public client SDKs read them: what makes those throw or crash throws here. */

type Json = Record<string, unknown>

const NOW = Date.UTC(2026, 5, 1, 12)
const SMALLEST: PushContent = { notificationId: 42, title: 'T', message: 'M', background: false, ios: {}, android: {} }
const CONTENTS: Record<string, PushContent> = {
  'of the smallest notification': SMALLEST,
  'of the largest notification': {
    ...SMALLEST,
    url: 'https://example.com/a?b=c',
    data: { title: 'x', nested: { a: [1, null] } },
    background: true,
    collapseId: 'score',
    buttons: [{ id: 'yes', text: 'Yes' }],
    inAppMessageId: 7,
    ios: { sound: 'ding.aiff', badge: { type: 'incrementBy', count: 2 }, pictureUrl: 'https://example.com/p.png' },
    android: { highPriority: true, sound: 'ding.mp3', pictureUrl: 'https://example.com/p.png' },
  },
  'of one that only wakes the app': { ...SMALLEST, title: '', message: '', background: true },
  'of one that announces an in-app message': { ...SMALLEST, inAppMessageId: 7 },
}

function object(value: unknown, what: string): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`${what} is no object`)
  return value as Json
}

function integer(value: unknown, what: string): number {
  // org.json's getInt cuts what is wider, and a Swift cast refuses a text.
  if (typeof value !== 'number' || !Number.isInteger(value) || Math.abs(value) > 2 ** 31 - 1)
    throw new Error(`${what} is no int`)
  return value
}

function texts(list: unknown): void {
  for (const button of (list ?? []) as Json[]) {
    if (typeof button.id !== 'string' || typeof button.text !== 'string')
      throw new Error('a button is no pair of texts')
  }
}

/** KumulosNotificationService.swift, Kumulos+Push.swift (forced casts), KumulosHelper.swift, Kumulos+Push.m. */
function readAsApple(payload: unknown) {
  const sent = object(JSON.parse(JSON.stringify(payload)), 'the payload')
  const aps = object(sent.aps, 'aps')
  const custom = object(sent.custom, 'custom')
  const data = object(custom.a, 'a')
  const id = integer(object(object(data['k.message'], 'k.message').data, 'data').id, 'id')
  texts(data['k.buttons'])
  const picture = sent.attachments === undefined ? undefined : object(sent.attachments, 'attachments').pictureUrl
  // The first eight characters are taken without a look whether they are there.
  if (picture !== undefined && (typeof picture !== 'string' || picture.length < 8))
    throw new Error('the picture is too short')
  // Objective-C makes an address of whatever is there, and NSNull is none.
  if ('u' in custom && typeof custom.u !== 'string') throw new Error('u is no text')
  const link = data['k.deepLink'] as Json | undefined
  return {
    id,
    shown: aps.alert !== undefined,
    url: custom.u,
    wakes: aps['content-available'] === 1,
    inApp: link?.type === 1 ? integer(object(link.data, 'data').id, 'id') : undefined,
    ofOld: custom.i,
  }
}

/** FirebaseMessageHandler.java, PushMessage.java, PushBroadcastReceiver.java, MediaHelper.java; GcmListenerService.java of 2018. */
function readAsAndroid(message: { data: Record<string, string>; notification?: unknown }) {
  if (message.notification !== undefined) throw new Error('the system would show it, and the SDK would not see it')
  const { data } = message
  for (const [key, value] of Object.entries(data)) if (typeof value !== 'string') throw new Error(`${key} is no text`)
  const custom = object(JSON.parse(data.custom!), 'custom')
  const block = object(custom.a, 'a')
  const id = integer(object(object(block['k.message'], 'k.message').data, 'data').id, 'id')
  texts(block['k.buttons'])
  if (data.bicon !== undefined && data.bicon.length < 8) throw new Error('the picture is too short')
  const link = block['k.deepLink'] as Json | undefined
  return {
    id,
    shown: Boolean(data.title) && Boolean(data.alert),
    url: custom.u ?? undefined,
    wakes: data.bgn === '1' || link !== undefined,
    inApp: link?.type === 1 ? integer(object(link.data, 'data').id, 'id') : undefined,
    ofOld: custom.i,
  }
}

describe('pushes as the client SDKs read them', () => {
  for (const [what, content] of Object.entries(CONTENTS)) {
    const expected = {
      id: 42,
      shown: content.title !== '',
      url: content.url,
      wakes: content.background || content.inAppMessageId !== undefined,
      inApp: content.inAppMessageId,
      ofOld: '42',
    }
    it(`an APNs payload ${what}`, () => {
      expect(readAsApple(buildApnsPayload(content))).to.deep.equal(expected)
    })

    it(`an FCM message ${what}`, () => {
      const built = buildFcmMessage({ content, expiresAt: NOW + 3_600_000, replacementKey: 'r' }, NOW)
      expect(readAsAndroid(built)).to.deep.equal(expected)
    })
  }
})
