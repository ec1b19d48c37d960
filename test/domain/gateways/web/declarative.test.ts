import { expect } from 'chai'
import type { PushContent } from '../../../../src/domain/gateways/gateway.ts'
import { buildDeclarative } from '../../../../src/domain/gateways/web/declarative.ts'
import { buildWebPayload } from '../../../../src/domain/gateways/web/payload.ts'

const CONTENT: PushContent = { notificationId: 42, title: 'T', message: 'M', background: false, ios: {}, android: {} }
const ICON = 'https://example.com/i.png'

describe('what a client gets that reads declarative pushes', () => {
  it('is what the worker of the web SDK reads, and more', () => {
    const content = { ...CONTENT, url: 'https://example.com/a', data: { a: 1 } }
    const { web_push, mutable, notification, ...plain } = buildDeclarative(content, ICON)
    expect(plain).to.deep.equal(buildWebPayload(content, ICON))
    expect([web_push, mutable]).to.deep.equal([8030, true])
    expect(notification).to.deep.equal({
      title: 'T',
      body: 'M',
      navigate: 'https://example.com/a?knid=42',
      data: plain.data,
      icon: ICON,
    })
  })

  const ADDRESSES: [string | undefined, string][] = [
    [undefined, '/?knid=42'],
    ['', '/?knid=42'],
    ['https://x/a?b=1', 'https://x/a?b=1&knid=42'],
    ['https://x/a#b?c', 'https://x/a?knid=42#b?c'],
    ['/sale', '/sale?knid=42'],
    ['https://x/a?b=%20ä', 'https://x/a?b=%20ä&knid=42'],
  ]
  for (const [url, navigate] of ADDRESSES) {
    it(`opens ${navigate} for ${url ?? 'no address'}`, () => {
      expect(
        buildDeclarative({ ...CONTENT, ...(url !== undefined && { url }) }, undefined).notification.navigate,
      ).to.equal(navigate)
    })
  }

  it('has buttons with their addresses, the tag, the picture and the badge', () => {
    const { notification, app_badge, badge } = buildDeclarative(
      {
        ...CONTENT,
        buttons: [{ id: 'b', text: 'B' }],
        collapseId: 'order-7',
        ios: { badge: { type: 'setTo', count: 3 } },
        android: { pictureUrl: 'https://x/p.png' },
      },
      undefined,
    )
    expect(notification).to.deep.include({
      tag: 'order-7',
      image: 'https://x/p.png',
      app_badge: '3',
      actions: [{ action: 'b', title: 'B', navigate: '/?knid=42' }],
    })
    expect([app_badge, badge]).to.deep.equal([3, { type: 'setTo', count: 3 }])
  })

  it('leaves a number that grows to the worker, which knows the one before', () => {
    const payload = buildDeclarative({ ...CONTENT, ios: { badge: { type: 'incrementBy', count: 2 } } }, undefined)
    expect(payload.badge).to.deep.equal({ type: 'incrementBy', count: 2 })
    expect(payload.notification.data['k.badge']).to.deep.equal(payload.badge)
    expect(payload.data).to.not.have.property('k.badge')
    expect(payload).to.not.have.property('app_badge')
  })
})
