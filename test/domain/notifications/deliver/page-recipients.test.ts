import { expect } from 'chai'
import type { Recipient } from '../../../../src/domain/crm/types.ts'
import { PLATFORM_TYPES } from '../../../../src/domain/gateways/registry.ts'
import { BufferMemory } from '../../../../src/domain/notifications/deliver/buffer-memory.ts'
import { PageRecipients } from '../../../../src/domain/notifications/deliver/page-recipients.ts'

const IOS = PLATFORM_TYPES.ios

describe('the recipients of a page', () => {
  const recipient = (row: number, more: Partial<Recipient> = {}): Recipient => ({
    row,
    platform: IOS,
    token: `token-${row}`,
    tokenKeys: null,
    environment: null,
    topic: null,
    subscribed: true,
    tokenAt: null,
    refusals: 0,
    runsIn: null,
    ...more,
  })

  it('are as they were read', () => {
    const found = [
      recipient(1, { environment: 'sandbox', topic: 'com.example.app', tokenAt: 7 }),
      recipient(2),
      recipient(5, { refusals: 2, tokenKeys: '{}', tokenAt: 0 }),
    ]
    const page = new PageRecipients([1, 2, 5], found, IOS)
    expect([0, 1, 2].map((slot) => page.recipient(slot))).to.deep.equal(found)
    expect([0, 1, 2].map((slot) => page.refusalsOf(slot))).to.deep.equal([0, 0, 2])
    expect([0, 1, 2].map((slot) => page.at(slot))).to.deep.equal([
      { token: 'token-1', environment: 'sandbox', topic: 'com.example.app', registeredAt: 7 },
      { token: 'token-2' },
      { token: 'token-5', keys: '{}', registeredAt: 0 },
    ])
  })

  it('can receive nothing when they are gone, unsubscribed, without a token or on another platform', () => {
    const found = [
      recipient(2, { subscribed: false }),
      recipient(3, { token: null, platform: null, subscribed: false }),
      recipient(4, { platform: PLATFORM_TYPES.android }),
      recipient(5),
    ]
    const page = new PageRecipients([1, 2, 3, 4, 5], found, IOS)
    expect([0, 1, 2, 3, 4].map((slot) => page.canReceive(slot))).to.deep.equal([false, false, false, false, true])
    expect(page.at(0)).to.equal(undefined)
    expect(page.recipient(1)).to.equal(undefined)
    expect(page.at(4)).to.deep.equal({ token: 'token-5' })
  })

  it('keep tokens of any characters', () => {
    const tokens = ['plain', 'grün', '\u{1f514}', '']
    const found = tokens.map((token, row) => recipient(row + 1, { token }))
    const page = new PageRecipients([1, 2, 3, 4], found, IOS)
    expect(tokens.map((_, slot) => page.at(slot)!.token)).to.deep.equal(tokens)
  })

  it('use the memory of a page before them when that has been released', () => {
    const memory = new BufferMemory()
    const first = new PageRecipients([1, 2], [recipient(1), recipient(2)], IOS, { memory })
    const second = new PageRecipients([3], [recipient(3)], IOS, { memory })
    expect(first.at(1)).to.deep.equal({ token: 'token-2' })
    first.release()
    const third = new PageRecipients([4], [recipient(4)], IOS, { memory })
    expect([second.at(0)!.token, third.at(0)!.token]).to.deep.equal(['token-3', 'token-4'])
  })
})
