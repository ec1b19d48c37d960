import { expect } from 'chai'
import { type RequestParts, requestEndpoint, sendTestMessage } from '../../../../src/domain/webhooks/send/request.ts'
import { HttpFailure } from '../../../../src/platform/net/http-exchange.ts'
import { testClock } from '../../../support/clock.ts'

type Send = RequestParts['send']
type Asked = Parameters<Send>[0]

describe('a request to an endpoint', () => {
  const ENDPOINT = { url: 'https://hooks.example.com/', secrets: [`whsec_${Buffer.alloc(32, 1).toString('base64')}`] }

  /** The result of an answer, and what was asked. */
  async function resultOf(answer: () => Partial<Awaited<ReturnType<Send>>>) {
    const asked: Asked[] = []
    const clock = testClock()
    const send = (async (request: Asked) => {
      asked.push(request)
      clock.advance(7)
      return { headers: {}, body: Buffer.alloc(0), ...answer() }
    }) as unknown as Send
    const parts = { send, clock, allowPrivate: false, ca: ['pem'] }
    return { asked, result: await requestEndpoint(parts, ENDPOINT, 'msg_1', '{}'), parts }
  }

  const REDIRECT = ': redirects are not followed, give the final address'
  const rows: [status: number, reason: string | null][] = [
    [199, 'answered 199'],
    [200, null],
    [204, null],
    [299, null],
    [300, `answered 300${REDIRECT}`],
    [399, `answered 399${REDIRECT}`],
    [400, 'answered 400'],
    [410, 'answered 410'],
    [503, 'answered 503'],
  ]
  for (const [status, reason] of rows) {
    it(`that is answered with ${status} ${reason === null ? 'is a success' : `says ${reason}`}`, async () => {
      const { result } = await resultOf(() => ({ status }))
      expect(result).to.deep.equal({ status, reason, retryAfterMs: undefined, tookMs: 7 })
    })
  }

  it('waits as long as it is asked to, a day at most', async () => {
    const waitOf = async (text: string) =>
      (await resultOf(() => ({ status: 429, headers: { 'retry-after': text } }))).result.retryAfterMs
    expect(await waitOf('3')).to.equal(3000)
    expect(await waitOf('90000')).to.equal(86_400_000)
  })

  it('that fails on its way says how, and a fault of ours is thrown', async () => {
    const { result } = await resultOf(() => {
      throw new HttpFailure('unreachable', 'nobody listens')
    })
    expect(result).to.deep.equal({ status: null, reason: 'nobody listens', retryAfterMs: undefined, tookMs: 7 })
    const bug = await resultOf(() => {
      throw new TypeError('a bug')
    }).catch((error: unknown) => error)
    expect(bug).to.be.instanceOf(TypeError)
  })

  it('is a signed POST of JSON, to public addresses, of which little is read', async () => {
    const { asked, parts } = await resultOf(() => ({ status: 200 }))
    expect(asked[0]).to.deep.include({
      method: 'POST',
      url: ENDPOINT.url,
      body: '{}',
      ca: ['pem'],
      allowPrivate: false,
    })
    expect(asked[0]).to.deep.include({ largestReply: 4096, deadlineMs: 15_000 })
    const { headers } = asked[0] as { headers: Record<string, string> }
    expect(headers).to.include({ 'content-type': 'application/json', 'user-agent': 'appsvc', 'webhook-id': 'msg_1' })
    expect(headers).to.have.property('webhook-signature').that.matches(/^v1,/)
    await sendTestMessage(parts, ENDPOINT, 5)
    expect(JSON.parse(String(asked[1]!.body))).to.deep.equal({
      type: 'appsvc.test',
      timestamp: '2026-03-01T12:00:00+0000',
      data: { webhook: 5 },
    })
  })
})
