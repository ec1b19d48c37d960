import { expect } from 'chai'
import type { PushContent } from '../../../src/domain/gateways/gateway.ts'
import { gateways, type Platform, platforms } from '../../../src/domain/gateways/registry.ts'
import { objectOf } from '../../../src/platform/json/json.ts'

type Json = Record<string, unknown>

const PLAIN: PushContent = { notificationId: 42, title: 'T', message: 'M', background: false, ios: {}, android: {} }
const EXPIRES = Date.UTC(2100, 0, 1)

/** Returns what one gateway is sent: headers, and the payload with the JSON texts inside it read. */
function sentTo(platform: Platform, content: PushContent): Json {
  const { headers, payload } = gateways[platform].preview({ content, expiresAt: EXPIRES, replacementKey: 'n42' })
  return { headers, payload: unpacked(payload) }
}

/** SDKs for Android get `custom` as text, and Huawei's whole `data` is one text. */
function unpacked(value: unknown, key = ''): unknown {
  if (typeof value === 'string' && (key === 'custom' || (key === 'data' && value.startsWith('{'))))
    return unpacked(JSON.parse(value))
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, unpacked(one, name)]))
}

/** The paths at which `after` differs from `before`, with the values there. */
function differences(before: unknown, after: unknown, path = ''): Json {
  if (JSON.stringify(before) === JSON.stringify(after)) return {}
  const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)
  if (!isObject(before) || !isObject(after)) return { [path]: after }
  const keys = new Set([...Object.keys(before as Json), ...Object.keys(after as Json)])
  return Object.assign(
    {},
    ...[...keys].map((key) => differences(objectOf(before)[key], objectOf(after)[key], path ? `${path} ${key}` : key)),
  ) as Json
}

const BUTTONS = [
  { id: 'buy', text: 'Buy', icon: { type: 'system' as const, id: 'cart' } },
  { id: 'no', text: 'No', icon: { type: 'custom' as const, id: 'no-thanks' } },
  { id: 'later', text: 'Later' },
]

/** Rows: what changes in the request to a gateway; nothing changes for gateways that are not named. */
const ROWS: [string, Partial<PushContent>, Partial<Record<Platform, Json>>][] = [
  ['a subtitle', { ios: { subtitle: 'S' } }, { ios: { 'payload aps alert subtitle': 'S' } }],
  ['a thread', { ios: { threadId: 'order-7' } }, { ios: { 'payload aps thread-id': 'order-7' } }],
  ...(['passive', 'active', 'time-sensitive', 'critical'] as const).map((interruptionLevel): (typeof ROWS)[number] => [
    `the interruption level ${interruptionLevel}`,
    { ios: { interruptionLevel } },
    { ios: { 'payload aps interruption-level': interruptionLevel } },
  ]),
  ['a relevance of 1', { ios: { relevanceScore: 1 } }, { ios: { 'payload aps relevance-score': 1 } }],
  ['a relevance of 0', { ios: { relevanceScore: 0 } }, { ios: { 'payload aps relevance-score': 0 } }],
  [
    'the content to bring to the front',
    { ios: { targetContentId: 'window-1' } },
    { ios: { 'payload aps target-content-id': 'window-1' } },
  ],
  ['the priority 10, which is usual', { ios: { priority: 10 } }, {}],
  ['the priority 5', { ios: { priority: 5 } }, { ios: { 'headers apns-priority': '5' } }],
  ['the priority 1', { ios: { priority: 1 } }, { ios: { 'headers apns-priority': '1' } }],
  [
    'a critical sound',
    { ios: { sound: { critical: true, name: 'siren.caf', volume: 0.4 } } },
    { ios: { 'payload aps sound': { critical: 1, name: 'siren.caf', volume: 0.4 } } },
  ],
  [
    'a critical sound of the system',
    { ios: { sound: { critical: true } } },
    { ios: { 'payload aps sound': { critical: 1, name: 'default' } } },
  ],
  [
    'a critical sound that nobody hears',
    { ios: { sound: { critical: true, volume: 0 } } },
    { ios: { 'payload aps sound': { critical: 1, name: 'default', volume: 0 } } },
  ],
  [
    'a notification channel',
    { android: { channelId: 'orders' } },
    {
      android: { 'payload message data custom a k.channel': 'orders' },
      hcm: { 'payload message data custom a k.channel': 'orders' },
    },
  ],
  ['the usual importance', { android: { importance: 'default' } }, {}],
  [
    'a high importance',
    { android: { importance: 'high' } },
    {
      android: { 'payload message data custom a k.notificationType': 'important' },
      hcm: { 'payload message data custom a k.notificationType': 'important' },
    },
  ],
  [
    'buttons with icons',
    { buttons: BUTTONS },
    {
      ios: { 'payload custom a k.buttons': BUTTONS },
      android: { 'payload message data custom a k.buttons': BUTTONS },
      hcm: { 'payload message data custom a k.buttons': BUTTONS },
      web: { 'payload data k.buttons': BUTTONS },
    },
  ],
]

describe('what a push says', () => {
  for (const [what, change, expected] of ROWS) {
    it(`reaches each gateway in its own words: ${what}`, () => {
      const content = { ...PLAIN, ...change }
      for (const platform of platforms) {
        const found = differences(sentTo(platform, PLAIN), sentTo(platform, content))
        expect(found, platform).to.deep.equal(expected[platform] ?? {})
      }
    })
  }

  it('is nothing when nothing is shown: such a push only wakes the app', () => {
    const silent: PushContent = { ...PLAIN, title: '', message: '', background: true }
    const ios: PushContent['ios'] = {
      subtitle: 'S',
      threadId: 't',
      interruptionLevel: 'critical',
      relevanceScore: 1,
      targetContentId: 'w',
      priority: 10,
      sound: { critical: true },
    }
    expect(sentTo('ios', { ...silent, ios })).to.deep.equal(sentTo('ios', silent))
  })

  it('gives the SDK for iOS an icon of two texts and nothing else, whatever is stored', () => {
    const button = { id: 'a', text: 'b', icon: { type: 'system', id: 'cart', color: 1 }, more: 1 }
    const content = { ...PLAIN, buttons: [button] } as unknown as PushContent
    expect(differences(sentTo('ios', PLAIN), sentTo('ios', content))).to.deep.equal({
      'payload custom a k.buttons': [{ id: 'a', text: 'b', icon: { type: 'system', id: 'cart' } }],
    })
  })
})
