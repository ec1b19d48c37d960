import type { App } from '../../app.ts'
import type { LinkSite } from '../../domain/links/types.ts'
import type { VisitedLink } from '../../domain/links/visit/repository.ts'
import { shortMemory } from './short-memory.ts'

/** Cache lifetimes: a change is visible after this time at the latest. */
const SITE_LIFE_MS = 2000
const LINK_LIFE_MS = 5000
/** Short, because the owner of a new host tries it at once. */
const NOBODYS_LIFE_MS = 1000
const MOST_SITES = 1000
const MOST_LINKS = 20_000
/** Longer names do not exist (RFC 1035). */
const LONGEST_HOST = 253

/** Finds sites and links for visitors, from a cache where possible. Cached values are returned without a promise. */
export interface LinkLookup {
  /** By host name, without port. Null when no app has the host. */
  siteOfHost(hostname: string): LinkSite | null | Promise<LinkSite | null>
  siteOfSubdomain(subdomain: string): LinkSite | null | Promise<LinkSite | null>
  /** Unknown links are not cached, so a new link works at once. */
  link(appId: number, slug: string): VisitedLink | undefined | Promise<VisitedLink | undefined>
  /** Called when link settings were changed. */
  forgetSites(): void
}

export function linkLookup(app: App): LinkLookup {
  const { clock } = app.kernel
  const { findNow } = app.visits
  const sites = shortMemory<string, LinkSite>({ lifeMs: SITE_LIFE_MS, most: MOST_SITES })
  const nobodys = shortMemory<string, true>({ lifeMs: NOBODYS_LIFE_MS, most: MOST_SITES })
  const links = shortMemory<string, VisitedLink>({ lifeMs: LINK_LIFE_MS, most: MOST_LINKS })
  /** Ids of links that were asked for, each in its place until another takes it. */
  const seen = new Float64Array(MOST_LINKS)
  const pending = new Map<string, Promise<LinkSite | null>>()
  /** Slugs of each app that are asked for in the next statement, and those who wait for them. */
  const asked = new Map<number, Map<string, PromiseWithResolvers<VisitedLink | undefined>>>()

  function site(key: string, find: () => Promise<LinkSite | undefined>): LinkSite | null | Promise<LinkSite | null> {
    const now = clock.monotonic()
    const known = sites.get(key, now)
    if (known) return known
    if (nobodys.get(key, now)) return null
    let asking = pending.get(key)
    if (!asking) {
      asking = find()
        .then((found) => {
          if (found) sites.set(key, found, clock.monotonic())
          else nobodys.set(key, true, clock.monotonic())
          return found ?? null
        })
        .finally(() => pending.delete(key))
      pending.set(key, asking)
    }
    return asking
  }

  /** Only what was asked for before: of any of a million links hardly one comes back in time, and keeping them all costs more. */
  function remember(key: string, link: VisitedLink, now: number): void {
    const place = link.id % seen.length
    if (seen[place] === link.id) links.set(key, link, now)
    else seen[place] = link.id
  }

  async function fetchAsked(appId: number): Promise<void> {
    const waiting = asked.get(appId)!
    asked.delete(appId)
    try {
      for (const link of await app.visits.find(appId, [...waiting.keys()])) {
        remember(`${appId}/${link.slug}`, link, clock.monotonic())
        waiting.get(link.slug)!.resolve(link)
      }
      for (const one of waiting.values()) one.resolve(undefined)
    } catch (error) {
      for (const one of waiting.values()) one.reject(error)
    }
  }

  return {
    siteOfHost: (hostname) =>
      hostname.length > LONGEST_HOST ? null : site(hostname, () => app.links.siteOfHost(hostname)),
    siteOfSubdomain: (subdomain) => site(`/${subdomain}`, () => app.links.siteOfSubdomain(subdomain)),

    link(appId, slug) {
      const key = `${appId}/${slug}`
      const now = clock.monotonic()
      const known = links.get(key, now)
      if (known) return known
      if (findNow) {
        const found = findNow(appId, slug)
        if (found) remember(key, found, now)
        return found
      }
      let batch = asked.get(appId)
      if (!batch) {
        asked.set(appId, (batch = new Map()))
        // After the requests that came in together: they share a statement, which costs more than the links in it.
        setImmediate(() => void fetchAsked(appId))
      }
      let one = batch.get(slug)
      if (!one) batch.set(slug, (one = Promise.withResolvers()))
      return one.promise
    },

    forgetSites() {
      sites.clear()
      nobodys.clear()
    },
  }
}
