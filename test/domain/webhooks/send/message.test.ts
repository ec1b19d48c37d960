import { expect } from 'chai'
import type { LoggedEvent } from '../../../../src/domain/followers/types.ts'
import { composeMessage, type EventJson, messageId } from '../../../../src/domain/webhooks/send/message.ts'

const event = (n: number, isPage = false) => ({ cursor: String(n), isPage }) as unknown as LoggedEvent
const present =
  (data: unknown) =>
  ({ cursor }: LoggedEvent): EventJson => ({ type: `type ${cursor}`, timestamp: 'now', data })
const sizeOf = (data: unknown) => Buffer.byteLength(JSON.stringify(present(data)(event(1))))

describe('the message of a webhook', () => {
  it('is the event itself where the webhook wants no batches', () => {
    const message = composeMessage({ max: 1, kind: 'live' }, present({ a: 1 }))
    expect(message.take(event(1))).to.equal(true)
    expect(message.take(event(2))).to.equal(false)
    expect(message.count).to.equal(1)
    const inner = { type: 'type 1', timestamp: 'now', data: { a: 1 } }
    expect(JSON.parse(message.body())).to.deep.equal({ ...inner, data: inner })
  })

  it('is a batch otherwise, also of one event, and says that it is a replay', () => {
    const message = composeMessage({ max: 2, kind: 'replay' }, present(null))
    message.take(event(1))
    expect(JSON.parse(message.body())).to.deep.include({ type: 'batch', replay: true })
    expect(message.take(event(2))).to.equal(true)
    expect(message.last).to.deep.include({ cursor: '2' })
    expect(message.take(event(3))).to.equal(false)
    expect(JSON.parse(message.body()).data).to.have.length(2)
  })

  it('ends before the event with which it would be too long; the first one is always in', () => {
    const size = sizeOf('ä')
    for (const [maxBytes, count] of [
      [1, 1],
      [size, 1],
      [2 * size - 1, 1],
      [2 * size, 2],
      [3 * size - 1, 2],
      [3 * size, 3],
    ] as const) {
      const message = composeMessage({ max: 10, kind: 'live', maxBytes }, present('ä'))
      for (let n = 1; n <= 3; n++) message.take(event(n))
      expect(message.count, `${maxBytes} bytes`).to.equal(count)
    }
  })

  it('has 256 KiB of events at most', () => {
    const quarter = 'x'.repeat(64 * 1024 - sizeOf(''))
    const message = composeMessage({ max: 10, kind: 'live' }, present(quarter))
    for (let n = 1; n <= 5; n++) message.take(event(n))
    expect(message.count).to.equal(4)
  })

  it('leaves out data of more than 64 KiB, but not that of a page', () => {
    const most = 'x'.repeat(64 * 1024 - sizeOf(''))
    const dataOf = (data: string, isPage = false) => {
      const message = composeMessage({ max: 1, kind: 'live' }, present(data))
      message.take(event(1, isPage))
      return JSON.parse(message.body()).data
    }
    expect(dataOf(most)).to.have.property('data', most)
    expect(dataOf(`${most}x`)).to.deep.equal({ type: 'type 1', timestamp: 'now', truncated: true })
    expect(dataOf(`${most}x`, true)).to.have.property('data', `${most}x`)
  })

  it('has an id of its cursors, another one for each replay', () => {
    expect(messageId(7, undefined, '00010', '0')).to.equal('evt_7_10-0')
    expect(messageId(7, 0, '00010', '00')).to.equal('evt_7r0_10-0')
  })
})
