import { linkState } from '../../domain/links/service.ts'
import type { DeepLink, LinkSite } from '../../domain/links/types.ts'
import { isoOffset, isoOffsetOrNull } from '../../platform/clock.ts'

/** The contract's answer to a created link. */
export function presentCreatedLink({ id }: Pick<DeepLink, 'id'>, url: string) {
  return { id, url }
}

const STATES = { active: 'active', expired: 'expired', over_limit: 'over limit' } as const

/** A link with what became of it: `clicks` are visits of people, `lookups` matches in the app. */
export function presentLink(link: DeepLink, url: string, now: number) {
  const { id, slug, linkData, content, desktopWebFallbackUrl, mobileWebFallbackUrl, reportingMeta, lookupLimit } = link
  return {
    id,
    url,
    slug,
    state: STATES[linkState(link, now)],
    linkData,
    content,
    desktopWebFallbackUrl,
    mobileWebFallbackUrl,
    reportingMeta,
    expiresAt: isoOffsetOrNull(link.expiresAt),
    lookupLimit,
    lookups: link.lookups,
    clicks: link.clicks,
    createdAt: isoOffset(link.createdAt),
    updatedAt: isoOffset(link.updatedAt),
  }
}

/** The link settings of an app; `base` is what its links begin with. */
export function presentLinkSettings({ appId, settings }: LinkSite, base: string) {
  return { appId, links: base, ...settings }
}
