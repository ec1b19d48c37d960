import { createHash } from 'node:crypto'
import { expect } from 'chai'
import type { PushContent, PushMessage } from '../../../../src/domain/gateways/gateway.ts'
import { buildWebHeaders, buildWebPayload, previewWeb, topicOf } from '../../../../src/domain/gateways/web/payload.ts'

const NOW = Date.UTC(2026, 5, 1, 12)
const CONTENT: PushContent = { notificationId: 42, title: 'T', message: 'M', background: false, ios: {}, android: {} }
const message = (content: Partial<PushContent> = {}, expiresAt = NOW + 3_600_500): PushMessage => ({
  content: { ...CONTENT, ...content },
  expiresAt,
  replacementKey: 'n42',
})
const hash = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 32)

describe('what browsers get', () => {
  it('is what the service worker reads, and nothing else', () => {
    const full = {
      ...CONTENT,
      url: 'https://example.com/a',
      data: { a: 1, 'k.message': 'mine' },
      buttons: [{ id: 'b', text: 'B' }],
    }
    expect(
      buildWebPayload({ ...full, android: { pictureUrl: 'https://example.com/p.png' } }, 'https://example.com/i.png'),
    ).to.deep.equal({
      title: 'T',
      msg: 'M',
      data: { a: 1, 'k.message': { type: 1, data: { id: 42 } }, 'k.buttons': [{ id: 'b', text: 'B' }] },
      url: 'https://example.com/a',
      image: 'https://example.com/p.png',
      icon: 'https://example.com/i.png',
    })
  })

  const pictures: [string, Partial<PushContent>, string | null][] = [
    ['none', {}, null],
    ["Android's", { android: { pictureUrl: 'http://x/a' }, ios: { pictureUrl: 'http://x/i' } }, 'http://x/a'],
    ["Apple's, when there is no other", { ios: { pictureUrl: 'https://x/i' } }, 'https://x/i'],
    ['not a path of the media server', { android: { pictureUrl: 'pictures/a.png' } }, null],
  ]
  for (const [name, content, image] of pictures) {
    it(`shows as its picture ${name}`, () => {
      expect(buildWebPayload({ ...CONTENT, ...content }, undefined)).to.include({ image, icon: null, url: null })
    })
  }

  it('says nulls where there is nothing', () => {
    expect(buildWebPayload({ ...CONTENT, url: '' }, undefined)).to.include({ url: null, image: null, icon: null })
  })

  const lives: [string, number, string][] = [
    ['whole seconds', NOW + 3_600_500, '3600'],
    ['nothing when it is over', NOW - 1, '0'],
    ['four weeks at most', NOW + 90 * 86_400_000, '2419200'],
  ]
  for (const [name, expiresAt, ttl] of lives) {
    it(`lives ${name}`, () => expect(buildWebHeaders(message({}, expiresAt), NOW).ttl).to.equal(ttl))
  }

  it('is urgent only when the sender says so', () => {
    expect(buildWebHeaders(message(), NOW).urgency).to.equal('normal')
    expect(buildWebHeaders(message({ android: { highPriority: true } }), NOW).urgency).to.equal('high')
  })

  const topics: [string, Partial<PushContent>, string][] = [
    ['the replacement key', {}, 'n42'],
    ['a collapse id that fits', { collapseId: 'Score7' }, 'Score7'],
    ['the longest that fits', { collapseId: 'a'.repeat(32) }, 'a'.repeat(32)],
    ['a hash of a longer one', { collapseId: 'a'.repeat(33) }, hash('a'.repeat(33))],
    ['a hash of one with a dash', { collapseId: 'score-7' }, hash('score-7')],
    ['a hash of one in another script', { collapseId: 'счёт' }, hash('счёт')],
    ['a hash of the in-app message', { inAppMessageId: 9, collapseId: 'x' }, hash('k-in-app-message:9')],
  ]
  for (const [name, content, topic] of topics) {
    it(`has as its topic ${name}`, () => expect(topicOf(message(content))).to.equal(topic))
  }

  it('is previewed with its size and the limit', () => {
    const preview = previewWeb(message(), NOW)
    expect(preview).to.deep.include({ limit: 3993, bytes: JSON.stringify(preview.payload).length })
    expect(preview.headers).to.have.all.keys('content-type', 'content-encoding', 'ttl', 'urgency', 'topic')
  })
})
