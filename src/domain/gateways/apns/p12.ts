import { createPrivateKey, type KeyObject, timingSafeEqual, X509Certificate } from 'node:crypto'
import { type Asn1, Asn1Error, bytesOf, children, inside, integerOf, oidOf, readBer, writeDer } from './asn1.ts'
import { Budget, decrypt, macOf, P12Failure, type P12Password } from './p12-cipher.ts'

/** Contents of a PKCS#12 file. */
export interface P12Contents {
  keys: KeyObject[]
  certificates: X509Certificate[]
}

const DATA = '1.2.840.113549.1.7.1'
const ENCRYPTED_DATA = '1.2.840.113549.1.7.6'
const BAGS = '1.2.840.113549.1.12.10.1.'
const X509_CERTIFICATE = '1.2.840.113549.1.9.22.1'
const DEEPEST_BAG = 4

/**
 * Opens a PKCS#12 file (RFC 7292). Node's `pfx` option refuses the RC2 and 3DES that older tools write, and does not
 * tell a wrong password from an unknown cipher; docs/decisions/0022-own-code-for-p12-and-jwt.md says why no library
 * does it. RSA and elliptic keys; legacy ciphers, PBES2 and PBMAC1. The work is bounded and yields to other work every
 * few milliseconds. Throws `P12Failure`.
 */
export async function openP12(file: Buffer, password: string): Promise<P12Contents> {
  try {
    const [version, authSafe, macData] = children(readBer(file))
    if (integerOf(version) !== 3) throw new P12Failure('not_p12', 'is not version 3 of PKCS#12')
    const [kind, wrapped] = children(authSafe)
    if (oidOf(kind) !== DATA) throw new P12Failure('unsupported', 'is signed with a public key instead of a password')
    const contents = bytesOf(inside(wrapped))
    const budget = new Budget()
    const right = await rightPassword(macData, contents, password, budget)
    const found: P12Contents = { keys: [], certificates: [] }
    try {
      for (const info of children(readBer(contents))) await readSafe(info, right, budget, found)
    } catch (error) {
      // The MAC proved the password, so a part that does not decrypt is damaged.
      if (macData && error instanceof P12Failure && error.kind === 'password') {
        throw new P12Failure('not_p12', 'is damaged: a part of it does not decrypt')
      }
      if (!macData && error instanceof Asn1Error) throw new P12Failure('password', 'the contents do not decrypt')
      throw error
    }
    return found
  } catch (error) {
    if (error instanceof Asn1Error) throw new P12Failure('not_p12', error.message)
    throw error
  }
}

/** Tools encode an empty password in two ways: as two zero bytes, or as nothing. */
function spellings(password: string): P12Password[] {
  const utf8 = Buffer.from(password, 'utf8')
  const bmp = Buffer.from(`${password}\0`, 'utf16le').swap16()
  return password === ''
    ? [
        { utf8, bmp },
        { utf8, bmp: Buffer.alloc(0) },
      ]
    : [{ utf8, bmp }]
}

async function rightPassword(macData: Asn1 | undefined, contents: Buffer, password: string, budget: Budget) {
  const candidates = spellings(password)
  if (!macData) return candidates[0]!
  const [digestInfo, saltNode, iterationNode] = children(macData)
  const [algorithm, digestNode] = children(digestInfo)
  const digest = bytesOf(digestNode)
  const iterations = iterationNode ? integerOf(iterationNode) : 1
  for (const candidate of candidates) {
    const mac = await macOf(algorithm, bytesOf(saltNode), iterations, contents, candidate, budget)
    if (mac.length === digest.length && timingSafeEqual(mac, digest)) return candidate
  }
  throw new P12Failure('password', 'the password is wrong')
}

/** One ContentInfo: safe contents, plain or encrypted. */
async function readSafe(info: Asn1, password: P12Password, budget: Budget, found: P12Contents): Promise<void> {
  const [kind, content] = children(info)
  const oid = oidOf(kind)
  if (oid === DATA) return readBags(readBer(bytesOf(inside(content))), password, budget, found, 0)
  if (oid !== ENCRYPTED_DATA) throw new P12Failure('unsupported', `holds an unknown kind of content (${oid})`)
  const [, encrypted] = children(inside(content))
  const [, algorithm, data] = children(encrypted)
  const clear = await decrypt(algorithm, bytesOf(data), password, budget)
  return readBags(readBer(clear), password, budget, found, 0)
}

async function readBags(bags: Asn1, password: P12Password, budget: Budget, found: P12Contents, depth: number) {
  if (depth > DEEPEST_BAG) throw new P12Failure('not_p12', 'nests its contents too deeply')
  for (const bag of children(bags)) {
    const [kind, wrapped] = children(bag)
    const oid = oidOf(kind)
    if (!oid.startsWith(BAGS)) continue
    const value = inside(wrapped)
    switch (oid.slice(BAGS.length)) {
      case '1':
        found.keys.push(keyFrom(writeDer(value)))
        break
      case '2': {
        const [algorithm, data] = children(value)
        const clear = await decrypt(algorithm, bytesOf(data), password, budget)
        found.keys.push(keyFrom(clear))
        break
      }
      case '3': {
        const [certificateKind, certificate] = children(value)
        if (oidOf(certificateKind) === X509_CERTIFICATE)
          found.certificates.push(certificateFrom(bytesOf(inside(certificate))))
        break
      }
      case '6':
        await readBags(value, password, budget, found, depth + 1)
        break
    }
  }
}

function keyFrom(der: Buffer): KeyObject {
  try {
    return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  } catch {
    throw new Asn1Error('a private key in it cannot be read')
  }
}

function certificateFrom(der: Buffer): X509Certificate {
  try {
    return new X509Certificate(der)
  } catch {
    throw new Asn1Error('a certificate in it cannot be read')
  }
}
