import { execFileSync } from 'node:child_process'
import { createHash, generateKeyPairSync, X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import forge from 'node-forge'
import { openP12 } from '../../../../src/domain/gateways/apns/p12.ts'
import { makeIcons } from '../../../../src/domain/gateways/safari/icons.ts'
import { inspectPackage, readZip } from '../../../../src/domain/gateways/safari/package-check.ts'
import { websiteOf } from '../../../../src/domain/gateways/safari/probe.ts'
import { buildPushPackage, type PackageVersion } from '../../../../src/domain/gateways/safari/push-package.ts'
import { createSigner, readCertificates, verifyDetached } from '../../../../src/domain/gateways/safari/signature.ts'
import { needs } from '../../../support/needs.ts'
import { PROGRAMS_MS } from '../../../support/programs.ts'
import { P12_FILES, PASSWORD } from '../apns/p12-files.ts'
import { BLOCK, makePng, makeWebsiteP12, openedWebsite, root, WEBSITE_PUSH_ID } from './website.ts'

const NOW = Date.now()
const SERVICE = 'https://push.example/push/safari/key'
const TOKEN = 'authentication-token'

describe('a push package', function () {
  this.timeout(PROGRAMS_MS)
  let opened: Awaited<ReturnType<typeof openedWebsite>>
  let icons: Awaited<ReturnType<typeof makeIcons>>
  let bytes: Buffer
  let files: Map<string, Buffer>

  const build = (version: PackageVersion, change: object = {}, sign = createSigner(opened.secret)) =>
    buildPushPackage({ website: { ...websiteOf(opened.facts, SERVICE, TOKEN), ...change }, icons, version }, sign, NOW)
  const faults = (package_: Buffer, version: PackageVersion = 'v2', now = NOW) =>
    inspectPackage(package_, { websitePushId: WEBSITE_PUSH_ID, version, now })

  before(async () => {
    opened = await openedWebsite()
    icons = await makeIcons(makePng(256, 256))
    bytes = await build('v2')
    files = readZip(bytes)
  })

  it('holds six icons, the description, the manifest and the signature', () => {
    expect([...files.keys()].sort()).to.deep.equal([
      'icon.iconset/icon_128x128.png',
      'icon.iconset/icon_128x128@2x.png',
      'icon.iconset/icon_16x16.png',
      'icon.iconset/icon_16x16@2x.png',
      'icon.iconset/icon_32x32.png',
      'icon.iconset/icon_32x32@2x.png',
      'manifest.json',
      'signature',
      'website.json',
    ])
  })

  it('describes the website', () => {
    expect(JSON.parse(files.get('website.json')!.toString())).to.deep.equal({
      websiteName: 'shop.example',
      websitePushID: WEBSITE_PUSH_ID,
      allowedDomains: ['https://shop.example'],
      urlFormatString: 'https://shop.example/%@',
      authenticationToken: TOKEN,
      webServiceURL: SERVICE,
    })
  })

  it('has SHA-512 in the manifest of v2 and SHA-1 in that of v1', async () => {
    const website = files.get('website.json')!
    const hash = (algorithm: string) => createHash(algorithm).update(website).digest('hex')
    expect(JSON.parse(files.get('manifest.json')!.toString())['website.json']).to.deep.equal({
      hashType: 'sha512',
      hashValue: hash('sha512'),
    })
    const old = JSON.parse(
      readZip(await build('v1'))
        .get('manifest.json')!
        .toString(),
    ) as Record<string, unknown>
    expect(old['website.json']).to.equal(hash('sha1'))
    expect(Object.keys(old)).to.have.length(7)
  })

  it('is signed with the certificate and holds that of its issuer, as they are', () => {
    const { signer, certificates } = verifyDetached(files.get('signature')!, files.get('manifest.json')!)
    const given = readCertificates(opened.secret.cert)
    expect(signer.raw.equals(given[0]!.raw)).to.equal(true)
    expect(certificates.map(({ fingerprint256 }) => fingerprint256)).to.deep.equal(
      given.map(({ fingerprint256 }) => fingerprint256),
    )
  })

  it('is signed so that OpenSSL agrees, up to the root', function () {
    const openssl = needs(this, 'openssl')
    const dir = mkdtempSync(join(tmpdir(), 'appsvc-safari-'))
    try {
      const at = (name: string, content: string | Buffer) => {
        writeFileSync(join(dir, name), content)
        return join(dir, name)
      }
      const signature = at('signature', files.get('signature')!)
      const verify = (manifest: Buffer) =>
        execFileSync(
          openssl,
          ['cms', '-verify', '-inform', 'DER', '-in', signature, '-content', at('manifest', manifest)].concat([
            '-CAfile',
            at('root.pem', root.pem),
            '-purpose',
            'any',
            '-binary',
          ]),
          { stdio: ['ignore', 'pipe', 'ignore'] },
        )
      const manifest = files.get('manifest.json')!
      expect(verify(manifest).equals(manifest)).to.equal(true)
      expect(() => verify(Buffer.concat([manifest, Buffer.from(' ')]))).to.throw()
    } finally {
      rmSync(dir, { recursive: true, force: true })
    }
  })

  it('is signed as another library reads it', () => {
    const tree = forge.asn1.fromDer(files.get('signature')!.toString('binary'))
    const { certificates } = forge.pkcs7.messageFromAsn1(tree) as forge.pkcs7.PkcsSignedData
    const [, signerId, , attributes, , signature] = nodes(nodes(nodes(nodes(nodes(tree)[1]!)[0]!).at(-1)!)[0]!)
    const [issuer, serial] = nodes(signerId!)
    const bare = (hex: string) => hex.replace(/^00/, '')
    expect(bare(forge.util.bytesToHex(serial!.value as string))).to.equal(bare(certificates[0]!.serialNumber))
    expect(forge.asn1.toDer(issuer!).getBytes()).to.equal(
      forge.asn1.toDer(forge.pki.distinguishedNameToAsn1(certificates[1]!.subject)).getBytes(),
    )
    const set = forge.asn1.create(forge.asn1.Class.UNIVERSAL, forge.asn1.Type.SET, true, nodes(attributes!))
    const digest = forge.md.sha256.create().update(forge.asn1.toDer(set).getBytes()).digest().getBytes()
    const key = certificates[0]!.publicKey as forge.pki.rsa.PublicKey
    expect(key.verify(digest, signature!.value as string)).to.equal(true)
  })

  it('can be signed with an elliptic key', async () => {
    const { keys, certificates } = await openP12(Buffer.from(P12_FILES.aes, 'base64'), PASSWORD)
    const sign = createSigner({
      cert: certificates[0]!.toString(),
      key: keys[0]!.export({ format: 'pem', type: 'pkcs8' }).toString(),
    })
    const content = Buffer.from('{}')
    expect(verifyDetached(await sign(content, NOW), content).signer).to.be.instanceOf(X509Certificate)
  })

  describe('looked at by ourselves', () => {
    it('is sound in both versions', async () => {
      expect(faults(bytes)).to.deep.equal([])
      expect(faults(await build('v1'), 'v1')).to.deep.equal([])
    })

    const rows: [string, () => Promise<Buffer>, RegExp][] = [
      ['nothing', async () => Buffer.alloc(0), /is not a zip file/],
      ['half of one', async () => bytes.subarray(0, bytes.length / 2), /is not a zip file/],
      ['a damaged file', async () => flipped(bytes, 60), /is damaged/],
      ['the wrong version', () => build('v1'), /does not have the v2 hash of website\.json/],
      ['another id', () => build('v2', { websitePushID: 'web.other' }), /websitePushID is not/],
      ['a short token', () => build('v2', { authenticationToken: 'short' }), /fewer than 16/],
      ['a plain service', () => build('v2', { webServiceURL: 'http://push.example' }), /not an https address/],
      ['a slash behind the service', () => build('v2', { webServiceURL: `${SERVICE}/` }), /ends with a slash/],
      ['two holes', () => build('v2', { urlFormatString: 'https://shop.example/%@?%@' }), /has 2 placeholders/],
      [
        'an address elsewhere',
        () => build('v2', { urlFormatString: 'https://evil.example/%@' }),
        /outside allowedDomains/,
      ],
      ['no name', () => build('v2', { websiteName: '' }), /websiteName is missing/],
      [
        'a signature of something else',
        () => build('v2', {}, () => createSigner(opened.secret)(Buffer.from('x'), NOW)),
        /other content/,
      ],
      ['a signature that is none', () => build('v2', {}, async () => Buffer.from('hello')), /does not verify/],
      [
        'the key of somebody else',
        () => build('v2', {}, createSigner({ ...opened.secret, key: otherKey() })),
        /not made with the key/,
      ],
    ]
    for (const [what, make, message] of rows) {
      it(`says so of ${what}`, async () => {
        expect(faults(await make()).join('; ')).to.match(message)
      })
    }

    it('says so when the certificate of the issuer is missing, is of another website, or is over', async () => {
      const alone = await openedWebsite({ ...BLOCK, intermediate: undefined })
      expect(faults(await build('v2', {}, createSigner(alone.secret))).join()).to.contain('of the issuer')
      const other = await openedWebsite({ ...BLOCK, p12: makeWebsiteP12({ id: 'web.other' }) })
      expect(faults(await build('v2', {}, createSigner(other.secret))).join()).to.contain(
        'not for web.com.example.shop',
      )
      expect(faults(bytes, 'v2', NOW + 3 * 365 * 86_400_000)).to.deep.equal([
        'the certificate of the signature is not valid now',
        'the certificate of the issuer is not valid now',
      ])
    })

    it('names an icon of the wrong size', async () => {
      const wrong = new Map(icons.files)
      wrong.set('icon.iconset/icon_16x16.png', icons.files.get('icon.iconset/icon_32x32.png')!)
      const website = websiteOf(opened.facts, SERVICE, TOKEN)
      const package_ = await buildPushPackage(
        { website, icons: { ...icons, files: wrong }, version: 'v2' },
        createSigner(opened.secret),
        NOW,
      )
      expect(faults(package_)).to.deep.equal(['icon.iconset/icon_16x16.png has 32 × 32 pixels instead of 16'])
    })
  })
})

function nodes({ value }: forge.asn1.Asn1): forge.asn1.Asn1[] {
  return value as forge.asn1.Asn1[]
}

function flipped(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes)
  copy[at] = copy[at]! ^ 1
  return copy
}

function otherKey(): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
}
