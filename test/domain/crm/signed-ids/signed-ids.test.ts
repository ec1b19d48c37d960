import { createHmac } from 'node:crypto'
import { expect } from 'chai'
import type { SignedIdsRepository } from '../../../../src/domain/crm/signed-ids/repository.ts'
import { createSigningMemory, signedIdsService } from '../../../../src/domain/crm/signed-ids/service.ts'
import {
  judgeClaim,
  readToken,
  type SigningState,
  signIdentifier,
  signingKey,
  withoutTokens,
} from '../../../../src/domain/crm/signed-ids/signed-ids.ts'
import type { SigningMode } from '../../../../src/domain/crm/types.ts'
import { createVault } from '../../../../src/platform/crypto/vault.ts'
import { createChanges } from '../../../../src/platform/threads/changes.ts'
import { testClock } from '../../../support/clock.ts'

const KEY = 'uk_ExampleExampleExampleExampleExampleExample0'
const NOW = Date.parse('2026-03-01T12:00:00Z')
const sign = (identifier: string, expiresAt: number | null = null, key = KEY) =>
  signIdentifier(signingKey(key), identifier, expiresAt)!
const state = (mode: SigningMode, keys: SigningState['keys'] = [{ key: signingKey(KEY), expiresAt: null }]) => ({
  mode,
  keys,
})
const read = (token: string, now = NOW, keys?: SigningState['keys']) => readToken(token, state('require', keys), now)

describe('a signed user id', () => {
  it('is blacked out in a text, wherever it stands', () => {
    const path = `/v1/users/${sign('anna')}/messages`
    expect(withoutTokens(`${path} and ${sign('b', NOW)}`)).to.equal('/v1/users/su1.***/messages and su1.***')
    expect(withoutTokens('/v1/users/su1.anna/messages')).to.equal('/v1/users/su1.anna/messages')
  })

  it('is what anybody makes of it who has the key: HMAC-SHA-256 over what stands before it', () => {
    const text = `su1.${Buffer.from('anna@example.com').toString('base64url')}.0`
    const signature = createHmac('sha256', KEY).update(text).digest('base64url')
    expect(sign('anna@example.com')).to.equal(`${text}.${signature}`)
  })

  for (const identifier of ['7', 'anna@example.com', 'Zoë/Müller +1', '用户', 'a.b.c', 'x'.repeat(140)]) {
    it(`carries ${JSON.stringify(identifier.slice(0, 20))} in letters that are safe in addresses, within 255 characters`, () => {
      const token = sign(identifier)
      expect(token).to.match(/^[A-Za-z0-9._-]{1,255}$/)
      expect(encodeURIComponent(token)).to.equal(token)
      expect(read(token)).to.deep.equal({ identifier })
    })
  }

  it('is not made when it would be longer than an identifier may be', () => {
    expect(signIdentifier(signingKey(KEY), 'x'.repeat(160), null)).to.equal(undefined)
  })

  it('is good until its expiry', () => {
    const token = sign('anna', NOW + 1500)
    expect(read(token, NOW + 1999)).to.deep.equal({ identifier: 'anna' })
    expect(read(token, NOW + 2000)).to.deep.equal({ refused: 'the token of the user has expired' })
  })

  it('is the text that was given out, and no other that stands for the same bytes', () => {
    const token = sign('anna')
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const last = letters.indexOf(token.at(-1)!)
    // The last letter of 32 bytes in base64url has two bits that say nothing.
    const others = [1, 2, 3].map((bits) => token.slice(0, -1) + letters[last ^ bits]!)
    for (const other of others) {
      expect(Buffer.from(other.split('.')[3]!, 'base64url')).to.deep.equal(
        Buffer.from(token.split('.')[3]!, 'base64url'),
      )
      expect(read(other)).to.have.property('refused')
    }
  })

  const token = sign('anna', NOW + 60_000)
  const [head, name, expiry, signature] = token.split('.') as [string, string, string, string]
  const other = Buffer.from('bob').toString('base64url')
  const wrong: [string, string][] = [
    ['another user', [head, other, expiry, signature].join('.')],
    ['another expiry', [head, name, '0', signature].join('.')],
    ['a cut signature', token.slice(0, -1)],
    ['no signature', [head, name, expiry].join('.')],
    ['another signature', [head, name, expiry, 'A'.repeat(43)].join('.')],
    ['something behind it', `${token}.x`],
    ['another key', sign('anna', null, 'uk_other')],
  ]
  for (const [what, text] of wrong) {
    it(`is refused with ${what}`, () => {
      expect(read(text)).to.have.property('refused')
    })
  }

  for (const [what, name] of [
    ['has a NUL', 'a\0b'],
    ['is no text', Buffer.from([0xff, 0xfe])],
    ['is too long', 'x'.repeat(256)],
    ['is a token itself', sign('anna')],
  ] as const) {
    it(`is refused when its signed name ${what}`, () => {
      const text = `su1.${Buffer.from(name).toString('base64url')}.0`
      const signature = createHmac('sha256', KEY).update(text).digest('base64url')
      expect(read(`${text}.${signature}`)).to.deep.equal({ refused: 'the token of the user names nobody' })
    })
  }

  it('of a replaced key is good until that key ends', () => {
    const keys = [
      { key: signingKey('uk_new'), expiresAt: null },
      { key: signingKey(KEY), expiresAt: NOW + 1000 },
    ]
    expect(read(sign('anna'), NOW + 999, keys)).to.deep.equal({ identifier: 'anna' })
    expect(read(sign('anna'), NOW + 1000, keys)).to.have.property('refused')
  })

  describe('as an install gives it', () => {
    const judge = (given: string, mode: SigningMode, keys?: SigningState['keys']) =>
      judgeClaim(given, 'I1', state(mode, keys), NOW)
    const rows: [string, string, Record<SigningMode, 'itself' | 'anna' | 'refused'>][] = [
      ['a plain identifier', 'anna', { off: 'itself', optional: 'itself', require: 'refused' }],
      ['its own id', 'I1', { off: 'itself', optional: 'itself', require: 'itself' }],
      ["another install's id", 'I2', { off: 'itself', optional: 'itself', require: 'refused' }],
      ['a token', sign('anna'), { off: 'anna', optional: 'anna', require: 'anna' }],
      ['an expired token', sign('anna', NOW - 1), { off: 'refused', optional: 'refused', require: 'refused' }],
      ['half a token', 'su1.YW5uYQ', { off: 'refused', optional: 'refused', require: 'refused' }],
    ]
    for (const [what, given, expected] of rows) {
      for (const mode of ['off', 'optional', 'require'] as const) {
        it(`${what} is ${expected[mode]} when signed users are ${mode}`, () => {
          const claim = judge(given, mode)
          if (expected[mode] === 'refused') expect(claim).to.have.property('refused')
          else expect(claim).to.deep.equal({ identifier: expected[mode] === 'anna' ? 'anna' : given })
        })
      }
    }

    it('a token never becomes an identifier, also in an app that never had a key', () => {
      expect(judge(sign('anna'), 'off', [])).to.have.property('refused')
      expect(judge('su1.whatever', 'off', [])).to.deep.equal({ identifier: 'su1.whatever' })
    })
  })
})

