import asn1 from 'node-forge/lib/asn1.js'

/** Thin, typed readers over node-forge's ASN.1 tree. Each throws `Asn1Error` rather than return a partial value. */
export type Asn1 = asn1.Asn1

export class Asn1Error extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'Asn1Error'
  }
}

/** BER or DER (older exports use indefinite lengths) -> tree. Trailing bytes are ignored. */
export function readBer(bytes: Buffer): Asn1 {
  try {
    // The published types only know the older boolean argument.
    const options = { strict: true, parseAllBytes: false, decodeBitStrings: false } as unknown as boolean
    return asn1.fromDer(bytes.toString('binary'), options)
  } catch (error) {
    throw new Asn1Error(error instanceof Error ? error.message : String(error))
  }
}

/** The DER of one node. */
export function writeDer(node: Asn1): Buffer {
  return Buffer.from(asn1.toDer(node).getBytes(), 'binary')
}

export function children(node: Asn1 | undefined): Asn1[] {
  if (!node || !Array.isArray(node.value)) throw new Asn1Error('a sequence was expected')
  return node.value
}

/** The one value inside an explicit tag. */
export function inside(node: Asn1 | undefined): Asn1 {
  const [only] = children(node)
  if (!only) throw new Asn1Error('a value was expected')
  return only
}

/** The bytes of an octet string, joined if BER split it into segments. */
export function bytesOf(node: Asn1 | undefined): Buffer {
  if (!node) throw new Asn1Error('a string was expected')
  if (typeof node.value === 'string') return Buffer.from(node.value, 'binary')
  return Buffer.concat(node.value.map(bytesOf))
}

export function oidOf(node: Asn1 | undefined): string {
  if (node?.type !== asn1.Type.OID || typeof node.value !== 'string') throw new Asn1Error('an OID was expected')
  return asn1.derToOid(node.value)
}

/** A small non-negative integer; larger ones are returned as Infinity. */
export function integerOf(node: Asn1 | undefined): number {
  if (node?.type !== asn1.Type.INTEGER || typeof node.value !== 'string') {
    throw new Asn1Error('an integer was expected')
  }
  const hex = Buffer.from(node.value, 'binary').toString('hex')
  const value = Number.parseInt(hex, 16)
  return hex.length <= 12 ? value : Number.POSITIVE_INFINITY
}

/** Tells whether a node is the context-specific tag `[n]`. */
export function isTagged(node: Asn1 | undefined, tag: number): boolean {
  // For non-universal tags the library's `type` is the tag number.
  const number: number | undefined = node?.type
  return node?.tagClass === asn1.Class.CONTEXT_SPECIFIC && number === tag
}

/** The algorithm and its parameters of an AlgorithmIdentifier. */
export function algorithmOf(node: Asn1 | undefined): { oid: string; parameters: Asn1 | undefined } {
  const [oid, parameters] = children(node)
  return { oid: oidOf(oid), parameters }
}
