import {
  createHash,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  verify,
  X509Certificate,
} from 'node:crypto'
import forge from 'node-forge'

/** Issues certificates for requests with keys of any kind; node-forge by itself knows RSA only. */

const { asn1 } = forge
const { Class, Type } = asn1
type Node = forge.asn1.Asn1

const node = (type: number, value: string | Node[]): Node =>
  asn1.create(Class.UNIVERSAL, type, typeof value !== 'string', value)
const sequence = (...parts: Node[]) => node(Type.SEQUENCE, parts)
const oid = (text: string) => node(Type.OID, asn1.oidToDer(text).getBytes())
const tagged = (number: number, parts: Node[]) => asn1.create(Class.CONTEXT_SPECIFIC, number, true, parts)
const bytes = (value: Buffer) => node(Type.OCTETSTRING, value.toString('binary'))
const bits = (value: Buffer) => node(Type.BITSTRING, `\0${value.toString('binary')}`)
const toDer = (one: Node) => Buffer.from(asn1.toDer(one).getBytes(), 'binary')
// The published types only know the older boolean argument.
const fromDer = (der: Buffer) =>
  asn1.fromDer(der.toString('binary'), { strict: true, decodeBitStrings: false } as unknown as boolean)
const parts = (one: Node) => one.value as Node[]
const raw = (one: Node) => Buffer.from(one.value as string, 'binary')

const ECDSA_SHA256 = sequence(oid('1.2.840.10045.4.3.2'))
const ALT_NAMES = '2.5.29.17'
const DAY_MS = 86_400_000

const nameOf = (text: string) => sequence(node(Type.SET, [sequence(oid('2.5.4.3'), node(Type.UTF8, text))]))
const timeOf = (ms: number) => node(Type.GENERALIZEDTIME, asn1.dateToGeneralizedTime(new Date(ms)))
const extension = (id: string, value: Node, isCritical = false) =>
  sequence(oid(id), ...(isCritical ? [node(Type.BOOLEAN, '\xff')] : []), bytes(toDer(value)))
const altNames = (names: readonly string[]) =>
  sequence(...names.map((name) => asn1.create(Class.CONTEXT_SPECIFIC, 2, false, name)))
const pem = (der: Buffer) =>
  `-----BEGIN CERTIFICATE-----\n${der.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`
const spkiOf = (key: KeyObject) => createPublicKey(key).export({ type: 'spki', format: 'der' })

export interface TestAuthority {
  /** PEM, for `acme.caFile`. */
  root: string
  /** The key identifier in what it issues, hex. */
  keyId: string
  issue(names: readonly string[], spki: Buffer, from: number, to: number): string
}

export function makeAuthority(): TestAuthority {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const keyId = createHash('sha1').update(spkiOf(privateKey)).digest()
  const issuer = nameOf('ACME stand-in')

  function certify(subject: Node, spki: Buffer, [from, to]: [number, number], extensions: Node[]): string {
    const serial = Buffer.concat([Buffer.from([0x40]), randomBytes(8)]).toString('binary')
    const content = sequence(
      tagged(0, [node(Type.INTEGER, '\x02')]),
      node(Type.INTEGER, serial),
      ECDSA_SHA256,
      issuer,
      sequence(timeOf(from), timeOf(to)),
      subject,
      fromDer(spki),
      tagged(3, [sequence(...extensions)]),
    )
    const signature = sign('sha256', toDer(content), privateKey)
    return pem(toDer(sequence(content, ECDSA_SHA256, bits(signature))))
  }

  const basics = (isAuthority: boolean) =>
    extension('2.5.29.19', sequence(...(isAuthority ? [node(Type.BOOLEAN, '\xff')] : [])), true)
  const now = Date.now()
  const root = certify(
    issuer,
    spkiOf(privateKey),
    [now - DAY_MS, now + 3650 * DAY_MS],
    [basics(true), extension('2.5.29.14', bytes(keyId))],
  )
  return {
    root,
    keyId: keyId.toString('hex'),
    issue: (names, spki, from, to) =>
      certify(
        sequence(),
        spki,
        [from, to],
        [
          basics(false),
          extension(ALT_NAMES, altNames(names)),
          extension('2.5.29.35', sequence(asn1.create(Class.CONTEXT_SPECIFIC, 0, false, keyId.toString('binary')))),
        ],
      ),
  }
}

/** A key and its certificate for these names, both PEM. */
export function identityFor(authority: TestAuthority, names: readonly string[]): { cert: string; key: string } {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const now = Date.now()
  return {
    cert: authority.issue(names, spkiOf(privateKey), now - DAY_MS, now + 30 * DAY_MS),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  }
}

/** The names and the public key of a signing request. Throws when its signature is wrong. */
export function readRequest(der: Buffer): { names: string[]; spki: Buffer } {
  const [info, , signature] = parts(fromDer(der)) as [Node, Node, Node]
  const [, , spkiNode, attributes] = parts(info) as [Node, Node, Node, Node]
  const spki = toDer(spkiNode)
  const key = createPublicKey({ key: spki, format: 'der', type: 'spki' })
  if (!verify('sha256', toDer(info), key, raw(signature).subarray(1)))
    throw new Error('the request is not signed by its key')
  const extensions = parts(parts(parts(parts(attributes)[0]!)[1]!)[0]!)
  const names = extensions.flatMap((one) => {
    const [id, value] = parts(one) as [Node, Node]
    if (asn1.derToOid(id.value as string) !== ALT_NAMES) return []
    return parts(fromDer(raw(value))).map((name) => name.value as string)
  })
  return { names, spki }
}

/** Tells whether a certificate answers a TLS-ALPN-01 challenge (RFC 8737): one name, and the digest in a critical extension. */
export function answersChallenge(der: Buffer, name: string, authorization: string): boolean {
  const digest = createHash('sha256').update(authorization).digest()
  const wanted = toDer(sequence(oid('1.3.6.1.5.5.7.1.31'), node(Type.BOOLEAN, '\xff'), bytes(toDer(bytes(digest)))))
  return new X509Certificate(der).subjectAltName === `DNS:${name}` && der.includes(wanted)
}
