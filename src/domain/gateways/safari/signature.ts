import { createHash, createPrivateKey, type KeyObject, sign, verify, X509Certificate } from 'node:crypto'
import { promisify } from 'node:util'
import asn1 from 'node-forge/lib/asn1.js'
import { type Asn1, Asn1Error, bytesOf, children, inside, isTagged, oidOf, readBer, writeDer } from '../apns/asn1.ts'

/** Signs bytes as a detached CMS message (RFC 5652, PKCS#7 of old), DER. `now` in ms. */
export type SignDetached = (content: Buffer, now: number) => Promise<Buffer>

const OID = {
  data: '1.2.840.113549.1.7.1',
  signedData: '1.2.840.113549.1.7.2',
  contentType: '1.2.840.113549.1.9.3',
  messageDigest: '1.2.840.113549.1.9.4',
  signingTime: '1.2.840.113549.1.9.5',
  sha256: '2.16.840.1.101.3.4.2.1',
  rsa: '1.2.840.113549.1.1.1',
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
} as const

const { Class, Type } = asn1
const PEM = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g
const signInPool = promisify(sign)

/** PEM text of one or more certificates, in their order. */
export function readCertificates(pem: string): X509Certificate[] {
  return (pem.match(PEM) ?? []).map((one) => new X509Certificate(one))
}

/**
 * A signer for one certificate: `cert` is its PEM, followed by those of its issuers, which all go into the signature.
 * The constant parts are made once; signing runs outside the event loop. RSA and elliptic keys.
 */
export function createSigner({ cert, key }: { cert: string; key: string }): SignDetached {
  const certificates = readCertificates(cert)
  const privateKey = createPrivateKey(key)
  const fixed = {
    certificates: tagged(
      0,
      certificates.map(({ raw }) => readBer(raw)),
    ),
    issuerAndSerial: issuerAndSerialOf(certificates[0]!),
    algorithm: algorithmOf(privateKey),
  }
  return async (content, now) => {
    const attributes = attributesOf(content, now)
    const signature = await signInPool('sha256', writeDer(set(attributes)), privateKey)
    const signer = sequence([
      integer(1),
      fixed.issuerAndSerial,
      sequence([oid(OID.sha256), nothing()]),
      tagged(0, attributes),
      fixed.algorithm,
      octets(signature),
    ])
    const signedData = sequence([
      integer(1),
      set([sequence([oid(OID.sha256), nothing()])]),
      sequence([oid(OID.data)]),
      fixed.certificates,
      set([signer]),
    ])
    return writeDer(sequence([oid(OID.signedData), tagged(0, [signedData])]))
  }
}

/** The signer, and every certificate in the signature. */
export interface VerifiedSignature {
  signer: X509Certificate
  certificates: X509Certificate[]
}

/**
 * Reads a detached signature and verifies it against the content; does not check trust. Throws `Asn1Error` if it does
 * not verify.
 */
export function verifyDetached(signature: Buffer, content: Buffer): VerifiedSignature {
  const [kind, wrapped] = children(readBer(signature))
  if (oidOf(kind) !== OID.signedData) throw new Asn1Error('the signature is not signed data')
  const fields = children(inside(wrapped))
  if (children(fields[2]).length !== 1) throw new Asn1Error('the signature contains its content: it must be detached')
  const certificates = children(fields.find((field) => isTagged(field, 0))).map((one) => certificateFrom(writeDer(one)))
  const [signerInfo] = children(fields.at(-1))
  const [, issuerAndSerial, , attributes, , signed] = children(signerInfo)
  const wanted = writeDer(issuerAndSerial!)
  const signer = certificates.find((one) => writeDer(issuerAndSerialOf(one)).equals(wanted))
  if (!signer) throw new Asn1Error('the signature does not contain the certificate of its signer')
  const digest = createHash('sha256').update(content).digest()
  if (!digestIn(attributes).equals(digest)) throw new Asn1Error('the signature is for other content')
  // The signature covers the attributes as a SET, not with their implicit tag.
  if (!verify('sha256', writeDer(set(children(attributes))), signer.publicKey, bytesOf(signed))) {
    throw new Asn1Error('the signature was not made with the key of its certificate')
  }
  return { signer, certificates }
}

function certificateFrom(der: Buffer): X509Certificate {
  try {
    return new X509Certificate(der)
  } catch {
    throw new Asn1Error('a certificate in the signature cannot be read')
  }
}

function digestIn(attributes: Asn1 | undefined): Buffer {
  for (const attribute of children(attributes)) {
    const [kind, values] = children(attribute)
    if (oidOf(kind) === OID.messageDigest) return bytesOf(inside(values))
  }
  throw new Asn1Error('the signature contains no digest')
}

function attributesOf(content: Buffer, now: number): Asn1[] {
  const attribute = (kind: string, value: Asn1) => sequence([oid(kind), set([value])])
  const time = asn1.dateToUtcTime(new Date(now))
  return inOrder([
    attribute(OID.contentType, oid(OID.data)),
    attribute(OID.signingTime, primitive(Type.UTCTIME, time)),
    attribute(OID.messageDigest, octets(createHash('sha256').update(content).digest())),
  ])
}

/** The order of elements in a DER set. */
function inOrder(nodes: Asn1[]): Asn1[] {
  return nodes
    .map((node) => ({ node, der: writeDer(node) }))
    .sort((a, b) => Buffer.compare(a.der, b.der))
    .map(({ node }) => node)
}

function issuerAndSerialOf(certificate: X509Certificate): Asn1 {
  const fields = children(inside(readBer(certificate.raw)))
  // The version's tag stands in front, unless it is version 1; then serial, signature algorithm, issuer.
  const first = isTagged(fields[0], 0) ? 1 : 0
  return sequence([fields[first + 2]!, fields[first]!])
}

function algorithmOf(key: KeyObject): Asn1 {
  return key.asymmetricKeyType === 'ec' ? sequence([oid(OID.ecdsaWithSha256)]) : sequence([oid(OID.rsa), nothing()])
}

function primitive(type: asn1.Type, value: string): Asn1 {
  return asn1.create(Class.UNIVERSAL, type, false, value)
}

function sequence(items: Asn1[]): Asn1 {
  return asn1.create(Class.UNIVERSAL, Type.SEQUENCE, true, items)
}

function set(items: Asn1[]): Asn1 {
  return asn1.create(Class.UNIVERSAL, Type.SET, true, items)
}

function tagged(tag: number, items: Asn1[]): Asn1 {
  return asn1.create(Class.CONTEXT_SPECIFIC, tag, true, items)
}

function oid(dotted: string): Asn1 {
  return primitive(Type.OID, asn1.oidToDer(dotted).getBytes())
}

function octets(bytes: Buffer): Asn1 {
  return primitive(Type.OCTETSTRING, bytes.toString('binary'))
}

function integer(value: number): Asn1 {
  return primitive(Type.INTEGER, String.fromCharCode(value))
}

function nothing(): Asn1 {
  return primitive(Type.NULL, '')
}
