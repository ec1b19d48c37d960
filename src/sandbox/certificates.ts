import { createPrivateKey, generateKeyPair, sign, X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { promisify } from 'node:util'
import forge from 'node-forge'

/** PEM of a key and of its certificate, as Node's TLS takes them. */
export interface Identity {
  key: string
  cert: string
}

const DAY_MS = 86_400_000
const makeKeyPair = promisify(generateKeyPair)

/** A new RSA key of 2048 bits as PKCS#8 PEM; RSA because Apple's push certificates and Google's account keys are. */
export async function makeRsaKey(): Promise<string> {
  const { privateKey } = await makeKeyPair('rsa', { modulusLength: 2048 })
  return privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
}

/** A new P-256 key as PKCS#8 PEM, as in a `.p8` file of Apple. */
export async function makeEcKey(): Promise<string> {
  const { privateKey } = await makeKeyPair('ec', { namedCurve: 'P-256' })
  return privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
}

/** A self-signed authority for ten years. `now` in milliseconds. */
export function makeAuthority(key: string, now: number): Identity {
  const subject = [
    { name: 'commonName', value: 'appsvc sandbox authority' },
    { name: 'organizationName', value: 'appsvc sandbox' },
  ]
  const extensions = [
    { name: 'basicConstraints', cA: true, critical: true },
    { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    { name: 'subjectKeyIdentifier' },
  ]
  return { key, cert: certify({ key, subject, extensions, from: now - DAY_MS, to: now + 3650 * DAY_MS }) }
}

/** A certificate for a TLS server under these names and addresses. */
export function makeServerIdentity(
  { key, authority, hosts }: { key: string; authority: Identity; hosts: readonly string[] },
  { from, to }: { from: number; to: number },
): Identity {
  return { key, cert: certify({ key, issuer: authority, from, to, ...serverShape(hosts) }) }
}

/** `makeServerIdentity`, but self-signed. */
export function makeSelfSignedIdentity(key: string, hosts: readonly string[], now: number): Identity {
  return { key, cert: certify({ key, from: now - DAY_MS, to: now + 30 * DAY_MS, ...serverShape(hosts) }) }
}

function serverShape(hosts: readonly string[]) {
  return {
    subject: [{ name: 'commonName', value: hosts[0]! }],
    extensions: [
      { name: 'basicConstraints', cA: false },
      { name: 'keyUsage', digitalSignature: true, keyEncipherment: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: hosts.map((host) => (isIP(host) ? { type: 7, ip: host } : { type: 2, value: host })),
      },
    ],
  }
}

/**
 * A push certificate as Apple issues them ("Apple Push Services", for Sandbox & Production): the bundle id in the
 * subject's UID, both environment markers, and the list of topics in extension 1.2.840.113635.100.6.3.6. `name` is its
 * common name.
 */
export function makePushIdentity(
  {
    key,
    authority,
    topics,
    teamId,
    name = `Apple Push Services: ${topics[0]!}`,
  }: { key: string; authority: Identity; topics: readonly string[]; teamId: string; name?: string },
  now: number,
): Identity {
  const bundleId = topics[0]!
  const subject = [
    { type: '0.9.2342.19200300.100.1.1', value: bundleId },
    { name: 'commonName', value: name },
    { name: 'organizationalUnitName', value: teamId },
    { name: 'organizationName', value: 'appsvc sandbox' },
  ]
  const extensions = [
    { name: 'basicConstraints', cA: false, critical: true },
    { name: 'keyUsage', digitalSignature: true, critical: true },
    { name: 'extKeyUsage', clientAuth: true },
    { id: '1.2.840.113635.100.6.3.1', value: derNull() },
    { id: '1.2.840.113635.100.6.3.2', value: derNull() },
    { id: '1.2.840.113635.100.6.3.6', value: derTopics(topics) },
  ]
  return {
    key,
    cert: certify({ key, issuer: authority, subject, extensions, from: now - DAY_MS, to: now + 365 * DAY_MS }),
  }
}

/** The identity as a PKCS#12 file. */
export function makeP12({ key, cert }: Identity, password: string): Buffer {
  const asn1 = forge.pkcs12.toPkcs12Asn1(forgeKey(key), [forge.pki.certificateFromPem(cert)], password, {
    algorithm: 'aes256',
    friendlyName: 'appsvc sandbox',
  })
  return Buffer.from(forge.asn1.toDer(asn1).getBytes(), 'latin1')
}

/** Tells whether the certificate is valid for at least another week. */
export function isFresh(cert: string, now: number): boolean {
  return new X509Certificate(cert).validToDate.getTime() > now + 7 * DAY_MS
}

interface CertificateShape {
  /** The subject's private key, PEM. */
  key: string
  /** Self-signed without one. */
  issuer?: Identity
  subject: forge.pki.CertificateField[]
  extensions: unknown[]
  from: number
  to: number
}

function certify({ key, issuer, subject, extensions, from, to }: CertificateShape): string {
  const { n, e } = forgeKey(key)
  const certificate = forge.pki.createCertificate()
  certificate.publicKey = forge.pki.setRsaPublicKey(n, e)
  // Positive and of fixed length: clear the top bit of the first octet.
  certificate.serialNumber = `4${forge.util.bytesToHex(forge.random.getBytesSync(10)).slice(1)}`
  certificate.validity.notBefore = new Date(from)
  certificate.validity.notAfter = new Date(to)
  certificate.setSubject(subject)
  certificate.setIssuer(issuer ? forge.pki.certificateFromPem(issuer.cert).subject.attributes : subject)
  certificate.setExtensions(extensions as object[])
  certificate.sign(signingWith(issuer?.key ?? key, certificate), forge.md.sha256.create())
  return forge.pki.certificateToPem(certificate)
}

/** A key that signs with Node: in node-forge's own arithmetic a signature takes 20 to 60 ms, and a sandbox needs several at its start. */
function signingWith(pem: string, certificate: forge.pki.Certificate): forge.pki.rsa.PrivateKey {
  const signed = () => Buffer.from(forge.asn1.toDer(certificate.tbsCertificate).getBytes(), 'latin1')
  return { ...forgeKey(pem), sign: () => sign('sha256', signed(), pem).toString('latin1') }
}

function forgeKey(pem: string): forge.pki.rsa.PrivateKey {
  // node-forge reads PKCS#1 directly.
  const pkcs1 = createPrivateKey(pem).export({ type: 'pkcs1', format: 'pem' }) as string
  return forge.pki.privateKeyFromPem(pkcs1)
}

function derNull(): string {
  return forge.asn1.toDer(der(forge.asn1.Type.NULL, '')).getBytes()
}

/** SEQUENCE of pairs: topic, SEQUENCE { kind }. */
function derTopics(topics: readonly string[]): string {
  const { Type } = forge.asn1
  const items = topics.flatMap((topic) => [der(Type.UTF8, topic), der(Type.SEQUENCE, [der(Type.UTF8, kindOf(topic))])])
  return forge.asn1.toDer(der(Type.SEQUENCE, items)).getBytes()
}

function kindOf(topic: string): string {
  if (topic.endsWith('.voip')) return 'voip'
  return topic.endsWith('.complication') ? 'complication' : 'app'
}

function der(type: forge.asn1.Type, value: string | forge.asn1.Asn1[]): forge.asn1.Asn1 {
  return forge.asn1.create(forge.asn1.Class.UNIVERSAL, type, Array.isArray(value), value)
}
