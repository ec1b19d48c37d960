import { createPrivateKey, type KeyObject, type X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import { canSign } from '../../../platform/crypto/jwt.ts'
import { type FieldErrors, messageOf } from '../../../platform/errors.ts'
import { isPlainObject } from '../../../platform/json/json.ts'
import { check } from '../../../platform/values/parse.ts'
import type { CheckedCredential, CredentialFacts, Environment } from '../gateway.ts'
import { Asn1Error } from './asn1.ts'
import { apnsBlock, PEM_TEXT, TOO_LARGE } from './block.ts'
import { type PushCertificateFacts, readPushCertificate } from './certificate.ts'
import { P12 } from './limits.ts'
import { openP12 } from './p12.ts'
import { P12Failure } from './p12-cipher.ts'

/** The sealed part: a TLS client certificate with its key, or a token signing key (all PEM). */
export type ApnsSecret =
  | { kind: 'certificate'; cert: string; key: string }
  | { kind: 'key'; p8: string; keyId: string; teamId: string }

/** The public part. `topic` is for recipients without their own. */
export interface ApnsFacts extends CredentialFacts {
  kind: 'certificate' | 'key'
  mode: Environment
  topics: string[]
  topic?: string
  /** Environments that the credential is known to work in; empty for a certificate without markers. */
  environments: Environment[]
  keyId?: string
  teamId?: string
  subject?: string
  /** The app has the entitlement for critical alerts; absent: nobody said so. */
  critical?: boolean
}

interface Block {
  mode: Environment
  p12?: string
  password?: string
  p8?: string
  keyId?: string
  teamId?: string
  topic?: string
  critical?: boolean
}

type Checked = { credential: CheckedCredential } | { errors: FieldErrors }

/**
 * Checks an `ios` block: `{p12, password?, mode}` of the contract, or `{p8, keyId, teamId, topic?, mode}`; `critical`
 * goes with both. `now` in ms.
 * Reports the errors of all fields at once.
 */
export async function checkApns(input: unknown, now: number): Promise<Checked> {
  if (!isPlainObject(input)) return { errors: { '': ['must be an object'] } }
  const errors: FieldErrors = { ...check(apnsBlock, input, true), ...missingFields(input) }
  const block = input as unknown as Block
  let credential: CheckedCredential | undefined
  if (block.p12 !== undefined && !errors['p12'] && !errors['password']) {
    const opened = await openCertificate(block, block.p12, now, fitsApp(block.topic))
    if ('errors' in opened) Object.assign(errors, opened.errors)
    else {
      const wrongMode = errors['mode'] ? undefined : judgeMode(opened.marks, block.mode)
      if (wrongMode) errors['mode'] = [wrongMode]
      credential = certificateCredential(block, opened, now)
    }
  }
  if (block.p8 !== undefined && !errors['p8']) {
    const opened = openKey(block.p8)
    if ('errors' in opened) Object.assign(errors, opened.errors)
    else credential = keyCredential(block, opened.key)
  }
  return credential && Object.keys(errors).length === 0 ? { credential } : { errors }
}

function missingFields(block: Record<string, unknown>): FieldErrors {
  const errors: FieldErrors = {}
  if (block['p12'] !== undefined && block['p8'] !== undefined) errors['p8'] = ['must not be given together with p12']
  if (block['p12'] === undefined && block['p8'] === undefined) errors['p12'] = ['is required (or p8, keyId and teamId)']
  if (block['p8'] !== undefined) {
    if (block['keyId'] === undefined) errors['keyId'] = ['is required with p8']
    if (block['teamId'] === undefined) errors['teamId'] = ['is required with p8']
  }
  return errors
}

function openKey(p8: string): { key: KeyObject } | { errors: FieldErrors } {
  try {
    const key = createPrivateKey(p8.replace(/^\uFEFF/, '').replaceAll('\\n', '\n'))
    return canSign('ES256', key) ? { key } : { errors: { p8: ['must be a P-256 key, as in the .p8 files from Apple'] } }
  } catch {
    return { errors: { p8: ['is not a private key in PEM form (the text of the .p8 file from Apple)'] } }
  }
}

function keyCredential({ mode, keyId = '', teamId = '', topic, critical }: Block, key: KeyObject): CheckedCredential {
  const warnings = topic ? [] : ['without a topic, installs whose SDK did not report a bundle id cannot be reached']
  const facts: ApnsFacts = {
    kind: 'key',
    mode,
    topics: topic ? [topic] : [],
    ...(topic && { topic }),
    environments: ['production', 'sandbox'],
    keyId,
    teamId,
    ...(critical !== undefined && { critical }),
    warnings,
  }
  const p8 = key.export({ format: 'pem', type: 'pkcs8' }).toString()
  const secret: ApnsSecret = { kind: 'key', p8, keyId, teamId }
  return { secret, facts, sendable: true }
}

/** A certificate with its key, fit for TLS, and what Apple wrote into it. */
export interface OpenedCertificate {
  pair: Pair
  marks: PushCertificateFacts
  secret: Extract<ApnsSecret, { kind: 'certificate' }>
}

/**
 * Opens the p12 of a block; `p12` is base64, `now` in ms. `fits` chooses among several push certificates. Wrong keys (`p12`,
 * `password`) are returned.
 */
export async function openCertificate(
  block: Pick<Block, 'password' | 'mode'>,
  p12: string,
  now: number,
  fits: Fits,
): Promise<OpenedCertificate | { errors: FieldErrors }> {
  const file = Buffer.from(p12, 'base64')
  if (file.length > P12.fileBytes) return { errors: { p12: [TOO_LARGE] } }
  if (file.includes('-----BEGIN')) return { errors: { p12: [PEM_TEXT] } }
  try {
    const { keys, certificates } = await openP12(file, block.password ?? '')
    const pair = choosePair(keys, certificates, block.mode, fits)
    const notAfter = pair.certificate.validToDate.getTime()
    if (notAfter <= now) return { errors: { p12: [`the certificate expired on ${day(notAfter)}: make a new one`] } }
    const cert = pair.chain.map((one) => one.toString()).join('')
    const key = pair.key.export({ format: 'pem', type: 'pkcs8' }).toString()
    const objection = tlsObjection(cert, key)
    if (objection) return { errors: { p12: [`cannot be used for TLS: ${objection}`] } }
    return { pair, marks: readPushCertificate(pair.certificate), secret: { kind: 'certificate', cert, key } }
  } catch (error) {
    return { errors: explain(error, block.password) }
  }
}

function certificateCredential(block: Block, opened: OpenedCertificate, now: number): CheckedCredential {
  const { pair, marks, secret } = opened
  const topic = block.topic ?? marks.userId ?? (marks.topics.length === 1 ? marks.topics[0] : undefined)
  const facts: ApnsFacts = {
    kind: 'certificate',
    mode: block.mode,
    topics: marks.topics,
    ...(topic !== undefined && { topic }),
    environments: environmentsOf(marks),
    notAfter: pair.certificate.validToDate.getTime(),
    subject: pair.certificate.subject.replaceAll('\n', ', '),
    ...(block.critical !== undefined && { critical: block.critical }),
    warnings: warningsAbout(pair, marks, now),
  }
  return { secret, facts, sendable: true }
}

export interface Pair {
  certificate: X509Certificate
  key: KeyObject
  /** The certificate and those of its issuers that the file contains, without the root. */
  chain: X509Certificate[]
  others: number
}

interface Candidate {
  certificate: X509Certificate
  key: KeyObject
  marks: PushCertificateFacts
}

/** Whether a certificate can be the one that a block means, by its UID. */
type Fits = (marks: PushCertificateFacts) => boolean

function choosePair(keys: KeyObject[], certificates: X509Certificate[], mode: Environment, fits: Fits): Pair {
  if (keys.length === 0) {
    throw new P12Failure('incomplete', 'contains no private key: export the certificate together with its key')
  }
  if (certificates.length === 0) {
    throw new P12Failure('incomplete', 'contains no certificate: export the key together with its certificate')
  }
  const candidates = certificates.flatMap((certificate): Candidate[] => {
    const key = keys.find((candidate) => certificate.checkPrivateKey(candidate))
    return key ? [{ certificate, key, marks: readPushCertificate(certificate) }] : []
  })
  const best = candidates.length > 1 ? chooseAmong(candidates, mode, fits) : candidates[0]
  if (!best) throw new P12Failure('incomplete', 'the private key does not belong to the certificate')
  return { ...best, chain: chainOf(best.certificate, certificates), others: candidates.length - 1 }
}

/**
 * The push certificate among several, as exports of a whole keychain have them: certificates for signing, of other apps, and old ones.
 * Throws `P12Failure` when none is meant, or more than one can be.
 */
function chooseAmong(candidates: readonly Candidate[], mode: Environment, fits: Fits): Candidate {
  const found = `contains ${candidates.length} certificates with keys`
  const pushes = candidates.filter(({ marks }) => marks.isPush)
  if (pushes.length === 0) {
    throw new P12Failure('incomplete', `${found}, and none of them is for push: export "Apple Push Services" alone`)
  }
  const fitting = pushes.filter(({ marks }) => fits(marks))
  if (fitting.length === 0) {
    throw new P12Failure(
      'incomplete',
      `${found}; those for push are of ${idsOf(pushes).join(' and ')}, which does not fit`,
    )
  }
  const ids = idsOf(fitting)
  if (ids.length > 1) {
    throw new P12Failure(
      'incomplete',
      `${found}, for push to ${ids.join(' and ')}: name one as topic, or export it alone`,
    )
  }
  const suits = ({ marks }: Candidate) => Number(marks[mode] || marks.sandbox === marks.production)
  const end = ({ certificate }: Candidate) => certificate.validToDate.getTime()
  return fitting.toSorted((a, b) => suits(b) - suits(a) || end(b) - end(a))[0]!
}

const idsOf = (candidates: readonly Candidate[]) => [
  ...new Set(candidates.map(({ marks }) => marks.userId ?? marks.topics[0] ?? 'an unknown app')),
]

/** An app's certificate: of the topic, or of the app that the topic belongs to (`com.example.app.voip`). */
const fitsApp =
  (topic: string | undefined): Fits =>
  ({ userId, topics }) =>
    userId?.startsWith('web.') !== true &&
    (topic === undefined || topics.some((one) => topic === one || topic.startsWith(`${one}.`)))

function chainOf(leaf: X509Certificate, certificates: X509Certificate[]): X509Certificate[] {
  const chain = [leaf]
  for (let last = leaf; chain.length < 5; ) {
    const issuer = certificates.find((one) => !chain.includes(one) && last.checkIssued(one) && !one.checkIssued(one))
    if (!issuer) break
    chain.push(issuer)
    last = issuer
  }
  return chain
}

function judgeMode(marks: PushCertificateFacts, mode: Environment): string | undefined {
  if (mode === 'production' && marks.sandbox && !marks.production) {
    return 'must be sandbox: the certificate is for development only'
  }
  if (mode === 'sandbox' && marks.production && !marks.sandbox) {
    return 'must be production: the certificate does not work in the sandbox'
  }
  return undefined
}

function environmentsOf(marks: PushCertificateFacts): Environment[] {
  return [...(marks.production ? ['production' as const] : []), ...(marks.sandbox ? ['sandbox' as const] : [])]
}

function warningsAbout(pair: Pair, marks: PushCertificateFacts, now: number): string[] {
  const warnings = certificateWarnings(pair, now)
  if (!marks.sandbox && !marks.production) {
    warnings.push('the certificate does not name its environment, so mode could not be checked against it')
  }
  if (marks.topics.length === 0) warnings.push('the certificate names no topic: installs must report their bundle id')
  if (marks.userId?.startsWith('web.')) warnings.push('this is a website push certificate: it belongs under safari')
  return warnings
}

/** Warnings about a push certificate. */
export function certificateWarnings({ certificate, others }: Pair, now: number): string[] {
  const warnings: string[] = []
  const from = certificate.validFromDate.getTime()
  if (!/(?:^|\n)O=Apple Inc\.(?:\n|$)/.test(certificate.issuer)) {
    warnings.push('the certificate was not issued by Apple: APNs will refuse it')
  }
  if (from > now) warnings.push(`the certificate is not valid before ${day(from)}, or this machine's clock is behind`)
  if (others > 0)
    warnings.push(
      `the file contains ${others + 1} certificates with keys: the push certificate that expires on ${day(certificate.validToDate.getTime())} is used`,
    )
  return warnings
}

function tlsObjection(cert: string, key: string): string | undefined {
  try {
    createSecureContext({ cert, key })
    return undefined
  } catch (error) {
    return messageOf(error)
  }
}

/** Which field is wrong, and what to do about it. */
function explain(error: unknown, password: string | undefined): FieldErrors {
  if (!(error instanceof P12Failure)) {
    if (error instanceof Asn1Error) return { p12: [`is not a PKCS#12 file: ${error.message}`] }
    throw error
  }
  switch (error.kind) {
    case 'password':
      return { password: [password ? 'does not open the p12' : 'is required: the p12 is protected by a password'] }
    case 'unsupported':
      return { p12: [`${error.message}: export it again with AES or 3DES`] }
    case 'costly':
      return { p12: [`${error.message}: export it again with fewer`] }
    case 'incomplete':
      return { p12: [error.message] }
    case 'not_p12':
  }
  return { p12: [`is not a usable PKCS#12 file: ${error.message}`] }
}

function day(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}
