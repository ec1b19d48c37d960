import { linkState } from '../../domain/links/service.ts'
import type { DeepLink, LinkSite } from '../../domain/links/types.ts'
import { isoOffset, isoOffsetOrNull } from '../../platform/time/clock.ts'
import {
  answerOf,
  boolean,
  count,
  free,
  integer,
  list,
  nullable,
  object,
  oneOf,
  optional,
  pageOf,
  string,
  time,
  url,
} from '../schema.ts'

/** The contract's answer to a created link. */
export function presentCreatedLink({ id }: Pick<DeepLink, 'id'>, url: string) {
  return { id, url }
}

const STATES = { active: 'active', expired: 'expired', over_limit: 'over limit', disabled: 'disabled' } as const

/**
 * A link with what became of it: `clicks` are visits of people, `lookups` matches in the app. `isEnabled` only where it
 * is false.
 */
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
    ...(!link.isEnabled && { isEnabled: false }),
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

export const createdLink = answerOf<typeof presentCreatedLink>('CreatedDeepLink', { id: integer, url })

export const linkContent = object({ title: optional(string), description: optional(string) }, 'DeepLinkContent')

export const deepLink = answerOf<typeof presentLink>('DeepLink', {
  id: integer,
  url,
  slug: string,
  state: oneOf(Object.values(STATES)),
  linkData: free,
  content: linkContent,
  desktopWebFallbackUrl: url,
  mobileWebFallbackUrl: url,
  reportingMeta: nullable(free),
  expiresAt: nullable(time),
  lookupLimit: nullable(count),
  isEnabled: optional({ const: false }),
  lookups: count,
  clicks: count,
  createdAt: time,
  updatedAt: time,
})
export const deepLinkPage = pageOf('deepLinks', deepLink)

export const linkSettings = answerOf<typeof presentLinkSettings>('LinkSettings', {
  appId: integer,
  links: url,
  subdomain: string,
  domain: nullable(string),
  iosTeamId: nullable(string),
  iosBundleIds: list(string),
  androidPackage: nullable(string),
  androidSha256: list(string),
  appStoreUrl: nullable(url),
  playStoreUrl: nullable(url),
  fingerprintWindow: count,
  offersClipboard: boolean,
  icon: nullable(string),
})
