import { expect } from 'chai'
import { noKeyFits, readWebReply } from '../../../../src/domain/gateways/web/outcome.ts'
import { isKnownService } from '../../../../src/domain/gateways/web/push-hosts.ts'

const NOW = Date.UTC(2026, 5, 1, 12)
const GOOGLE = 'fcm.googleapis.com'
const APPLE = 'web.push.apple.com'
const MOZILLA = 'updates.push.services.mozilla.com'
const OWN = 'push.example.com'
const read = (host: string, status: number, body: unknown = '', headers: Record<string, string> = {}) =>
  readWebReply({ status, headers, body: typeof body === 'string' ? body : JSON.stringify(body) }, host, NOW)

describe('the answers of push services', () => {
  const rows: [string, ReturnType<typeof read>, object][] = [
    ['201', read(GOOGLE, 201, '', { location: 'https://x/m/1' }), { kind: 'accepted', providerId: 'https://x/m/1' }],
    ['202', read(MOZILLA, 202), { kind: 'accepted' }],
    ['200', read(OWN, 200, 'fine'), { kind: 'accepted' }],
    ['410', read(GOOGLE, 410, 'push subscription has unsubscribed or expired.'), { kind: 'token_dead' }],
    [
      '404',
      read(MOZILLA, 404, { errno: 102, error: 'Not Found' }),
      { kind: 'token_dead', reason: 'HTTP 404: errno 102 (invalid endpoint): Not Found' },
    ],
    ['410 of a service nobody knows', read(OWN, 410), { kind: 'token_dead', local: true }],
    ['413', read(GOOGLE, 413), { kind: 'payload_error', everyone: false }],
    ['400', read(GOOGLE, 400, 'bad'), { kind: 'payload_error', everyone: false }],
    [
      "Mozilla's 400 about the topic",
      read(MOZILLA, 400, { errno: 113 }),
      { kind: 'payload_error', reason: 'HTTP 400: errno 113 (invalid topic)' },
    ],
    ["Apple's mismatch", read(APPLE, 400, { reason: 'VapidPkHashMismatch' }), { kind: 'other_key' }],
    ["Google's older mismatch", read(GOOGLE, 400, '<H1>UnauthorizedRegistration</H1>'), { kind: 'other_key' }],
    ["Google's mismatch", read(GOOGLE, 403, 'the VAPID credentials do not correspond'), { kind: 'other_key' }],
    ["Mozilla's mismatch", read(MOZILLA, 401, { errno: 109 }), { kind: 'other_key' }],
    ["Apple's word against our token", read(APPLE, 403, { reason: 'BadJwtToken' }), { kind: 'config_error' }],
    ["a stranger's word against our token", read(OWN, 403, { reason: 'BadJwtToken' }), { kind: 'other_key' }],
    [
      '429 with a time',
      read(GOOGLE, 429, '', { 'retry-after': '120' }),
      { kind: 'throttled_gateway', afterMs: 120_000, local: 'recipient' },
    ],
    [
      '429 with a date',
      read(GOOGLE, 429, '', { 'retry-after': new Date(NOW + 5000).toUTCString() }),
      { afterMs: 5000 },
    ],
    ['429 without a time', read(OWN, 429), { kind: 'throttled_gateway', reason: 'HTTP 429', local: 'recipient' }],
    ["Windows' 406", read('wns2-par02p.notify.windows.com', 406), { kind: 'throttled_gateway', local: 'recipient' }],
    [
      "ntfy's 507, whatever time it names",
      read(OWN, 507, { code: 50701, http: 507, error: 'no subscriber' }, { 'retry-after': '3600' }),
      { kind: 'gateway_down', reason: 'HTTP 507: no subscriber', local: 'recipient' },
    ],
    ['500', read(GOOGLE, 500), { kind: 'gateway_down', reason: 'HTTP 500', local: true }],
    ['503 with a time', read(GOOGLE, 503, '', { 'retry-after': '3' }), { kind: 'gateway_down', afterMs: 3000 }],
    ["Mozilla's retry at once", read(MOZILLA, 503, { errno: 202 }), { kind: 'gateway_down', afterMs: 0, local: true }],
    [
      "Mozilla's retry at once with a time",
      read(MOZILLA, 503, { errno: 202 }, { 'retry-after': '9' }),
      { kind: 'gateway_down', afterMs: 9000 },
    ],
    [
      'a stranger who wants to be asked at once',
      read(OWN, 503, { errno: 202 }, { 'retry-after': '0' }),
      { kind: 'gateway_down', reason: 'HTTP 503: errno 202 (overloaded: retry at once)', local: true },
    ],
    ["Mozilla's back off", read(MOZILLA, 503, { errno: 201 }), { kind: 'gateway_down', local: true }],
    ['408', read(GOOGLE, 408), { kind: 'gateway_down', local: true }],
    ['421', read(GOOGLE, 421), { kind: 'gateway_down', local: true }],
    [
      '425 with a time',
      read(OWN, 425, '', { 'retry-after': '4' }),
      { kind: 'gateway_down', afterMs: 4000, local: true },
    ],
    [
      'a redirect',
      read(OWN, 302, '', { location: 'http://169.254.169.254/' }),
      { kind: 'gateway_down', local: 'recipient' },
    ],
    ['any other refusal', read(OWN, 405), { kind: 'payload_error', everyone: false }],
  ]
  for (const [name, reading, expected] of rows) {
    it(`reads ${name}`, () => expect(reading).to.deep.include(expected))
  }

  it('lets no stranger ask for another try at once', () => {
    expect(read(OWN, 503, '', { 'retry-after': '0' })).not.to.have.property('afterMs')
  })

  it('tells of a clock that differs when Apple refuses the token', () => {
    const reading = read(APPLE, 403, { reason: 'BadJwtToken' }, { date: new Date(NOW - 600_000).toUTCString() })
    expect(reading).to.have.property('reason').that.includes('600 s ahead')
  })

  it('never repeats more than a line of what it was told', () => {
    const reading = read(GOOGLE, 400, `<html>\n${'x'.repeat(5000)}\n</html>`)
    expect((reading as { reason: string }).reason).to.have.length.below(250)
  })

  it('knows the services of browsers by their hosts', () => {
    expect([GOOGLE, APPLE, MOZILLA].every(isKnownService)).to.equal(true)
    expect(
      [OWN, 'evilgoogleapis.com', 'googleapis.com.evil.test', 'fcm.googleapis.com.'].some(isKnownService),
    ).to.equal(false)
  })

  it('doubts the credential only on the word of a service that browsers know', () => {
    expect(noKeyFits('HTTP 403', GOOGLE)).to.not.have.property('local')
    expect(noKeyFits('HTTP 403', OWN)).to.include({ kind: 'token_suspect', local: true })
  })
})
