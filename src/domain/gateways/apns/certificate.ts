import type { X509Certificate } from 'node:crypto'
import { type Asn1, bytesOf, children, inside, isTagged, oidOf, readBer } from './asn1.ts'

/** Facts that Apple writes into a push certificate. Apple does not document its OIDs, so we read them and never require them. */
export interface PushCertificateFacts {
  /** `UID` of the subject: the bundle id, or the website push id of a Safari certificate. */
  userId?: string
  /** Topics that it may send to: the extension's list and the UID. */
  topics: string[]
  /**
   * True when it has one of the extensions that only push certificates have. Certificates for signing and distributing
   * have a UID too.
   */
  isPush: boolean
  /** Environment markers; both absent when the certificate does not tell. */
  sandbox: boolean
  production: boolean
}

const USER_ID = '0.9.2342.19200300.100.1.1'
const SANDBOX_MARKER = '1.2.840.113635.100.6.3.1'
const PRODUCTION_MARKER = '1.2.840.113635.100.6.3.2'
const TOPICS = '1.2.840.113635.100.6.3.6'
const EXTENSIONS_TAG = 3

/** Reads the facts; a certificate that is not from Apple has none. */
export function readPushCertificate(certificate: X509Certificate): PushCertificateFacts {
  const fields = children(inside(readBer(certificate.raw)))
  const extensions = readExtensions(fields)
  const userId = subjectValue(fields, USER_ID)
  const listed = readTopics(extensions.get(TOPICS))
  return {
    ...(userId !== undefined && { userId }),
    topics: [...new Set(userId === undefined ? listed : [userId, ...listed])],
    isPush: [SANDBOX_MARKER, PRODUCTION_MARKER, TOPICS].some((oid) => extensions.has(oid)),
    sandbox: extensions.has(SANDBOX_MARKER),
    production: extensions.has(PRODUCTION_MARKER),
  }
}

function readExtensions(fields: Asn1[]): Map<string, Buffer> {
  const tagged = fields.find((field) => isTagged(field, EXTENSIONS_TAG))
  if (!tagged) return new Map()
  return new Map(
    children(inside(tagged)).map((extension) => {
      const [oid, ...rest] = children(extension)
      return [oidOf(oid), bytesOf(rest.at(-1))]
    }),
  )
}

function subjectValue(fields: Asn1[], wanted: string): string | undefined {
  // serial, signature, issuer, validity, subject; in front of them the version's tag, unless it is version 1.
  const subject = fields[isTagged(fields[0], 0) ? 5 : 4]
  for (const set of children(subject)) {
    for (const attribute of children(set)) {
      const [oid, value] = children(attribute)
      if (oidOf(oid) === wanted) return bytesOf(value).toString('utf8')
    }
  }
  return undefined
}

/** Reads a sequence in which each topic (a string) is followed by a sequence of the kinds of push it is for. */
function readTopics(extension: Buffer | undefined): string[] {
  if (!extension) return []
  try {
    return children(readBer(extension))
      .filter((node) => typeof node.value === 'string')
      .map((node) => bytesOf(node).toString('utf8'))
      .filter((topic) => /^[\w.-]+$/.test(topic))
  } catch {
    return []
  }
}
