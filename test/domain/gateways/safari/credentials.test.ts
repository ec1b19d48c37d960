import { expect } from 'chai'
import { checkSafari, type SafariFacts } from '../../../../src/domain/gateways/safari/credentials.ts'
import { readCertificates } from '../../../../src/domain/gateways/safari/signature.ts'
import { makeCertificate, makeP12 } from '../apns/certificates.ts'
import { authority, BLOCK, makeWebsiteP12, openedWebsite, otherAuthority, WEBSITE_PUSH_ID } from './website.ts'

const NOW = Date.now()

async function errorsOf(block: unknown): Promise<Record<string, string[]>> {
  const result = await checkSafari(block, NOW)
  return 'errors' in result ? result.errors : {}
}

async function factsOf(change: object): Promise<SafariFacts> {
  return (await openedWebsite({ ...BLOCK, ...change })).facts
}

describe('a safari block', () => {
  it('is accepted, and its facts come from the certificate', async () => {
    const { secret, facts } = await openedWebsite()
    expect(facts).to.deep.include({
      mode: 'production',
      topic: WEBSITE_PUSH_ID,
      websitePushId: WEBSITE_PUSH_ID,
      siteUrl: 'https://shop.example/start',
      websiteName: 'shop.example',
      environments: ['production'],
    })
    expect(facts.warnings.join()).to.equal('the certificate was not issued by Apple: APNs will refuse it')
    expect(facts.notAfter).to.be.greaterThan(NOW)
    expect(readCertificates(secret.cert)).to.have.length(2)
    expect(JSON.stringify(facts)).not.to.contain('PRIVATE')
  })

  it('takes the certificate of the issuer out of the p12', async () => {
    const { intermediate: _, ...block } = { ...BLOCK, p12: makeWebsiteP12({ withChain: true }) }
    const { secret, facts } = await openedWebsite(block)
    expect(readCertificates(secret.cert)).to.have.length(2)
    expect(facts.warnings.join()).not.to.contain('issuer')
  })

  it('takes the issuer as the base64 of a .cer file, and out of several', async () => {
    const der = authority.pem.replace(/-----[A-Z ]+-----/g, '')
    for (const intermediate of [der, otherAuthority.pem + authority.pem]) {
      const { secret } = await openedWebsite({ ...BLOCK, intermediate })
      expect(readCertificates(secret.cert)).to.have.length(2)
    }
  })

  it('warns when nobody holds the certificate of the issuer', async () => {
    expect((await factsOf({ intermediate: undefined })).warnings.join()).to.contain('Safari will refuse push packages')
  })

  it('takes a name of its own, and an icon on the website', async () => {
    const facts = await factsOf({ websiteName: 'The Shop', iconUrl: '/icons/256.png' })
    expect(facts).to.include({ websiteName: 'The Shop', iconUrl: 'https://shop.example/icons/256.png' })
  })

  it('warns of an icon that is not https', async () => {
    const facts = await factsOf({ iconUrl: 'http://cdn.example/icon.png' })
    expect(facts.warnings.join()).to.contain('iconUrl is not https')
  })

  const appP12 = makeP12({ certificate: makeCertificate({ userId: 'com.example.app', notAfter: NOW + 1e9 }) })
  const rows: [string, unknown, string, RegExp][] = [
    ['text', 'p12', '', /must be an object/],
    ['no p12', { ...BLOCK, p12: undefined }, 'p12', /is required/],
    ['a p12 that is none', { ...BLOCK, p12: 'aGVsbG8=' }, 'p12', /PKCS#12/],
    ['a wrong password', { ...BLOCK, password: 'wrong' }, 'password', /does not open/],
    ['no password', { ...BLOCK, password: undefined }, 'password', /is required/],
    ['the certificate of an app', { ...BLOCK, p12: appP12 }, 'p12', /belongs under ios/],
    ['a certificate without an id', { ...BLOCK, p12: makeWebsiteP12({ id: null }) }, 'p12', /names no website push id/],
    [
      'an id that is no topic',
      { ...BLOCK, p12: makeWebsiteP12({ id: 'web.a b\r\nx' }) },
      'p12',
      /not of a website push id/,
    ],
    ['an old certificate', { ...BLOCK, p12: makeWebsiteP12({ notAfter: -86_400_000 }) }, 'p12', /expired/],
    ['no siteUrl', { ...BLOCK, siteUrl: undefined }, 'siteUrl', /is required/],
    ['a siteUrl of another kind', { ...BLOCK, siteUrl: 'ftp://shop.example' }, 'siteUrl', /http/],
    ['a siteUrl with a password', { ...BLOCK, siteUrl: 'https://a:b@shop.example' }, 'siteUrl', /password/],
    ['no iconUrl', { ...BLOCK, iconUrl: undefined }, 'iconUrl', /is required/],
    ['a blank iconUrl', { ...BLOCK, iconUrl: ' ' }, 'iconUrl', /must not be empty/],
    ['a blank websiteName', { ...BLOCK, websiteName: ' ' }, 'websiteName', /must not be empty/],
    ['an iconUrl of another kind', { ...BLOCK, iconUrl: 'data:image/png;base64,AA' }, 'iconUrl', /PNG/],
    ['an intermediate that is none', { ...BLOCK, intermediate: 'hello' }, 'intermediate', /is not a certificate/],
    ['a foreign intermediate', { ...BLOCK, intermediate: otherAuthority.pem }, 'intermediate', /did not issue/],
  ]
  for (const [what, block, field, message] of rows) {
    it(`with ${what} is refused, naming ${field || 'the block'}`, async () => {
      const errors = await errorsOf(block)
      expect(Object.keys(errors)).to.deep.equal([field])
      expect(errors[field]!.join()).to.match(message)
    })
  }

  it('names everything that is wrong at once', async () => {
    expect(Object.keys(await errorsOf({ ...BLOCK, siteUrl: 7, iconUrl: '', password: 'x' }))).to.have.members([
      'siteUrl',
      'iconUrl',
      'password',
    ])
  })
})
