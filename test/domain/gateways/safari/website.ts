import { generateKeyPairSync, randomBytes } from 'node:crypto'
import forge from 'node-forge'
import { PNG } from 'pngjs'
import { checkSafari, type SafariFacts, type SafariSecret } from '../../../../src/domain/gateways/safari/credentials.ts'

export const WEBSITE_PUSH_ID = 'web.com.example.shop'
const YEAR_MS = 365 * 86_400_000

interface Authority {
  key: forge.pki.rsa.PrivateKey
  certificate: forge.pki.Certificate
  pem: string
}

interface Wish {
  subject: forge.pki.CertificateField[]
  issuer?: Authority
  extensions: object[]
  notBefore?: number
  notAfter?: number
}

function make({ subject, issuer, extensions, notBefore = -YEAR_MS, notAfter = YEAR_MS }: Wish): Authority {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const key = forge.pki.privateKeyFromPem(privateKey.export({ type: 'pkcs1', format: 'pem' }).toString())
  const certificate = forge.pki.createCertificate()
  certificate.publicKey = forge.pki.setRsaPublicKey(key.n, key.e)
  // Not 0 in front: as many bytes as there must be, or OpenSSL now and then refuses the certificate.
  certificate.serialNumber = `4${randomBytes(8).toString('hex').slice(1)}`
  certificate.validity.notBefore = new Date(Date.now() + notBefore)
  certificate.validity.notAfter = new Date(Date.now() + notAfter)
  certificate.setSubject(subject)
  certificate.setIssuer(issuer ? issuer.certificate.subject.attributes : subject)
  certificate.setExtensions(extensions)
  certificate.sign(issuer?.key ?? key, forge.md.sha256.create())
  return { key, certificate, pem: forge.pki.certificateToPem(certificate) }
}

const named = (commonName: string) => [{ name: 'commonName', value: commonName }]
const CA = [
  { name: 'basicConstraints', cA: true, critical: true },
  { name: 'keyUsage', keyCertSign: true, critical: true },
]

/** Certificates like Apple's: a root, and the authority below it that issues push certificates. */
export const root = make({ subject: named('Root'), extensions: CA })
export const authority = make({ subject: named('Developer Relations'), issuer: root, extensions: CA })
export const otherAuthority = make({ subject: named('Somebody else'), issuer: root, extensions: CA })

export interface WebsiteWish {
  /** Null for a certificate that names nobody. */
  id?: string | null
  /** Milliseconds from now. */
  notAfter?: number
  /** With the certificate of the issuer inside. */
  withChain?: boolean
}

/** Base64 of a p12 with a website push certificate by `authority`; its password is `secret`. */
export function makeWebsiteP12({
  id = WEBSITE_PUSH_ID,
  notAfter = YEAR_MS,
  withChain = false,
}: WebsiteWish = {}): string {
  const uid = id === null ? [] : [{ type: '0.9.2342.19200300.100.1.1', value: id }]
  const { key, certificate } = make({
    subject: [...uid, ...named(`Website Push ID: ${id}`)],
    issuer: authority,
    extensions: [
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { id: '1.2.840.113635.100.6.3.2', value: '\x05\x00' },
    ],
    notAfter,
  })
  const chain = [certificate, ...(withChain ? [authority.certificate] : [])]
  const file = forge.pkcs12.toPkcs12Asn1(key, chain, 'secret', { algorithm: 'aes256' })
  return Buffer.from(forge.asn1.toDer(file).getBytes(), 'latin1').toString('base64')
}

export const BLOCK = {
  p12: makeWebsiteP12(),
  password: 'secret',
  siteUrl: 'https://shop.example/start',
  iconUrl: 'https://cdn.example/icon.png',
  intermediate: authority.pem,
}

/** Returns what `checkSafari` makes of a block that it accepts. */
export async function openedWebsite(block: object = BLOCK) {
  const result = await checkSafari(block, Date.now())
  if ('errors' in result) throw new Error(JSON.stringify(result.errors))
  return { secret: result.credential.secret as SafariSecret, facts: result.credential.facts as SafariFacts }
}

/** A PNG whose left half is red and right half blue; `clear` says where nothing is to be seen. */
export function makePng(width: number, height: number, clear: (x: number, y: number) => boolean = () => false): Buffer {
  const png = new PNG({ width, height })
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const rgba = clear(x, y) ? [0, 255, 0, 0] : x < width / 2 ? [255, 0, 0, 255] : [0, 0, 255, 255]
      png.data.set(rgba, (y * width + x) * 4)
    }
  }
  return PNG.sync.write(png)
}
