import { createECDH } from 'node:crypto'
import { expect } from 'chai'
import { encryptPush, MAX_TEXT_BYTES } from '../../../../src/domain/gateways/web/encrypt.ts'
import { decryptPush } from '../../../../src/sandbox/web/decrypt.ts'

const bytes = (text: string) => Buffer.from(text, 'base64url')
const pairOf = (privateKey: string) => {
  const pair = createECDH('prime256v1')
  pair.setPrivateKey(bytes(privateKey))
  return pair
}

/** RFC 8291 section 5 and appendix A. */
const RFC = {
  text: 'When I grow up, I want to be a watermelon',
  ours: pairOf('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw'),
  browser: pairOf('q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94'),
  auth: bytes('BTBZMqHH6r4Tts7J_aSIgg'),
  salt: bytes('DGv6ra1nlYgDCS1FRnbzlw'),
  body: 'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
}
const browser = {
  privateKey: RFC.browser.getPrivateKey(),
  publicKey: RFC.browser.getPublicKey(),
  auth: RFC.auth,
}
const keys = { p256dh: browser.publicKey, auth: RFC.auth }

describe('encryption for browsers', () => {
  it("makes the RFC's example byte for byte", () => {
    const body = encryptPush(Buffer.from(RFC.text), keys, {
      pair: RFC.ours,
      ours: RFC.ours.getPublicKey(),
      salt: RFC.salt,
    })
    expect(body.toString('base64url')).to.equal(RFC.body)
  })

  it("is read by code that shares nothing with it, which reads the RFC's example too", () => {
    expect(decryptPush(bytes(RFC.body), browser)).to.deep.equal({ text: Buffer.from(RFC.text) })
    for (const size of [0, 1, 15, 16, 17, 1000, MAX_TEXT_BYTES]) {
      const text = Buffer.alloc(size, 'ä')
      expect(decryptPush(encryptPush(text, keys), browser), `${size} bytes`).to.deep.equal({ text })
    }
  })

  it('fills 4096 bytes and not one more', () => {
    expect(MAX_TEXT_BYTES).to.equal(3993)
    expect(encryptPush(Buffer.alloc(MAX_TEXT_BYTES), keys)).to.have.length(4096)
    expect(() => encryptPush(Buffer.alloc(MAX_TEXT_BYTES + 1), keys)).to.throw(RangeError)
  })

  it('draws another key and another salt for each message', () => {
    const [one, two] = [encryptPush(Buffer.from('x'), keys), encryptPush(Buffer.from('x'), keys)]
    expect(one.subarray(0, 16).equals(two.subarray(0, 16))).to.equal(false)
    expect(one.subarray(21, 86).equals(two.subarray(21, 86))).to.equal(false)
  })

  it('cannot be read by another browser, nor after a change', () => {
    const body = encryptPush(Buffer.from('secret'), keys)
    const other = createECDH('prime256v1')
    other.generateKeys()
    const stranger = { privateKey: other.getPrivateKey(), publicKey: other.getPublicKey(), auth: RFC.auth }
    expect(decryptPush(body, stranger)).to.have.property('broken')
    expect(decryptPush(body, { ...browser, auth: Buffer.alloc(16) })).to.have.property('broken')
    body[body.length - 1]! ^= 1
    expect(decryptPush(body, browser)).to.have.property('broken')
  })

  it('throws for a key that is no point of the curve', () => {
    const off = Buffer.from(browser.publicKey)
    off[64]! ^= 1
    expect(() => encryptPush(Buffer.from('x'), { ...keys, p256dh: off })).to.throw()
    expect(() => encryptPush(Buffer.from('x'), { ...keys, p256dh: Buffer.alloc(65, 4) })).to.throw()
  })
})
