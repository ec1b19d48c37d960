import { type ExchangeReply, HttpFailure } from '../../../platform/net/http-exchange.ts'
import { type AllowPrivate, type SendOutbound } from '../../../platform/net/outbound.ts'
import type { Finding } from '../../gateways/gateway.ts'
import type { LinkSettings } from '../types.ts'
import { judgeAppleDocument, judgeGoogleDocument } from './check-documents.ts'
import { ASSOCIATION_PATHS, appleAppSiteAssociation, assetLinks } from './well-known.ts'

/** Checks a link host in the way Apple and Google do. */

export interface DomainCheck {
  /** Host name. A port is for tests only: phones use port 443. */
  domain: string
  /** Settings of the app with this domain; undefined when no app has it. */
  settings: LinkSettings | undefined
  /** Sends through the outbound guard. */
  send: SendOutbound
  ca: readonly string[]
  allowPrivate: AllowPrivate
  /** Monotonic milliseconds. */
  monotonic(): number
  /** Wall time (ms). */
  now: number
  /** How long to wait for each of the two documents (ms). */
  deadlineMs?: number
}

/** Apple accepts no larger document (docs/reference/gateway-facts.md section 6.1). */
const MAX_DOCUMENT_BYTES = 128 * 1024
/** Apple has a short timeout and caches the failure for a while. */
const SLOW_MS = 3000
const DEADLINE_MS = 15_000
const SHORT_CERTIFICATE_MS = 14 * 86_400_000

interface Document {
  name: string
  path: string
  /** The settings that are missing for the document; undefined when it is complete. */
  lacks: string | undefined
  judge(body: unknown, settings: LinkSettings): Finding[]
}

const APPLE: Omit<Document, 'lacks'> = {
  name: 'apple-app-site-association',
  path: ASSOCIATION_PATHS.apple,
  judge: judgeAppleDocument,
}
const GOOGLE: Omit<Document, 'lacks'> = {
  name: 'assetlinks.json',
  path: ASSOCIATION_PATHS.google,
  judge: judgeGoogleDocument,
}

/**
 * Returns findings in this order: owner of the domain, DNS and TLS, each document. Never throws for a problem of the
 * host.
 */
export async function checkDomain(check: DomainCheck): Promise<Finding[]> {
  const { domain, settings } = check
  const findings: Finding[] = []
  if (/:\d+$/.test(domain)) findings.push(warning('phones use port 443 only', 'use another port for tests only'))
  if (!settings) {
    findings.push(
      error(
        `no app has the domain ${domain}, so nothing is served there`,
        `appsvc links settings --app APP --domain ${domain}`,
      ),
    )
    return findings
  }
  const documents = [
    { ...APPLE, lacks: appleAppSiteAssociation(settings) ? undefined : '--ios-team and --ios-bundle' },
    { ...GOOGLE, lacks: assetLinks(settings) ? undefined : '--android-package and --android-sha256' },
  ]
  for (const { name, lacks } of documents) {
    if (lacks === undefined) continue
    const both = documents.every((document) => document.lacks !== undefined)
    const say = both ? error : warning
    findings.push(
      say(`${name} is not served: the app lacks the settings for it`, `appsvc links settings --app APP with ${lacks}`),
    )
  }

  let reached = false
  for (const document of documents.filter(({ lacks }) => lacks === undefined)) {
    const begun = check.monotonic()
    try {
      const reply = await check.send({
        url: `https://${domain}${document.path}`,
        headers: { accept: 'application/json' },
        ca: check.ca,
        allowPrivate: check.allowPrivate,
        deadlineMs: check.deadlineMs ?? DEADLINE_MS,
        largestReply: MAX_DOCUMENT_BYTES,
      })
      if (!reached) findings.push(...judgeConnection(domain, reply, check.monotonic() - begun, check.now))
      reached = true
      findings.push(
        ...judgeReply(document, reply, settings).map((one) => ({ ...one, what: `${document.name}: ${one.what}` })),
      )
    } catch (failure) {
      if (!(failure instanceof HttpFailure)) throw failure
      // The other document would fail in the same way.
      findings.push(judgeFailure(domain, failure))
      break
    }
  }
  return findings
}

function judgeConnection(domain: string, { certificateEnds }: ExchangeReply, ms: number, now: number): Finding[] {
  const findings = [ok(`${domain} resolves, and its certificate is trusted`)]
  if (certificateEnds - now < SHORT_CERTIFICATE_MS) {
    const days = Math.floor((certificateEnds - now) / 86_400_000)
    findings.push(
      warning(
        `its certificate ends in ${days === 1 ? '1 day' : `${days} days`}`,
        'make sure that it is renewed automatically',
      ),
    )
  }
  if (ms > SLOW_MS) {
    findings.push(
      warning(
        `it took ${Math.round(ms / 1000)} s to answer`,
        'Apple gives up early and caches the failure for about an hour: obtain the certificate before the first request',
      ),
    )
  }
  return findings
}

function judgeFailure(domain: string, { kind, message }: HttpFailure): Finding {
  const remedies = {
    refused: 'the DNS record must name an address that Apple and Google can reach',
    unknown_host: `create a DNS record for ${domain}: a CNAME to this server's public name, or A and AAAA with its addresses`,
    unreachable:
      'something must listen on port 443: a proxy in front of this server that terminates TLS (docs/links.md)',
    untrusted: `the proxy needs a certificate for ${domain} from a public authority, with the intermediate certificates`,
    uncertain: 'see the log of the proxy in front of this server',
  }
  const what = kind === 'unknown_host' ? `${domain} does not resolve` : `the request to ${domain} failed: ${message}`
  return error(what, remedies[kind])
}

const PASS_ON = 'the proxy must forward /.well-known/ to this server unchanged, with the Host header of the request'

function judgeReply(document: Document, reply: ExchangeReply, settings: LinkSettings): Finding[] {
  const { status, headers, body, isCut } = reply
  if (status >= 300 && status < 400) {
    const to = headers.location ?? 'an unknown place'
    return [error(`answers ${status}, a redirect to ${to}; neither Apple nor Google follows redirects`, PASS_ON)]
  }
  if (status !== 200) return [error(`answers ${status} instead of 200`, PASS_ON)]
  const findings: Finding[] = []
  const type = (headers['content-type'] ?? 'none').split(';')[0]!.trim().toLowerCase()
  if (type !== 'application/json') {
    findings.push(error(`its content type is ${type} instead of application/json`, PASS_ON))
  }
  if (isCut) {
    findings.push(error(`is larger than ${MAX_DOCUMENT_BYTES / 1024} KiB, which Apple does not accept`, PASS_ON))
    return findings
  }
  let parsed: unknown
  try {
    parsed = JSON.parse(body.toString('utf8'))
  } catch {
    findings.push(error('is not JSON', `${PASS_ON}; another program answers instead`))
    return findings
  }
  findings.push(...document.judge(parsed, settings))
  return findings
}

const ok = (what: string): Finding => ({ level: 'ok', what })
const warning = (what: string, remedy: string): Finding => ({ level: 'warning', what, remedy })
const error = (what: string, remedy: string): Finding => ({ level: 'error', what, remedy })
