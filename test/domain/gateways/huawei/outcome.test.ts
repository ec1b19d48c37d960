import { expect } from 'chai'
import { readHcmToken, readHcmTokenRefusal } from '../../../../src/domain/gateways/huawei/oauth.ts'
import { type HcmAnswer, readHcmReply } from '../../../../src/domain/gateways/huawei/outcome.ts'

const NOW = Date.UTC(2026, 5, 1, 12)
const TOKENS = ['token-a', 'token-b', 'token-c']

function read(status: number, body: unknown, headers: Record<string, string> = {}): HcmAnswer {
  return readHcmReply({ status, headers, body: typeof body === 'string' ? body : JSON.stringify(body) }, TOKENS, NOW)
}

describe('an answer of Push Kit', () => {
  const codes: [string, string, string | undefined, boolean?][] = [
    ['80000000', 'accepted', undefined],
    ['80100001', 'payload_error', undefined, false],
    ['80100002', 'payload_error', undefined, false],
    ['80100003', 'payload_error', undefined, true],
    ['80100018', 'payload_error', undefined, true],
    ['80100004', 'payload_error', undefined, true],
    ['80100013', 'payload_error', undefined, true],
    ['80100016', 'payload_error', undefined, true],
    ['80100017', 'throttled_gateway', undefined],
    ['80200001', 'config_error', 'token'],
    ['80200003', 'config_error', 'token'],
    ['80300002', 'config_error', undefined],
    ['80300007', 'token_suspect', undefined],
    ['80300008', 'payload_error', undefined, true],
    ['80300010', 'payload_error', 'halves', false],
    ['80300011', 'config_error', 'normal'],
    ['80600003', 'gateway_down', undefined],
    ['81000001', 'gateway_down', undefined],
    // Codes that nobody has told us of.
    ['80100099', 'payload_error', undefined, false],
    ['80200099', 'config_error', undefined],
    ['80300099', 'config_error', undefined],
    ['80900099', 'gateway_down', undefined],
  ]
  for (const [code, kind, again, everyone] of codes) {
    it(`${code} is ${kind}, with whatever status and as a number too`, () => {
      for (const status of [200, 400, 401, 500, 503]) {
        for (const value of [code, Number(code)]) {
          const answer = read(status, { code: value, msg: 'words', requestId: 'r1' })
          expect(answer.outcome.kind).to.equal(kind)
          expect(answer.again).to.equal(again)
          expect(answer.refused).to.equal(undefined)
          if (answer.outcome.kind === 'accepted') expect(answer.outcome.providerId).to.equal('r1')
          else expect(answer.outcome.reason).to.equal(`${code}: words`)
          if (answer.outcome.kind === 'payload_error') expect(answer.outcome.everyone).to.equal(everyone)
        }
      }
    })
  }

  const statuses: [number, string, string | undefined][] = [
    [200, 'uncertain', undefined],
    [400, 'payload_error', undefined],
    [401, 'config_error', 'token'],
    [403, 'config_error', undefined],
    [404, 'config_error', undefined],
    [302, 'config_error', undefined],
    [413, 'payload_error', undefined],
    [429, 'throttled_gateway', undefined],
    [500, 'gateway_down', undefined],
    [502, 'gateway_down', undefined],
    [503, 'throttled_gateway', undefined],
  ]
  for (const [status, kind, again] of statuses) {
    it(`HTTP ${status} without a usable code is ${kind}`, () => {
      for (const body of ['', '<html>', '{"code":null}', '[]', '{"code":"nonsense"}', '{"co']) {
        const answer = read(status, body)
        expect(answer.outcome.kind).to.equal(kind)
        expect(answer.again).to.equal(again)
      }
    })
  }

  it('Retry-After is heeded, in seconds and as a date', () => {
    expect(read(503, '', { 'retry-after': '7' }).outcome).to.include({ kind: 'throttled_gateway', afterMs: 7000 })
    const at = new Date(NOW + 20_000).toUTCString()
    expect(read(500, { code: '81000001' }, { 'retry-after': at }).outcome).to.include({ afterMs: 20_000 })
  })

  describe('that some tokens were illegal', () => {
    const partly = (msg: unknown) => read(200, { code: '80100000', msg, requestId: 'r' })
    const rows: [string, unknown, string[]][] = [
      ['as documented', JSON.stringify({ success: 2, failure: 1, illegal_tokens: ['token-b'] }), ['token-b']],
      ['with a token that is not ours', JSON.stringify({ illegal_tokens: ['token-b', 'other'] }), ['token-b']],
      ['as an object', { success: 2, failure: 1, illegal_tokens: ['token-c'] }, ['token-c']],
      ['as text in the list', JSON.stringify({ illegal_tokens: 'token-a,token-b' }), ['token-a', 'token-b']],
      ['in words', 'illegal tokens: [token-a, token-bb]', ['token-a']],
      ['in JSON that is cut', '{"success":2,"illegal_tokens":["token-a","tok', ['token-a']],
      ['without a list', '{"success":2,"failure":1}', []],
      ['without anything', undefined, []],
    ]
    for (const [what, msg, refused] of rows) {
      it(`${what}: the others are accepted and nobody is sent to again`, () => {
        const answer = partly(msg)
        expect(answer.outcome).to.deep.equal({ kind: 'accepted', providerId: 'r' })
        expect([...answer.refused!]).to.deep.equal(refused)
        expect(answer.again).to.equal(undefined)
      })
    }
    for (const success of [0, '0']) {
      it(`a count of ${JSON.stringify(success)} who got it means nobody did`, () => {
        expect(partly(JSON.stringify({ success, failure: 3, illegal_tokens: [] })).outcome.kind).to.equal(
          'token_suspect',
        )
      })
    }
    for (const success of [null, false, [], '', ' ', 'none', {}]) {
      it(`a count that reads ${JSON.stringify(success)} says nothing: only those who are listed did not get it`, () => {
        const answer = partly(JSON.stringify({ success, illegal_tokens: ['token-b'] }))
        expect(answer.outcome.kind).to.equal('accepted')
        expect([...answer.refused!]).to.deep.equal(['token-b'])
      })
    }
  })
})

