import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { isIP } from 'node:net'
import forge from 'node-forge'

/** Certificates for tests, made at run time so that none is ever stale. */

export interface CertificateRequest {
  cn: string
  /** DNS names and IP addresses. Default: the common name. */
  altNames?: readonly string[]
  /** Default: an hour ago. */
  notBefore?: Date
  /** Default: in one day. */
  notAfter?: Date
  /** The serial number as bytes in hexadecimal. Default: eight bytes of chance. */
  serial?: string
  /** More subject attributes by OID or short name, e.g. `{ '0.9.2342.19200300.100.1.1': 'com.example.app' }` for UID. */
  subject?: Readonly<Record<string, string>>
  /** More extensions: OID -> DER value as a binary string. Apple marks its push certificates this way. */
  extensions?: Readonly<Record<string, string>>
}

export interface Certificate {
  certPem: string
  keyPem: string
}

export interface CertificateAuthority extends Certificate {
  issue(request: CertificateRequest): Certificate
}

const HOUR_MS = 3_600_000

/** A root that nobody trusts unless told to. */
export function makeCa(cn = 'Test Root'): CertificateAuthority {
  const own = build({ cn }, undefined)
  return { ...own, issue: (request) => build(request, own) }
}

/** A certificate that vouches for itself. */
export function makeSelfSigned(request: CertificateRequest): Certificate {
  return build(request, 'self')
}

/** Keys of leaves, which take turns: to find the primes of a key takes longer than most tests. */
const keys: string[] = []
const KEYS = 8
let leaves = 0

function newKey(): string {
  return generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  }).privateKey
}

function nextKey(): string {
  const at = leaves++ % KEYS
  return (keys[at] ??= newKey())
}

/** The key of a certificate: an authority, and a certificate that vouches for itself, has one of its own. */
const keyOf = (issuer: Certificate | 'self' | undefined) => (typeof issuer === 'object' ? nextKey() : newKey())

/** Issuer undefined makes an authority, `'self'` a self-signed leaf. */
function build(request: CertificateRequest, issuer: Certificate | 'self' | undefined): Certificate {
  const keyPem = keyOf(issuer)
  const key = forge.pki.privateKeyFromPem(keyPem)
  const certificate = forge.pki.createCertificate()
  certificate.publicKey = forge.pki.setRsaPublicKey(key.n, key.e)
  // Not 0 in front: as many bytes as there must be, or OpenSSL now and then refuses the certificate.
  certificate.serialNumber = request.serial ?? `4${randomBytes(8).toString('hex').slice(1)}`
  certificate.validity.notBefore = request.notBefore ?? new Date(Date.now() - HOUR_MS)
  certificate.validity.notAfter = request.notAfter ?? new Date(Date.now() + 24 * HOUR_MS)
  const subject = [{ name: 'commonName', value: request.cn }, ...attributes(request.subject)]
  certificate.setSubject(subject)
  const signer = typeof issuer === 'object' ? issuer : undefined
  certificate.setIssuer(signer ? forge.pki.certificateFromPem(signer.certPem).subject.attributes : subject)
  certificate.setExtensions(extensionsOf(request, issuer === undefined))
  certificate.sign(signer ? forge.pki.privateKeyFromPem(signer.keyPem) : key, forge.md.sha256.create())
  return { certPem: forge.pki.certificateToPem(certificate), keyPem }
}

function attributes(subject: Readonly<Record<string, string>> = {}): forge.pki.CertificateField[] {
  return Object.entries(subject).map(([id, value]) => (/^\d/.test(id) ? { type: id, value } : { shortName: id, value }))
}

function extensionsOf(request: CertificateRequest, authority: boolean): object[] {
  const usage = authority
    ? [{ name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true }]
    : [
        { name: 'keyUsage', digitalSignature: true, keyEncipherment: true },
        { name: 'extKeyUsage', serverAuth: true, clientAuth: true },
        {
          name: 'subjectAltName',
          altNames: (request.altNames ?? [request.cn]).map((name) =>
            isIP(name) ? { type: 7, ip: name } : { type: 2, value: name },
          ),
        },
      ]
  const own = Object.entries(request.extensions ?? {}).map(([id, value]) => ({ id, value }))
  return [{ name: 'basicConstraints', cA: authority, critical: true }, ...usage, ...own]
}