describe('what an app asks for', () => {
  it('is remembered for five seconds, and no longer than until it is changed here', async () => {
    const clock = testClock()
    let asked = 0
    const repo: SignedIdsRepository = {
      mode: async () => {
        asked++
        return 'require'
      },
      keys: async () => [],
      sealed: async () => [],
      lock: async () => {},
      setMode: async () => {},
      insertKey: async () => {},
      expireKeys: async () => {},
    }
    const nobody = { find: async () => undefined, among: async () => [] }
    const vault = createVault(Buffer.alloc(32))
    const memory = createSigningMemory(clock, createChanges())
    const service = signedIdsService({ repo, users: nobody, installs: nobody, vault, clock, memory })
    for (let i = 0; i < 10; i++) expect((await service.claims(1))('anna', 'I1')).to.have.property('refused')
    expect(asked).to.equal(1)
    await service.claims(2)
    expect(asked).to.equal(2)
    clock.advance(5000)
    await service.claims(1)
    expect(asked).to.equal(3)
    await service.setMode(1, 'off')
    await service.claims(1)
    expect(asked).to.equal(4)
  })

  it('is not judged by a mode that ended while it was read', async () => {
    const memory = createSigningMemory(testClock(NOW), createChanges())
    const former = Promise.withResolvers<SigningState>()
    const early = memory.find(1, () => former.promise)
    memory.forget()
    // Another app sees the change meanwhile.
    await memory.find(2, async () => state('off'))
    former.resolve(state('off'))
    expect((await early).mode).to.equal('off')
    expect((await memory.find(1, async () => state('require'))).mode).to.equal('require')
    expect((await memory.find(1, async () => state('off'))).mode, 'is kept').to.equal('require')
  })
})
