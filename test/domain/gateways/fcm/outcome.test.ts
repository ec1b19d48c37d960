import { expect } from 'chai'
import { isTokenRefused, readFcmReply, readTokenRefusal } from '../../../../src/domain/gateways/fcm/outcome.ts'
import type { Outcome } from '../../../../src/domain/gateways/gateway.ts'

const NOW = Date.UTC(2026, 5, 1, 12)
const FCM_ERROR = 'type.googleapis.com/google.firebase.fcm.v1.FcmError'
const BAD_REQUEST = 'type.googleapis.com/google.rpc.BadRequest'
const QUOTA = 'type.googleapis.com/google.rpc.QuotaFailure'

function reply(status: number, error: unknown, headers: Record<string, string> = {}) {
  return { status, headers, body: typeof error === 'string' ? error : JSON.stringify({ error }) }
}
const fcm = (errorCode: string) => ({ '@type': FCM_ERROR, errorCode })
const field = (name: string) => ({ '@type': BAD_REQUEST, fieldViolations: [{ field: name, description: 'bad' }] })

describe('an answer of FCM', () => {
  const rows: [string, number, unknown, Record<string, unknown>][] = [
    [
      'a field of ours is wrong',
      400,
      {
        status: 'INVALID_ARGUMENT',
        message: "Invalid value at 'message.data[0].value'",
        details: [field('message.data[0].value')],
      },
      { kind: 'payload_error', everyone: true },
    ],
    [
      'the registration token is none',
      400,
      {
        status: 'INVALID_ARGUMENT',
        message: 'The registration token is not a valid FCM registration token',
        details: [fcm('INVALID_ARGUMENT')],
      },
      { kind: 'token_suspect' },
    ],
    [
      'the field of the token is wrong',
      400,
      { status: 'INVALID_ARGUMENT', message: 'Invalid value', details: [field('message.token')] },
      { kind: 'token_suspect' },
    ],
    [
      'something is wrong',
      400,
      {
        status: 'INVALID_ARGUMENT',
        message: 'Request contains an invalid argument.',
        details: [fcm('INVALID_ARGUMENT')],
      },
      { kind: 'payload_error', everyone: false },
    ],
    [
      'it is too big',
      400,
      { status: 'INVALID_ARGUMENT', message: 'Message too big' },
      { kind: 'payload_error', everyone: true },
    ],
    ['no access', 401, { status: 'UNAUTHENTICATED' }, { kind: 'config_error' }],
    ['a foreign credential', 401, { details: [fcm('THIRD_PARTY_AUTH_ERROR')] }, { kind: 'config_error' }],
    ['the token of another project', 403, { details: [fcm('SENDER_ID_MISMATCH')] }, { kind: 'token_suspect' }],
    ['no permission', 403, { status: 'PERMISSION_DENIED', message: 'API disabled' }, { kind: 'config_error' }],
    [
      'an app that is gone',
      404,
      { status: 'NOT_FOUND', details: [fcm('UNREGISTERED')] },
      { kind: 'token_dead', reason: 'UNREGISTERED' },
    ],
    ['a project that is none', 404, { status: 'NOT_FOUND', message: 'project not found' }, { kind: 'config_error' }],
    ['a status that only looks like ours', 404, { status: 'UNREGISTERED' }, { kind: 'config_error' }],
    ['a bare 404', 404, '<html>', { kind: 'config_error', reason: 'HTTP 404' }],
    ['a large body', 413, '', { kind: 'payload_error', everyone: true }],
    ['quota', 429, { details: [fcm('QUOTA_EXCEEDED')] }, { kind: 'throttled_gateway', afterMs: 60_000 }],
    ['quota by another name', 429, { status: 'RESOURCE_EXHAUSTED' }, { kind: 'throttled_gateway' }],
    [
      'a device',
      429,
      { message: 'Device message rate exceeded.', details: [fcm('QUOTA_EXCEEDED')] },
      { kind: 'throttled_recipient' },
    ],
    [
      'a device in the details',
      429,
      { details: [{ '@type': QUOTA, violations: [{ subject: 'device:x', description: 'rate' }] }] },
      { kind: 'throttled_recipient' },
    ],
    ['an internal error', 500, { status: 'INTERNAL' }, { kind: 'gateway_down', atLeastMs: 10_000 }],
    ['unavailable', 503, { status: 'UNAVAILABLE' }, { kind: 'gateway_down' }],
    ['a proxy', 502, '<html>', { kind: 'gateway_down', reason: 'HTTP 502' }],
    ['a redirect', 302, '', { kind: 'config_error' }],
    ['odd JSON', 400, '[1]', { kind: 'payload_error', everyone: false }],
    ['odd details', 404, { details: [null, 5, { '@type': 7 }] }, { kind: 'config_error' }],
  ]
  for (const [what, status, error, expected] of rows) {
    it(`${status}, ${what}, is ${String(expected['kind'])}`, () => {
      expect(readFcmReply(reply(status, error), NOW)).to.deep.include(expected)
    })
  }

  it('200 is accepted with the name of the message', () => {
    const accepted = (body: string): Outcome => readFcmReply({ status: 200, headers: {}, body }, NOW)
    expect(accepted('{"name":"projects/p/messages/1"}')).to.deep.equal({
      kind: 'accepted',
      providerId: 'projects/p/messages/1',
    })
    expect(accepted('not JSON')).to.deep.equal({ kind: 'accepted' })
  })

  it('may say how long to wait', () => {
    expect(readFcmReply(reply(429, {}, { 'retry-after': '7' }), NOW)).to.include({ afterMs: 7000 })
    const date = new Date(NOW + 20_000).toUTCString()
    expect(readFcmReply(reply(503, {}, { 'retry-after': date }), NOW)).to.include({ afterMs: 20_000 })
  })

  it('401 is worth a new access token, unless it is about another credential', () => {
    expect(isTokenRefused(reply(401, { status: 'UNAUTHENTICATED' }))).to.equal(true)
    expect(isTokenRefused(reply(401, ''))).to.equal(true)
    expect(isTokenRefused(reply(401, { details: [fcm('THIRD_PARTY_AUTH_ERROR')] }))).to.equal(false)
    expect(isTokenRefused(reply(403, {}))).to.equal(false)
  })
})

describe('a refusal of the token server', () => {
  const rows: [number, string, Record<string, string>, Record<string, unknown>][] = [
    [
      400,
      '{"error":"invalid_grant","error_description":"Invalid JWT"}',
      {},
      { kind: 'config_error', reason: "Google's token server: invalid_grant: Invalid JWT" },
    ],
    [401, '{"error":"invalid_client"}', {}, { kind: 'config_error' }],
    [429, '', { 'retry-after': '3' }, { kind: 'throttled_gateway', afterMs: 3000 }],
    [500, '', {}, { kind: 'gateway_down', reason: "Google's token server: HTTP 500 without a token" }],
    [302, '', {}, { kind: 'config_error' }],
    [200, '{}', {}, { kind: 'config_error' }],
  ]
  for (const [status, body, headers, expected] of rows) {
    it(`${status} ${body} is ${String(expected['kind'])}`, () => {
      expect(readTokenRefusal({ status, body, headers }, NOW)).to.deep.include(expected)
    })
  }

  it('tells when the clock is wrong', () => {
    const headers = { date: new Date(NOW + 3_600_000).toUTCString() }
    const outcome = readTokenRefusal({ status: 400, body: '{"error":"invalid_grant"}', headers }, NOW)
    expect('reason' in outcome && outcome.reason).to.contain('clock is 3600 s behind')
  })
})
