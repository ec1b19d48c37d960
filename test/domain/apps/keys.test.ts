import { expect } from 'chai'
import { hintOf, mint, mintAll } from '../../../src/domain/apps/keys.ts'

describe('the keys of an app', () => {
  for (const [kind, prefix] of [
    ['api', 'ak_'],
    ['server', 'sk_'],
    ['secret', 'dk_'],
  ] as const) {
    it(`of the kind ${kind} begin with ${prefix}, and only four characters behind it are shown later`, () => {
      const key = mint(kind)
      expect(key).to.match(new RegExp(`^${prefix}[\\w-]{43}$`))
      expect(hintOf(key)).to.equal(`${prefix}${key.slice(3, 7)}…`)
      expect(mint(kind)).to.not.equal(key)
    })
  }

  it('are one of each kind', () => {
    const { apiKey, serverKey, secretKey } = mintAll()
    expect([apiKey, serverKey, secretKey].map((key) => key.slice(0, 3))).to.deep.equal(['ak_', 'sk_', 'dk_'])
  })
})
