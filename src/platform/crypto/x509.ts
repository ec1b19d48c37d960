import {
  createHash,
  createPublicKey,
  generateKeyPair,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto'
import { promisify } from 'node:util'

/**
 * What Node does not make by itself: a request for a certificate (PKCS#10, RFC 2986) and the certificate of a TLS-ALPN-01
 * challenge (RFC 8737), both for one DNS name and with a P-256 key. docs/decisions/0048-certificates.md says why no
 * library does it.
 */

const TAG = { integer: 0x02, bits: 0x03, bytes: 0x04, oid: 0x06, utf8: 0x0c, time: 0x18, sequence: 0x30, set: 0x31 }

/** One value in DER: tag, length, content. */
function der(tag: number, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content)
  if (body.length < 0x80) return Buffer.concat([Buffer.from([tag, body.length]), body])
  const length = Buffer.from(body.length.toString(16).padStart(body.length > 0xff ? 4 : 2, '0'), 'hex')
  return Buffer.concat([Buffer.from([tag, 0x80 | length.length]), length, body])
}

const sequence = (...content: Buffer[]) => der(TAG.sequence, ...content)
const bits = (content: Buffer) => der(TAG.bits, Buffer.from([0]), content)
const explicit = (number: number, ...content: Buffer[]) => der(0xa0 | number, ...content)
const TRUE = Buffer.from([0x01, 0x01, 0xff])

/** An object identifier from its numbers, such as `2.5.29.17`. */
function oid(text: string): Buffer {
  const [first, second, ...rest] = text.split('.').map(Number) as [number, number, ...number[]]
  const bytes = [first * 40 + second]
  for (const number of rest) {
    const groups = [number & 0x7f]
    for (let left = number >>> 7; left > 0; left >>>= 7) groups.unshift((left & 0x7f) | 0x80)
    bytes.push(...groups)
  }
  return der(TAG.oid, Buffer.from(bytes))
}

/** RFC 5280 4.2.1.6: names that a certificate is for. [2] is a DNS name. */
const altNames = (name: string) => sequence(oid('2.5.29.17'), der(TAG.bytes, sequence(der(0x82, Buffer.from(name)))))
/** RFC 5758: ECDSA with SHA-256. */
const ECDSA_SHA256 = sequence(oid('1.2.840.10045.4.3.2'))
const commonName = (name: string) => sequence(der(TAG.set, sequence(oid('2.5.4.3'), der(TAG.utf8, Buffer.from(name)))))
/** `20261123180000Z` */
const time = (ms: number) =>
  der(TAG.time, Buffer.from(`${new Date(ms).toISOString().slice(0, 19).replace(/[-:T]/g, '')}Z`))

const publicBytes = (key: KeyObject) => createPublicKey(key).export({ type: 'spki', format: 'der' })
const signed = (content: Buffer, key: KeyObject) =>
  sequence(content, ECDSA_SHA256, bits(sign('sha256', content, { key, dsaEncoding: 'der' })))

const makeKeyPair = promisify(generateKeyPair)

/** A new P-256 private key. It is made on another thread. */
export async function makeEcKey(): Promise<KeyObject> {
  return (await makeKeyPair('ec', { namedCurve: 'P-256' })).privateKey
}

/** A certificate signing request (DER) for one DNS name; the subject is empty, as a common name has at most 64 characters. */
export function signingRequest(name: string, key: KeyObject): Buffer {
  const extensions = sequence(oid('1.2.840.113549.1.9.14'), der(TAG.set, sequence(altNames(name))))
  const version = der(TAG.integer, Buffer.from([0]))
  return signed(sequence(version, sequence(), publicBytes(key), explicit(0, extensions)), key)
}

const DAY_MS = 86_400_000

/**
 * The self-signed certificate (PEM) that answers a TLS-ALPN-01 challenge: for the name, with the SHA-256 of the key
 * authorization in a critical extension (RFC 8737 section 3). `now` in milliseconds.
 */
export function challengeCertificate(name: string, authorization: string, key: KeyObject, now: number): string {
  const digest = createHash('sha256').update(authorization).digest()
  const extensions = sequence(
    altNames(name),
    sequence(oid('1.3.6.1.5.5.7.1.31'), TRUE, der(TAG.bytes, der(TAG.bytes, digest))),
  )
  // Positive, and never with a leading zero byte.
  const serial = Buffer.concat([Buffer.from([0x40]), randomBytes(8)])
  const subject = commonName('appsvc ACME challenge')
  const content = sequence(
    explicit(0, der(TAG.integer, Buffer.from([2]))),
    der(TAG.integer, serial),
    ECDSA_SHA256,
    subject,
    sequence(time(now - DAY_MS), time(now + DAY_MS)),
    subject,
    publicBytes(key),
    explicit(3, extensions),
  )
  return pem(signed(content, key))
}

function pem(certificate: Buffer): string {
  const lines = certificate.toString('base64').match(/.{1,64}/g)!
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}

/** What is shown of a certificate. Times in milliseconds. */
export interface CertificateFacts {
  /** The DNS names, in lower case; `*.example.com` stays. */
  names: string[]
  /** The organization and the name of the issuer, such as `Let's Encrypt, R11`. */
  issuer: string
  notBefore: number
  notAfter: number
}

/** Reads the first certificate of a chain (PEM). Throws when there is none. */
export function certificateFacts(chain: string): CertificateFacts {
  const certificate = new X509Certificate(chain)
  const issuer = new Map(certificate.issuer.split('\n').map((line) => line.split(/=(.*)/s, 2) as [string, string]))
  return {
    names: [...(certificate.subjectAltName ?? '').matchAll(/(?:^|, )DNS:([^",]+)/g)].map(([, name]) =>
      name!.toLowerCase(),
    ),
    issuer: [issuer.get('O'), issuer.get('CN')].filter((part) => part !== undefined).join(', '),
    notBefore: certificate.validFromDate.getTime(),
    notAfter: certificate.validToDate.getTime(),
  }
}

/** Whether a certificate is for a host name; one label may stand for a star. `names` in lower case. */
export function isForName(names: readonly string[], host: string): boolean {
  const parent = host.replace(/^[^.]+\./, '')
  return names.some((name) => name === host || (parent !== host && name === `*.${parent}`))
}
