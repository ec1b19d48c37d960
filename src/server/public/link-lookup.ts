import type { LinkSite } from '../../domain/links/types.ts'
import type { VisitedLink } from '../../domain/links/visit/repository.ts'
import type { Program } from '../../program.ts'
import { shortMemory } from './short-memory.ts'

/** Cache lifetimes: a change is visible after this time at the latest. */
const SITE_LIFE_MS = 2000
const LINK_LIFE_MS = 1000
/** The time (ms) for which a host that no app has is remembered. Short, because the owner of a new host tries it at once. */
const UNKNOWN_LIFE_MS = 1000
const MAX_SITES = 1000
const MAX_LINKS = 20_000
/** Longer names do not exist (RFC 1035). */
const MAX_HOST_LENGTH = 253

/** Finds sites and links for visitors, from a cache where possible. Cached values are returned without a promise. */
export interface LinkLookup {
  /** Finds the site by host name, without port. Null when no app has the host. */
  siteOfHost(hostname: string): LinkSite | null | Promise<LinkSite | null>
  siteOfSubdomain(subdomain: string): LinkSite | null | Promise<LinkSite | null>
  /** Unknown links are not cached, so a new link works at once. */
  link(appId: number, slug: string): VisitedLink | undefined | Promise<VisitedLink | undefined>
}

export function linkLookup(program: Program): LinkLookup {
  const { clock, changes } = program.kernel
  const { findNow } = program.visits
  const sites = shortMemory<string, LinkSite>({ lifeMs: SITE_LIFE_MS, capacity: MAX_SITES })
  const unknown = shortMemory<string, true>({ lifeMs: UNKNOWN_LIFE_MS, capacity: MAX_SITES })
  const links = shortMemory<string, VisitedLink>({ lifeMs: LINK_LIFE_MS, capacity: MAX_LINKS })
  /** Ids of links that were looked up, each at its id modulo the length, until another overwrites it. */
  const seen = new Float64Array(MAX_LINKS)
  let changesSeen = changes.count('linkSettings')
  let linkChangesSeen = changes.count('links')
  const pending = new Map<string, Promise<LinkSite | null>>()
  /** Slugs for the next statement by app, with the promises of the requests that wait for them. */
  const asked = new Map<number, Map<string, PromiseWithResolvers<VisitedLink | undefined>>>()

  /** Changes made in this process show at once, those of other processes when the cached value expires. */
  function forgetChanged(): void {
    const count = changes.count('linkSettings')
    if (count === changesSeen) return
    changesSeen = count
    sites.clear()
    unknown.clear()
    pending.clear()
  }

  function site(key: string, find: () => Promise<LinkSite | undefined>): LinkSite | null | Promise<LinkSite | null> {
    forgetChanged()
    const now = clock.monotonic()
    const known = sites.get(key, now)
    if (known) return known
    if (unknown.get(key, now)) return null
    let asking = pending.get(key)
    if (!asking) {
      const asked = find()
        .then((found) => {
          // Found before the settings changed.
          if (pending.get(key) !== asked) return found ?? null
          if (found) sites.set(key, found, clock.monotonic())
          else unknown.set(key, true, clock.monotonic())
          return found ?? null
        })
        .finally(() => {
          if (pending.get(key) === asked) pending.delete(key)
        })
      pending.set(key, (asking = asked))
    }
    return asking
  }

  /**
   * Caches a link from its second look-up on: of a million links few are visited again in time, and caching all costs
   * more.
   */
  function remember(key: string, link: VisitedLink, now: number): void {
    const place = link.id % seen.length
    if (seen[place] === link.id) links.set(key, link, now)
    else seen[place] = link.id
  }

  function forgetChangedLinks(): void {
    const count = changes.count('links')
    if (count === linkChangesSeen) return
    linkChangesSeen = count
    links.clear()
  }

  async function fetchAsked(appId: number): Promise<void> {
    const waiting = asked.get(appId)!
    asked.delete(appId)
    const changesBefore = changes.count('links')
    try {
      for (const link of await program.visits.find(appId, [...waiting.keys()])) {
        // It may have been read before a change.
        if (changes.count('links') === changesBefore) remember(`${appId}/${link.slug}`, link, clock.monotonic())
        waiting.get(link.slug)!.resolve(link)
      }
      for (const one of waiting.values()) one.resolve(undefined)
    } catch (error) {
      for (const one of waiting.values()) one.reject(error)
    }
  }

  return {
    siteOfHost: (hostname) =>
      hostname.length > MAX_HOST_LENGTH ? null : site(hostname, () => program.links.siteOfHost(hostname)),
    siteOfSubdomain: (subdomain) => site(`/${subdomain}`, () => program.links.siteOfSubdomain(subdomain)),

    link(appId, slug) {
      forgetChangedLinks()
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
        // Runs after the requests that arrived together, so that they share one statement: it costs more than the
        // links in it.
        setImmediate(() => void fetchAsked(appId))
      }
      let one = batch.get(slug)
      if (!one) batch.set(slug, (one = Promise.withResolvers()))
      return one.promise
    },
  }
}
