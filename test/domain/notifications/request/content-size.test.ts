import { expect } from 'chai'
import { gateways } from '../../../../src/domain/gateways/registry.ts'
import { judgePayloads, judgeSize, SURELY_FITS } from '../../../../src/domain/notifications/request/content-size.ts'
import type { StoredContent } from '../../../../src/domain/notifications/types.ts'

describe('content that surely fits', () => {
  const previewers = Object.values(gateways)
  const sizeOf = (content: StoredContent) => Buffer.byteLength(JSON.stringify(content))
  /** Texts that JSON, and JSON within JSON, make longer. */
  const CHARACTERS = ['a', '"', '\\', '\n', '\u0001', 'é', '漢', '😀', '<', '\u2028', '/']
  let seed = 7
  const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below

  /** Makes as much content as just fits: one kind of character in the fields that a request can fill. */
  function fullOf(character: string): StoredContent {
    let content: StoredContent = { title: '', message: '', background: random(2) === 0, ios: {}, android: {} }
    const fill: ((text: string) => Partial<StoredContent>)[] = [
      (title) => ({ title }),
      (message) => ({ message }),
      (text) => ({ data: { [text.slice(0, 20)]: { deep: [text, 1, null] } } }),
      (text) => ({ ios: { sound: text, category: text, subtitle: text, threadId: text } }),
      (text) => ({ android: { sound: text, channelId: text } }),
    ]
    for (let tries = 0; tries < 200; tries++) {
      const more = { ...content, ...fill[random(fill.length)]!(character.repeat(1 + random(60))) }
      if (sizeOf(more) <= SURELY_FITS) content = more
    }
    return content
  }

  it('is within the limit of every gateway', () => {
    for (let i = 0; i < 500; i++) {
      const content = fullOf(CHARACTERS[i % CHARACTERS.length]!)
      expect(judgePayloads(content, previewers, 1), JSON.stringify(content)).to.eql([])
    }
  })

  it('is the only content that is not measured', () => {
    const content = { title: 'T', message: 'x'.repeat(5000), background: false, ios: {}, android: {} }
    expect(judgeSize(content, previewers, 1).map(({ platform }) => platform)).to.include.members(['ios', 'android'])
  })
})
