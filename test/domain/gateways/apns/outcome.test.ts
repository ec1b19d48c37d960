import { expect } from 'chai'
import { readApnsReply } from '../../../../src/domain/gateways/apns/outcome.ts'
import type { Outcome } from '../../../../src/domain/gateways/gateway.ts'

const NOW = Date.UTC(2026, 5, 1, 12)

const read = (status: number, body: unknown = '', headers: Record<string, string> = {}) =>
  readApnsReply({ status, headers, body: typeof body === 'string' ? body : JSON.stringify(body) }, NOW)

describe('an answer of APNs', () => {
  const reasons: [number, string, Outcome['kind'], boolean?][] = [
    [400, 'BadDeviceToken', 'token_suspect'],
    [400, 'DeviceTokenNotForTopic', 'token_suspect'],
    [400, 'MissingDeviceToken', 'payload_error', false],
    [404, 'BadPath', 'payload_error', false],
    [405, 'MethodNotAllowed', 'payload_error', true],
    [400, 'DuplicateHeaders', 'payload_error', true],
    [400, 'MissingTopic', 'payload_error', false],
    [400, 'BadMessageId', 'payload_error', false],
    [400, 'BadCollapseId', 'payload_error', true],
    [400, 'BadExpirationDate', 'payload_error', true],
    [400, 'BadPriority', 'payload_error', true],
    [400, 'InvalidPushType', 'payload_error', true],
    [400, 'PayloadEmpty', 'payload_error', true],
    [400, 'BadTopic', 'config_error'],
    [400, 'TopicDisallowed', 'config_error'],
    [400, 'IdleTimeout', 'gateway_down'],
    [403, 'BadCertificate', 'config_error'],
    [403, 'BadCertificateEnvironment', 'config_error'],
    [403, 'Forbidden', 'config_error'],
    [403, 'InvalidProviderToken', 'config_error'],
    [403, 'MissingProviderToken', 'config_error'],
    [403, 'ExpiredProviderToken', 'config_error'],
    [403, 'UnrelatedKeyIdInToken', 'config_error'],
    [403, 'BadEnvironmentKeyIdInToken', 'config_error'],
    [403, 'BadEnvironmentKeyInToken', 'config_error'],
    [410, 'Unregistered', 'token_dead'],
    [410, 'ExpiredToken', 'token_dead'],
    [413, 'PayloadTooLarge', 'payload_error', true],
    [429, 'TooManyRequests', 'throttled_recipient'],
    [429, 'TooManyProviderTokenUpdates', 'throttled_gateway'],
    [500, 'InternalServerError', 'gateway_down'],
    [503, 'ServiceUnavailable', 'gateway_down'],
    [503, 'Shutdown', 'gateway_down'],
    [400, 'SomethingNew', 'payload_error', false],
    [403, 'SomethingNew', 'config_error'],
    [404, 'SomethingNew', 'payload_error', false],
    [410, 'SomethingNew', 'token_dead'],
    [429, 'SomethingNew', 'throttled_gateway'],
    [502, 'SomethingNew', 'gateway_down'],
    [400, 'constructor', 'payload_error', false],
  ]
  for (const [status, reason, kind, everyone] of reasons) {
    it(`${status} ${reason} is ${kind}${everyone ? ' for everyone' : ''}`, () => {
      const outcome = read(status, { reason })
      expect(outcome).to.deep.include({ kind, reason })
      if (outcome.kind === 'payload_error') expect(outcome.everyone).to.equal(everyone)
    })
  }

  it('200 is accepted, with the id that Apple gave', () => {
    expect(read(200, '', { 'apns-id': 'ABC' })).to.deep.equal({ kind: 'accepted', providerId: 'ABC' })
    expect(read(200)).to.deep.equal({ kind: 'accepted' })
  })

  it('without the JSON of Apple is judged by its status', () => {
    const rows: [number, unknown, Outcome['kind']][] = [
      [404, '<html>', 'config_error'],
      [301, '', 'config_error'],
      [400, '', 'payload_error'],
      [403, '', 'config_error'],
      [503, '', 'gateway_down'],
      [400, '[]', 'payload_error'],
      [400, { reason: 5 }, 'payload_error'],
      [413, '', 'payload_error'],
      [429, '', 'throttled_gateway'],
      [410, '', 'token_dead'],
    ]
    for (const [status, body, kind] of rows) expect(read(status, body), String(status)).to.include({ kind })
  })

  it('413 condemns the message for everyone, with or without the JSON of Apple', () => {
    for (const body of ['', '<html>', { reason: 'SomethingNew' }, { reason: 'PayloadTooLarge' }]) {
      expect(read(413, body)).to.include({ kind: 'payload_error', everyone: true })
    }
    expect(read(400, '')).to.include({ kind: 'payload_error', everyone: false })
  })

  it('410 tells since when, in milliseconds or in seconds', () => {
    const reason = 'Unregistered'
    const dead = { kind: 'token_dead', reason }
    expect(read(410, { reason, timestamp: 1_700_000_000_123 })).to.deep.equal({ ...dead, since: 1_700_000_000_123 })
    expect(read(410, { reason, timestamp: 1_700_000_000 })).to.deep.equal({ ...dead, since: 1_700_000_000_000 })
    for (const timestamp of [undefined, null, 'x', 0, -5]) expect(read(410, { reason, timestamp })).to.deep.equal(dead)
  })

  it('may ask to wait, in seconds or until a date, an hour at most', () => {
    const wait = (header: string) => {
      const outcome = read(503, { reason: 'ServiceUnavailable' }, { 'retry-after': header })
      return outcome.kind === 'gateway_down' ? outcome.afterMs : 'not down'
    }
    expect(wait('30')).to.equal(30_000)
    expect(wait(new Date(NOW + 90_000).toUTCString())).to.equal(90_000)
    expect(wait(new Date(NOW - 90_000).toUTCString())).to.equal(0)
    expect(wait('99999')).to.equal(3_600_000)
    expect(wait('soon')).to.equal(undefined)
  })

  it('that refuses our token tells when the clock is wrong', () => {
    const refuse = (reason: string, skew: number) => read(403, { reason }, { date: new Date(NOW + skew).toUTCString() })
    expect(refuse('InvalidProviderToken', -300_000)).to.include({
      reason: "InvalidProviderToken (this machine's clock is 300 s ahead of the server's)",
    })
    expect(refuse('ExpiredProviderToken', 4_000_000)).to.include({
      reason: "ExpiredProviderToken (this machine's clock is 4000 s behind the server's)",
    })
    expect(refuse('InvalidProviderToken', 30_000)).to.include({ reason: 'InvalidProviderToken' })
    expect(refuse('Forbidden', 4_000_000)).to.include({ reason: 'Forbidden' })
  })
})
