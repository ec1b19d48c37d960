import { expect } from 'chai'
import type { PushContent } from '../../../../src/domain/gateways/gateway.ts'
import {
  buildSafariPayload,
  previewSafari,
  refusalOf,
  urlArgOf,
  urlFormatOf,
} from '../../../../src/domain/gateways/safari/payload.ts'

const SITE = 'https://shop.example/start?from=push'
const content = (change: Partial<PushContent> = {}): PushContent => ({
  notificationId: 5,
  title: 'T',
  message: 'M',
  background: false,
  ios: {},
  android: {},
  ...change,
})

describe('the address that a website push opens', () => {
  const rows: [string, string | undefined, string][] = [
    ['nothing: the website', undefined, 'https://shop.example/start?from=push&knid=5'],
    ['a page', 'https://shop.example/sale', 'https://shop.example/sale?knid=5'],
    ['the front page', 'https://shop.example', 'https://shop.example/?knid=5'],
    ['a query', 'https://shop.example/a?x=1&y=%26', 'https://shop.example/a?x=1&y=%26&knid=5'],
    ['a fragment, behind the query', 'https://shop.example/a?x=1#part', 'https://shop.example/a?x=1&knid=5#part'],
    [
      'an id of its own, which is not ours',
      'https://shop.example/a?knid=9&x=1&knid',
      'https://shop.example/a?x=1&knid=5',
    ],
    ['another word that begins so', 'https://shop.example/a?knidx=9', 'https://shop.example/a?knidx=9&knid=5'],
    ['a path alone', '/sale/1', 'https://shop.example/sale/1?knid=5'],
    [
      'letters of everywhere',
      'https://shop.example/schön/日?q=ü',
      'https://shop.example/sch%C3%B6n/%E6%97%A5?q=%C3%BC&knid=5',
    ],
    [
      'two slashes, which stay on the website',
      'https://shop.example//evil.example/',
      'https://shop.example//evil.example/?knid=5',
    ],
    ['http of the same host', 'http://shop.example/sale', 'https://shop.example/sale?knid=5'],
    ['another host: the website', 'https://evil.example/sale', 'https://shop.example/start?from=push&knid=5'],
    ['a subdomain: the website', 'https://www.shop.example/', 'https://shop.example/start?from=push&knid=5'],
    ['another port: the website', 'https://shop.example:8443/', 'https://shop.example/start?from=push&knid=5'],
    ['no scheme, another host', '//evil.example/x', 'https://shop.example/start?from=push&knid=5'],
    ['an app: the website', 'shop://sale', 'https://shop.example/start?from=push&knid=5'],
    ['script: the website', 'javascript:alert(1)', 'https://shop.example/start?from=push&knid=5'],
    ['holes', 'https://shop.example/%@?a=%@', 'https://shop.example/%25@?a=%25@&knid=5'],
    ['what only browsers read', 'https://shop.example/100%?a=b|c', 'https://shop.example/100%25?a=b%7Cc&knid=5'],
  ]
  for (const [what, url, opened] of rows) {
    it(`for ${what}`, () => {
      const arg = urlArgOf({ ...(url !== undefined && { url }), notificationId: 5 }, SITE)
      expect(urlFormatOf(SITE).replace('%@', () => arg)).to.equal(opened)
      expect(new URL(opened).searchParams.get('knid')).to.equal('5')
    })
  }

  it('has one hole, whatever the website', () => {
    for (const site of [SITE, 'http://localhost:3000/%@', 'https://bücher.example/a%20b']) {
      expect(urlFormatOf(site).split('%@')).to.have.length(2)
      expect(urlFormatOf(site)).to.match(/^https?:\/\/[a-z0-9.:-]+\/%@$/)
    }
  })
})

describe('the payload of a website push', () => {
  const website = { siteUrl: SITE, websiteName: 'Shop' }

  it('has a title, a text and what fills the hole, and nothing else', () => {
    const full = content({
      data: { a: 1 },
      buttons: [{ id: 'b', text: 'B' }],
      ios: { badge: { type: 'setTo', count: 1 } },
    })
    expect(buildSafariPayload(full, website)).to.deep.equal({
      aps: { alert: { title: 'T', body: 'M' }, 'url-args': ['start?from=push&knid=5'] },
    })
  })

  it('is titled with the name of the website when the content has no title', () => {
    expect(buildSafariPayload(content({ title: '' }), website).aps.alert).to.deep.equal({ title: 'Shop', body: 'M' })
  })

  it('is refused for everybody when there is nothing to show', () => {
    const silent = { title: '', message: '' }
    expect(refusalOf(content({ ...silent, background: true }))).to.include({ kind: 'payload_error', everyone: true })
    expect(refusalOf(content({ ...silent, inAppMessageId: 3 }))).to.include({ kind: 'payload_error', everyone: true })
    expect(refusalOf(content({ background: true }))).to.equal(undefined)
  })

  it('is measured before it is sent', () => {
    const preview = previewSafari({
      content: content({ url: 'https://shop.example/sale', message: 'ü'.repeat(2500) }),
      expiresAt: 1_790_000_000_000,
      replacementKey: 'n5',
    })
    expect(preview.bytes).to.be.greaterThan(preview.limit)
    expect(preview.payload).to.have.nested.property('aps.url-args').that.deep.equals(['sale?knid=5'])
    expect(preview.headers).to.include({ 'apns-push-type': 'alert', 'apns-priority': '10' })
  })
})