describe("an answer of Huawei's token server", () => {
  const reply = (status: number, body: string, headers = {}) => ({ status, body, headers })

  it('gives a token with slashes as it was meant', () => {
    expect(readHcmToken(reply(200, '{"access_token":"CF\\/ab+c=","expires_in":3600}'))).to.deep.equal({
      token: 'CF/ab+c=',
      lifeMs: 3_600_000,
    })
    expect(readHcmToken(reply(200, '{"access_token":"a"}'))).to.deep.equal({ token: 'a', lifeMs: 3_600_000 })
  })

  for (const body of ['', '{}', '{"access_token":""}', '{"access_token":"a\\r\\nb"}', '{"access_token":5}']) {
    it(`${JSON.stringify(body)} holds none`, () => expect(readHcmToken(reply(200, body))).to.equal(undefined))
  }

  const refusals: [number, string, string, RegExp][] = [
    [400, '{"error":1203,"sub_error":20041,"error_description":"bad"}', 'config_error', /1203 20041 bad/],
    [403, '', 'config_error', /HTTP 403/],
    [429, '', 'throttled_gateway', /HTTP 429/],
    [503, '', 'throttled_gateway', /HTTP 503/],
    [500, '', 'gateway_down', /HTTP 500/],
  ]
  for (const [status, body, kind, reason] of refusals) {
    it(`${status} is ${kind}`, () => {
      const outcome = readHcmTokenRefusal(reply(status, body), NOW)
      expect(outcome.kind).to.equal(kind)
      expect('reason' in outcome && outcome.reason).to.match(reason)
    })
  }
})
