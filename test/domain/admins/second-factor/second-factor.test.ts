import { expect } from 'chai'
import { detailOf } from '../../../../src/domain/admins/audit/service.ts'
import { relyingPartyOf } from '../../../../src/domain/admins/passkeys/relying-party.ts'
import { digestPassword, isPassword } from '../../../../src/domain/admins/passwords.ts'
import { base32, fromBase32 } from '../../../../src/domain/admins/second-factor/base32.ts'
import { codeOfStep, stepOfCode } from '../../../../src/domain/admins/second-factor/totp.ts'
import { type Role, rightsIn } from '../../../../src/domain/admins/types.ts'

describe('codes of authenticator apps', () => {
  // RFC 6238 appendix B, the rows of SHA-1.
  const SECRET = Buffer.from('12345678901234567890')
  const vectors: [seconds: number, code: string][] = [
    [59, '94287082'],
    [1111111109, '07081804'],
    [1111111111, '14050471'],
    [1234567890, '89005924'],
    [2000000000, '69279037'],
    [20000000000, '65353130'],
  ]
  for (const [seconds, code] of vectors) {
    it(`at ${seconds} s the code is ${code}`, () => {
      expect(codeOfStep(SECRET, Math.floor(seconds / 30), 8)).to.equal(code)
      expect(stepOfCode(base32(SECRET), code.slice(2), seconds * 1000)).to.equal(Math.floor(seconds / 30))
    })
  }

  it('a code is good one step before and after its time, and no longer', () => {
    const code = codeOfStep(SECRET, 100)
    const at = (step: number) => stepOfCode(base32(SECRET), code, step * 30_000)
    expect([98, 99, 100, 101, 102].map(at)).to.deep.equal([undefined, 100, 100, 100, undefined])
  })

  it('what is no code is none', () => {
    for (const text of ['', '12345', '1234567', 'abcdef', '１２３４５６'])
      expect(stepOfCode(base32(SECRET), text, 1e12)).to.equal(undefined)
  })

  // RFC 4648 section 10, without padding.
  const words: [string, string][] = [
    ['', ''],
    ['f', 'MY'],
    ['fo', 'MZXQ'],
    ['foo', 'MZXW6'],
    ['foob', 'MZXW6YQ'],
    ['fooba', 'MZXW6YTB'],
    ['foobar', 'MZXW6YTBOI'],
  ]
  for (const [plain, coded] of words) {
    it(`"${plain}" in Base32 is "${coded}", and back`, () => {
      expect(base32(Buffer.from(plain))).to.equal(coded)
      expect(fromBase32(coded).toString()).to.equal(plain)
    })
  }
})

describe('passwords', () => {
  it('are kept as a digest with its cost, which the same password opens in any form of its letters', async () => {
    const digest = await digestPassword('Schl\u00fcssel zum Haus')
    expect(digest).to.match(/^scrypt\$32768\$8\$3\$[\w-]{22}\$[\w-]{43}$/)
    expect(await isPassword('Schlu\u0308ssel zum Haus', digest)).to.equal(true)
    expect(await isPassword('Schlussel zum Haus', digest)).to.equal(false)
    expect(await digestPassword('Schl\u00fcssel zum Haus')).to.not.equal(digest)
  })

  it('nobody has one that is not there', async () => {
    expect(await isPassword('', null)).to.equal(false)
  })

  it('more people than there is room for are told to come again', async () => {
    const soonFound = ['scrypt', 16, 1, 1, 'c2FsdA', Buffer.alloc(32).toString('base64url')].join('$')
    const many = await Promise.allSettled(Array.from({ length: 30 }, () => isPassword('x', soonFound)))
    const refused = many.filter(({ status }) => status === 'rejected')
    // One is computed and ten of one network wait.
    expect(refused).to.have.length(19)
  })
})

describe('roles', () => {
  const rows: [Role, number | null, string, string][] = [
    ['viewer', 1, 'self see', ''],
    ['marketer', 1, 'self see campaign', ''],
    ['operator', 1, 'self see operate', ''],
    ['owner', 1, 'self see campaign operate own', ''],
    ['owner', null, 'self see campaign operate own', 'self see campaign operate own'],
    ['owner', 2, '', ''],
  ]
  for (const [role, appId, inApp, inServer] of rows) {
    it(`${role} of ${appId ?? 'the server'} may "${inApp}" in app 1 and "${inServer}" in the server`, () => {
      expect(rightsIn([{ role, appId }], 1).join(' ')).to.equal(inApp)
      expect(rightsIn([{ role, appId }], null).join(' ')).to.equal(inServer)
    })
  }
})

describe('what passkeys belong to', () => {
  const rows: [baseUrl: string, id: string | undefined][] = [
    ['https://push.example.com:8443/app', 'push.example.com'],
    ['http://localhost:8080', 'localhost'],
    ['http://push.example.com', undefined],
    ['https://192.0.2.7', undefined],
    ['https://[2001:db8::1]', undefined],
    ['', undefined],
  ]
  for (const [baseUrl, id] of rows) {
    it(`with baseUrl "${baseUrl}" is ${id ?? 'nothing'}`, () => {
      expect(relyingPartyOf(baseUrl)?.id).to.equal(id)
    })
  }
})

describe('details in the audit log', () => {
  it('have no value of a member that is called like a secret', () => {
    const given = { name: 'a', password: 'p', nested: { apiKey: 'k', tokens: ['t'], count: 3 } }
    expect(detailOf(given)).to.deep.equal({
      name: 'a',
      password: '***',
      nested: { apiKey: '***', tokens: '***', count: 3 },
    })
  })

  it('are cut when they are long', () => {
    expect(JSON.stringify(detailOf({ text: 'x'.repeat(10_000) })).length).to.be.below(4100)
  })
})
