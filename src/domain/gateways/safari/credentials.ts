import { X509Certificate } from 'node:crypto'
import type { FieldErrors } from '../../../platform/errors.ts'
import { isPlainObject } from '../../../platform/json/json.ts'
import { check } from '../../../platform/values/parse.ts'
import {
  type ApnsFacts,
  type ApnsSecret,
  certificateWarnings,
  type OpenedCertificate,
  openCertificate,
} from '../apns/credentials.ts'
import type { CheckedCredential } from '../gateway.ts'
import { safariBlock } from './block.ts'
import { readCertificates } from './signature.ts'

/**
 * The sealed part: the website push certificate with its issuers, and its key (PEM). Sending and signing push packages
 * use it.
 */
export type SafariSecret = Extract<ApnsSecret, { kind: 'certificate' }>

/** The public part. `topic` is the website push id. */
export interface SafariFacts extends ApnsFacts {
  /** `web.` and a reversed domain, from the certificate; SDKs register with it. */
  websitePushId: string
  /** The website that asks for permission. Packages name only its origin. */
  siteUrl: string
  /** Absolute URL of the icon in push packages. */
  iconUrl: string
  /** What macOS shows above a notification. */
  websiteName: string
}

interface Block {
  p12: string
  password?: string
  siteUrl: string
  iconUrl: string
  websiteName?: string
  intermediate?: string
}

const DOCUMENT = 'see docs/gateways/safari.md'
/** A website push id is the topic of every push and part of addresses. */
const WEBSITE_PUSH_ID = /^web\.[A-Za-z0-9.-]{1,250}$/

/**
 * Checks a `safari` block: `{p12, password, iconUrl, siteUrl}` of the contract, and optionally `websiteName` (default:
 * the host of siteUrl) and `intermediate` (the issuer's certificate, PEM or base64 of DER, when the p12 holds the push
 * certificate alone). `now` in ms. Does not fetch the icon; `gateways check` does. Reports the errors of all fields at
 * once.
 */
export async function checkSafari(
  input: unknown,
  now: number,
): Promise<{ credential: CheckedCredential } | { errors: FieldErrors }> {
  if (!isPlainObject(input)) return { errors: { '': ['must be an object'] } }
  const errors: FieldErrors = { ...check(safariBlock, input, true) }
  const block = input as unknown as Block
  const site = errors['siteUrl'] ? undefined : new URL(block.siteUrl)
  if (site && (site.username !== '' || site.password !== '')) {
    errors['siteUrl'] = ['must not contain a user name or password']
  }
  const iconUrl = errors['iconUrl'] ? undefined : iconAddress(block.iconUrl, site)
  if (iconUrl === null) errors['iconUrl'] = ['must be the address of a PNG picture']
  if (errors['p12'] || errors['password']) return { errors }

  const opened = await openCertificate(
    { ...block, mode: 'production' },
    block.p12,
    now,
    ({ userId }) => userId !== undefined && WEBSITE_PUSH_ID.test(userId),
  )
  if ('errors' in opened) return { errors: { ...errors, ...opened.errors } }
  const wrongId = judgeId(opened)
  if (wrongId) errors['p12'] = [wrongId]
  const chain = opened.pair.chain.slice(1)
  // Only a valid website certificate tells which issuer it needs.
  if (block.intermediate !== undefined && !errors['intermediate'] && !wrongId) {
    const read = readIssuers(block.intermediate, opened.pair.certificate, now)
    if (typeof read === 'string') errors['intermediate'] = [read]
    else chain.splice(0, chain.length, ...read)
  }
  if (Object.keys(errors).length > 0 || !site || !iconUrl) return { errors }
  return { credential: credentialOf(opened, chain, { ...block, siteUrl: site.href, iconUrl }, now) }
}

/** The absolute address; a path is relative to the website. Null if it is not an address. */
function iconAddress(value: string, site: URL | undefined): string | null | undefined {
  if (!URL.canParse(value) && !site) return undefined
  if (!URL.canParse(value, site?.href)) return null
  const url = new URL(value, site?.href)
  return /^https?:$/.test(url.protocol) && url.username === '' && url.password === '' ? url.href : null
}

function judgeId({ marks: { userId } }: OpenedCertificate): string | undefined {
  if (userId === undefined) {
    return 'is not a website push certificate: it names no website push id (create one for a Website Push ID)'
  }
  if (WEBSITE_PUSH_ID.test(userId)) return undefined
  return `is the certificate of ${JSON.stringify(userId)}, not of a website push id (web.…): the one of an app belongs under ios`
}

/** The certificates that lead from `leaf` towards Apple's root, the nearest first; or what is wrong with the text. */
function readIssuers(text: string, leaf: X509Certificate, now: number): X509Certificate[] | string {
  let given: X509Certificate[]
  try {
    given = readCertificates(text)
    if (given.length === 0) given = [new X509Certificate(Buffer.from(text, 'base64'))]
  } catch {
    return "is not a certificate: give the text of a PEM file, or the base64 of Apple's .cer file"
  }
  const found: X509Certificate[] = []
  for (let last = leaf; ; last = found.at(-1)!) {
    const issuer = given.find((one) => !found.includes(one) && last.checkIssued(one) && last.verify(one.publicKey))
    if (!issuer) break
    found.push(issuer)
  }
  const [first] = found
  if (!first) return `did not issue the push certificate: its issuer is ${oneLine(leaf.issuer)} (${DOCUMENT})`
  const end = first.validToDate
  return end.getTime() > now ? found : `expired on ${end.toISOString().slice(0, 10)}: use the current one from Apple`
}

function credentialOf(
  { pair, marks, secret }: OpenedCertificate,
  chain: X509Certificate[],
  block: Block,
  now: number,
): CheckedCredential {
  const websitePushId = marks.userId!
  const facts: SafariFacts = {
    kind: 'certificate',
    mode: 'production',
    topics: marks.topics,
    topic: websitePushId,
    environments: ['production'],
    notAfter: pair.certificate.validToDate.getTime(),
    subject: oneLine(pair.certificate.subject),
    websitePushId,
    siteUrl: block.siteUrl,
    iconUrl: block.iconUrl,
    websiteName: block.websiteName ?? new URL(block.siteUrl).host,
    warnings: [...certificateWarnings(pair, now), ...warningsAbout(chain, block)],
  }
  const cert = [pair.certificate, ...chain].map((one) => one.toString()).join('')
  const sealed: SafariSecret = { kind: 'certificate', cert, key: secret.key }
  return { secret: sealed, facts, sendable: true }
}

function warningsAbout(chain: X509Certificate[], block: Block): string[] {
  const warnings: string[] = []
  if (chain.length === 0) {
    warnings.push(
      `neither p12 nor intermediate contains the certificate of the issuer: Safari will refuse push packages (${DOCUMENT})`,
    )
  }
  if (!block.iconUrl.startsWith('https:')) {
    warnings.push('iconUrl is not https: the icon is not fetched, and push packages cannot be made')
  }
  return warnings
}

function oneLine(name: string): string {
  return name.replaceAll('\n', ', ')
}
