import { expect } from 'chai'
import type { PushContent, PushMessage } from '../../../../src/domain/gateways/gateway.ts'
import { checkHcm } from '../../../../src/domain/gateways/huawei/credentials.ts'
import {
  buildHcmMessage,
  collapseGroupOf,
  hcmBody,
  previewHcm,
  sizeOfHcm,
} from '../../../../src/domain/gateways/huawei/payload.ts'

const NOW = Date.UTC(2026, 5, 1, 12)
const message = (content: Partial<PushContent> = {}, expiresAt = NOW + 3_600_000): PushMessage => ({
  content: { notificationId: 7, title: 'T', message: 'M', background: false, ios: {}, android: {}, ...content },
  expiresAt,
  replacementKey: 'n7',
})
const build = (content?: Partial<PushContent>, expiresAt?: number) => buildHcmMessage(message(content, expiresAt), NOW)

describe('a message for Push Kit', () => {
  it('is one text that holds what the Android client reads', () => {
    const content = {
      url: 'https://example.com',
      data: { a: 1, 'k.x': 2 },
      background: true,
      inAppMessageId: 9,
      android: { pictureUrl: 'https://example.com/p.png', sound: 'bell.mp3' },
    }
    const { data, android } = build(content)
    const { custom, ...texts } = JSON.parse(data) as Record<string, string>
    expect(texts).to.deep.equal({
      title: 'T',
      alert: 'M',
      bgn: '1',
      bicon: 'https://example.com/p.png',
      sound: 'bell',
    })
    expect(JSON.parse(custom!)).to.deep.equal({
      a: { a: 1, 'k.message': { type: 1, data: { id: 7 } }, 'k.deepLink': { type: 1, data: { id: 9 } } },
      u: 'https://example.com',
      i: '7',
    })
    expect(android).to.deep.equal({ urgency: 'NORMAL', ttl: '3600s', bi_tag: 'n7' })
  })

  const rows: [string, Partial<PushContent>, number | undefined, object][] = [
    ['high priority is urgency', { android: { highPriority: true } }, undefined, { urgency: 'HIGH' }],
    ['a long life ends after 15 days', {}, NOW + 30 * 86_400_000, { ttl: '1296000s' }],
    ['what is just over still gets a second', {}, NOW - 1, { ttl: '1s' }],
  ]
  for (const [what, content, expiresAt, expected] of rows) {
    it(what, () => expect(build(content, expiresAt).android).to.include(expected))
  }

  it('a collapseId becomes one of a hundred groups, always the same; without one there is none', () => {
    const groups = Array.from({ length: 2000 }, (_, i) => collapseGroupOf(`key ${i}`))
    expect(Math.min(...groups)).to.equal(1)
    expect(Math.max(...groups)).to.equal(100)
    expect(build({ collapseId: 'x' }).android.collapse_key).to.equal(collapseGroupOf('x'))
    expect(build().android).to.not.have.property('collapse_key')
  })

  it('is measured without its tokens', () => {
    const built = build({ android: { highPriority: true } })
    const empty = Buffer.byteLength(hcmBody(built, []))
    expect(sizeOfHcm(built)).to.equal(empty + 'NORMAL'.length - 'HIGH'.length)
    expect(previewHcm(message({ message: 'é'.repeat(3000) }), NOW)).to.include({ limit: 4096 })
    expect(previewHcm(message({ message: 'é'.repeat(3000) }), NOW).bytes).to.be.greaterThan(6000)
  })
})

describe('a block for Push Kit', () => {
  const good: [string, unknown, string][] = [
    ['an integer', 101_234_567, '101234567'],
    ['the largest', Number.MAX_SAFE_INTEGER, '9007199254740991'],
  ]
  for (const [what, appId, id] of good) {
    it(`takes ${what} as appId and shows nothing else`, async () => {
      const result = await checkHcm({ appId, appIdPassword: 'abc' }, NOW)
      expect(result).to.deep.equal({
        credential: {
          secret: { appId: id, appIdPassword: 'abc' },
          facts: { appId: id, warnings: [] },
          sendable: true,
        },
      })
    })
  }

  const wrong: [string, unknown, string[]][] = [
    ['no object', 'x', ['']],
    ['nothing', {}, ['appId', 'appIdPassword']],
    ['a word', { appId: 'abc', appIdPassword: 's' }, ['appId']],
    ['a fraction', { appId: 1.5, appIdPassword: 's' }, ['appId']],
    ['zero', { appId: 0, appIdPassword: 's' }, ['appId']],
    ['its digits as text', { appId: '101234567', appIdPassword: 's' }, ['appId']],
    ['a number that lost digits', { appId: 2 ** 60, appIdPassword: 's' }, ['appId']],
    ['null', { appId: null, appIdPassword: null }, ['appId', 'appIdPassword']],
    ['an empty secret', { appId: 1, appIdPassword: '' }, ['appIdPassword']],
    ['a secret of two lines', { appId: 1, appIdPassword: 'a\nb' }, ['appIdPassword']],
    ['a number as secret', { appId: 1, appIdPassword: 5 }, ['appIdPassword']],
  ]
  for (const [what, block, fields] of wrong) {
    it(`refuses ${what}`, async () => {
      const result = await checkHcm(block, NOW)
      expect('errors' in result && Object.keys(result.errors)).to.have.members(fields)
    })
  }
})
