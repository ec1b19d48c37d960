import type { Finding } from '../../domain/gateways/gateway.ts'
import { type LinkPreview, PREVIEW_DEVICES } from '../../domain/links/visit/preview.ts'
import { deepLink } from '../api/links.ts'
import { answerOf, boolean, count, integer, list, nullable, object, oneOf, optional, string, url } from '../schema.ts'

const counts = { clicks: count, matches: count }

/** What `statistics.linkDays` returns. */
export const adminLinkDays = object(
  {
    days: list(object({ day: string, ...counts }, 'LinkDay')),
    platforms: list(object({ platform: string, ...counts }, 'LinkPlatform')),
    routes: list(object({ route: string, ...counts }, 'LinkRoute')),
    total: object(counts, 'LinkCounts'),
  },
  'LinkDays',
)

export const adminLinks = object({ items: list(deepLink), next: nullable(integer) }, 'FoundDeepLinks')

export function presentLinkPreview({ card, visits }: LinkPreview) {
  const { title, description, siteName, url: address, image } = card
  return {
    card: { title, description: description ?? null, siteName, url: address, image: image ?? null },
    visits,
  }
}

export const adminLinkPreview = answerOf<typeof presentLinkPreview>('DeepLinkPreview', {
  card: object(
    { title: string, description: nullable(string), siteName: string, url, image: nullable(url) },
    'DeepLinkCard',
  ),
  visits: list(object({ device: oneOf(PREVIEW_DEVICES), leadsTo: oneOf(['page', 'redirect']), url }, 'PreviewedVisit')),
})

/** `domain` undefined: the links are below an address that phones do not give to apps. */
export function presentDomainCheck(links: string, domain: string | undefined, findings: readonly Finding[]) {
  return { links, domain: domain ?? null, isHealthy: isHealthy(domain, findings), findings }
}

const isHealthy = (domain: string | undefined, findings: readonly Finding[]) =>
  domain !== undefined && findings.every(({ level }) => level === 'ok')

export const adminDomainCheck = answerOf<typeof presentDomainCheck>('DomainCheck', {
  links: url,
  domain: nullable(string),
  isHealthy: boolean,
  findings: list(
    object({ level: oneOf(['ok', 'warning', 'error']), what: string, remedy: optional(string) }, 'DomainFinding'),
  ),
})
