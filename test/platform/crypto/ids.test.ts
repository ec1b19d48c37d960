import { expect } from 'chai'
import { mintKey, newOrderedUuid, newUuid } from '../../../src/platform/crypto/ids.ts'

describe('ids', () => {
  it('a key has its prefix, 256 bits, and only characters that fit URLs and Basic authentication', () => {
    const key = mintKey('sk')
    expect(key).to.match(/^sk_[A-Za-z0-9_-]{43}$/)
    expect(Buffer.from(key.slice(3), 'base64url')).to.have.length(32)
  })

  it('no two are the same', () => {
    const many = Array.from({ length: 1000 }, () => mintKey('k')).concat(Array.from({ length: 1000 }, newUuid))
    expect(new Set(many).size).to.equal(2000)
  })

  it('a UUID is random and in lower case', () => {
    expect(newUuid()).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })

  it('an ordered UUID sorts by its moment, and no two of a moment are the same', () => {
    const moments = [0, 1, 255, 1_700_000_000_000, 1_700_000_000_001, Date.now()]
    const made = moments.map(newOrderedUuid)
    for (const uuid of made) {
      expect(uuid).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    }
    expect([...made].sort()).to.deep.equal(made)
    expect(new Set(Array.from({ length: 1000 }, () => newOrderedUuid(1))).size).to.equal(1000)
  })
})
