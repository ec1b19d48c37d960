import { generateKeyPairSync } from 'node:crypto'
import forge from 'node-forge'

/** A push certificate as Apple would make it, and the p12 around it: made at run time with another library than the reader's own parts. */
export interface CertificateWish {
  topics?: string[]
  userId?: string
  sandbox?: boolean
  production?: boolean
  issuer?: string
  /** Milliseconds. */
  notBefore?: number
  notAfter?: number
}

const pair = generateKeyPairSync('rsa', { modulusLength: 2048 })
export const rsaPem = pair.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
const rsaKey = forge.pki.privateKeyFromPem(pair.privateKey.export({ format: 'pem', type: 'pkcs1' }).toString())
const rsaPublic = forge.pki.publicKeyFromPem(pair.publicKey.export({ format: 'pem', type: 'spki' }).toString())

const otherPair = generateKeyPairSync('rsa', { modulusLength: 2048 })
export const otherKey = forge.pki.privateKeyFromPem(
  otherPair.privateKey.export({ format: 'pem', type: 'pkcs1' }).toString(),
)

const { asn1 } = forge
const string = (text: string) => asn1.create(asn1.Class.UNIVERSAL, asn1.Type.UTF8, false, text)
const sequence = (items: forge.asn1.Asn1[]) => asn1.create(asn1.Class.UNIVERSAL, asn1.Type.SEQUENCE, true, items)
const der = (node: forge.asn1.Asn1) => asn1.toDer(node).getBytes()
const NULL = der(asn1.create(asn1.Class.UNIVERSAL, asn1.Type.NULL, false, ''))

export function makeCertificate(wish: CertificateWish = {}): forge.pki.Certificate {
  const certificate = forge.pki.createCertificate()
  certificate.publicKey = rsaPublic
  certificate.serialNumber = '01'
  certificate.validity.notBefore = new Date(wish.notBefore ?? Date.UTC(2026, 0, 1))
  certificate.validity.notAfter = new Date(wish.notAfter ?? Date.UTC(2027, 0, 31))
  certificate.setSubject([
    ...(wish.userId ? [{ type: '0.9.2342.19200300.100.1.1', value: wish.userId }] : []),
    { name: 'commonName', value: 'Apple Push Services' },
  ])
  certificate.setIssuer([
    { name: 'organizationName', value: wish.issuer ?? 'Apple Inc.' },
    { name: 'commonName', value: 'Worldwide Developer Relations' },
  ])
  const topics = (wish.topics ?? []).flatMap((topic) => [string(topic), sequence([string('app')])])
  certificate.setExtensions([
    ...(wish.sandbox ? [{ id: '1.2.840.113635.100.6.3.1', value: NULL }] : []),
    ...(wish.production ? [{ id: '1.2.840.113635.100.6.3.2', value: NULL }] : []),
    ...(topics.length > 0 ? [{ id: '1.2.840.113635.100.6.3.6', value: der(sequence(topics)) }] : []),
  ])
  certificate.sign(rsaKey, forge.md.sha256.create())
  return certificate
}

export interface P12Wish {
  certificate?: forge.pki.Certificate | forge.pki.Certificate[] | null
  key?: forge.pki.rsa.PrivateKey | null
  password?: string
  algorithm?: 'aes128' | 'aes256' | '3des'
  count?: number
}

/** Base64 of a p12. `null` leaves a part out. */
export function makeP12({ certificate, key, password = 'secret', algorithm = 'aes256', count = 2048 }: P12Wish = {}) {
  // The published types do not know that the certificate may be left out.
  const file = forge.pkcs12.toPkcs12Asn1(
    key === null ? null : (key ?? rsaKey),
    (certificate === null ? null : (certificate ?? makeCertificate(STANDARD))) as forge.pki.Certificate,
    password,
    { algorithm, count },
  )
  return Buffer.from(asn1.toDer(file).getBytes(), 'binary').toString('base64')
}

export const STANDARD: CertificateWish = {
  userId: 'com.example.app',
  topics: ['com.example.app', 'com.example.app.voip'],
  sandbox: true,
  production: true,
}
