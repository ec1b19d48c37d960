import { generateKeyPairSync } from 'node:crypto'
import { expect } from 'chai'
import { decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose'
import { createProviderTokens, providerTokens } from '../../../../src/domain/gateways/apns/provider-token.ts'

const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const key = {
  p8: pair.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
  keyId: 'ABCDE12345',
  teamId: 'TEAM123456',
}
const NOW = Date.UTC(2026, 5, 1, 12)
const MINUTE = 60_000
const issuedAt = (token: string) => decodeJwt(token).iat! * 1000

describe('a provider token', () => {
  it('is what Apple wants, as another library reads it', async () => {
    const token = createProviderTokens(key).current(NOW)
    const { payload, protectedHeader } = await jwtVerify(token, pair.publicKey, { currentDate: new Date(NOW) })
    expect(protectedHeader).to.deep.equal({ alg: 'ES256', kid: 'ABCDE12345' })
    expect(payload).to.have.all.keys('iss', 'iat')
    expect(payload.iss).to.equal('TEAM123456')
    expect(decodeProtectedHeader(token).alg).to.equal('ES256')
  })

  it('is never older than 45 minutes and never from the future', () => {
    const tokens = createProviderTokens(key)
    for (let now = NOW; now < NOW + 300 * MINUTE; now += MINUTE) {
      const age = now - issuedAt(tokens.current(now))
      expect(age).to.be.within(0, 45 * MINUTE + 1000)
    }
  })

  it('is renewed about every 45 minutes and kept in between', () => {
    const tokens = createProviderTokens(key)
    const seen = new Set<string>()
    for (let now = NOW; now < NOW + 450 * MINUTE; now += MINUTE) seen.add(tokens.current(now))
    expect(seen.size).to.be.within(10, 11)
  })

  it('has the same time of issue in every process', () => {
    const times = [1, 2, 3].map(() => issuedAt(createProviderTokens(key).current(NOW)))
    expect(new Set(times).size).to.equal(1)
  })

  it('is shared by all senders of one key in a process', () => {
    expect(providerTokens(key)).to.equal(providerTokens({ ...key }))
    expect(providerTokens({ ...key, keyId: 'OTHER12345' })).not.to.equal(providerTokens(key))
  })

  it('that expired at Apple is renewed once it is 20 minutes old, once for all who ask', () => {
    const tokens = createProviderTokens(key)
    const start = issuedAt(tokens.current(NOW))
    const later = start + 45 * MINUTE + 999
    const refused = tokens.current(later)
    expect(tokens.renew(refused, later + 10 * MINUTE)).to.equal(false)
    expect(tokens.current(later + 10 * MINUTE)).to.equal(refused)
    expect(tokens.renew(refused, later + 25 * MINUTE)).to.equal(true)
    const fresh = tokens.current(later + 25 * MINUTE)
    expect(fresh).not.to.equal(refused)
    expect(tokens.renew(refused, later + 25 * MINUTE)).to.equal(true)
    expect(tokens.current(later + 25 * MINUTE)).to.equal(fresh)
    expect(tokens.renew(fresh, later + 26 * MINUTE)).to.equal(false)
  })

  it('follows a clock that was set back', () => {
    const tokens = createProviderTokens(key)
    tokens.current(NOW)
    const before = NOW - 24 * 60 * MINUTE
    expect(issuedAt(tokens.current(before))).to.be.at.most(before)
  })
})
