import { generateKeyPairSync } from 'node:crypto'
import { expect } from 'chai'
import { jwtVerify } from 'jose'
import { canSign, signJwt } from '../../../src/platform/crypto/jwt.ts'

const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' })
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })

describe('a signed token', () => {
  for (const [alg, pair] of [
    ['ES256', ec],
    ['RS256', rsa],
  ] as const) {
    it(`(${alg}) is accepted by another library and holds what was put in`, async () => {
      const token = signJwt({ alg, kid: 'k1' }, { iss: 'ä', n: 1 }, pair.privateKey)
      const { payload, protectedHeader } = await jwtVerify(token, pair.publicKey)
      expect(payload).to.deep.equal({ iss: 'ä', n: 1 })
      expect(protectedHeader).to.deep.equal({ alg, kid: 'k1' })
    })
  }

  it('is not made with a key of another kind', () => {
    expect(() => signJwt({ alg: 'ES256' }, {}, rsa.privateKey)).to.throw(TypeError)
    expect(() => signJwt({ alg: 'ES256' }, {}, p384.privateKey)).to.throw(TypeError)
    expect(() => signJwt({ alg: 'RS256' }, {}, ec.privateKey)).to.throw(TypeError)
    expect(canSign('ES256', ec.publicKey)).to.equal(false)
  })
})
