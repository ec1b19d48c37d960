import { format, inspect } from 'node:util'
import { expect } from 'chai'
import { Secret } from '../../../src/platform/config/secret.ts'

describe('a secret', () => {
  const secret = new Secret('canary')

  it('is given out by reveal only', () => {
    expect(secret.reveal()).to.equal('canary')
  })

  it('is three stars in every text that is made of it', () => {
    const texts = [
      String(secret),
      ''.concat(secret as unknown as string),
      JSON.stringify({ deep: [secret] }),
      inspect(secret),
      inspect({ deep: { deeper: { secret } } }, { showHidden: true, depth: 9 }),
      inspect(new Map([['secret', secret]])),
      format('%s %o %O %j', secret, secret, secret, secret),
      new Error(`failed with ${String(secret)}`).stack!,
    ]
    for (const text of texts) {
      expect(text).to.include('***')
      expect(text).not.to.include('canary')
    }
  })

  it('has no fields that a copy or a loop would show', () => {
    expect(Object.keys(secret)).to.deep.equal([])
    expect(Object.assign({}, secret)).to.deep.equal({})
    expect(structuredClone(secret)).to.deep.equal({})
  })
})
