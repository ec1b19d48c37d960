import { readWeighedPage } from '../../platform/db/pages.ts'
import { AppError, type FieldErrors, invalid } from '../../platform/errors.ts'
import { type SizeLimit, sizeProblem } from '../../platform/json/json.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { present } from '../../platform/values/parse.ts'
import type { OwnEvent } from '../events/service.ts'
import type { EventData } from '../events/types.ts'
import type { LinkVisit } from '../statistics/types.ts'
import { newSlug, readSlug } from './make/slug.ts'
import type { LinkLabel, LinksRepository, LinkToStore } from './repository.ts'
import { type AddressSettings, linkBase, linkUrl, readHost } from './settings/addresses.ts'
import type { LinkSettingsRepository } from './settings/repository.ts'
import { changeSettings, judgeSettings, type LinkSettingsChange } from './settings/settings.ts'
import type {
  Click,
  DeepLink,
  LinkChange,
  LinkContent,
  LinkPlace,
  LinkSettings,
  LinkSite,
  LinkState,
  NewLink,
} from './types.ts'

export type LinksService = ReturnType<typeof linksService>

interface Parts {
  repo: LinksRepository
  settings: LinkSettingsRepository
  /** Stores events in this order. */
  record(appId: number, events: readonly OwnEvent[]): Promise<void>
  /** Counts clicks and matches by day. */
  count(appId: number, visits: readonly LinkVisit[]): Promise<void>
  clock: Clock
  /** Called in the transaction that changed the link settings of an app. */
  settingsChanged?(): void
  /** Called in the transaction that changed or deleted a link. */
  linksChanged?(): void
  at: AddressSettings
  /** Host names of this server's own interfaces. An app cannot use them for its links. */
  ownHosts(): readonly string[]
  /** Generates the slug of a link that was given none. */
  makeSlug?: () => string
  /** Maximum size of `linkData`, and of `reportingMeta`; absent: no limit. */
  maxData?: SizeLimit
}

/**
 * Maximum number of times that a taken slug is generated again. Two equal slugs of 96 random bits mean a broken
 * generator rather than chance.
 */
const MAX_RETRIES = 5

/** Deep links of an app and their addresses. Functions that write need a transaction. */
export function linksService({
  repo,
  settings: sites,
  record,
  count,
  clock,
  settingsChanged,
  linksChanged,
  at,
  ownHosts,
  makeSlug = newSlug,
  maxData,
}: Parts) {
  /** Throws `not_found`. */
  async function site(appId: number): Promise<LinkSite> {
    const found = await sites.site({ appId })
    if (!found) throw unknownApp(appId)
    return found
  }

  /** Throws `not_found`. */
  async function place(appId: number): Promise<LinkPlace> {
    const found = await sites.place(appId)
    if (!found) throw unknownApp(appId)
    return found
  }

  /** Throws `invalid` that names every `[i].linkData` and `[i].reportingMeta` that is too large. */
  function refuseLarge(links: readonly NewLink[]): void {
    const errors: FieldErrors = {}
    for (const [i, link] of links.entries()) {
      for (const field of ['linkData', 'reportingMeta'] as const) {
        const tooLarge = sizeProblem(link[field], maxData)
        if (tooLarge !== undefined) errors[`[${i}].${field}`] = [tooLarge]
      }
    }
    if (Object.keys(errors).length > 0) throw invalid(errors)
  }

  /** The problem of a link that is too large, as a sentence; undefined if there is none. */
  function tooLarge(link: NewLink): string | undefined {
    for (const field of ['linkData', 'reportingMeta'] as const) {
      const problem = sizeProblem(link[field], maxData)
      if (problem !== undefined) return `${field} ${problem}`
    }
    return undefined
  }

  /**
   * Stores all links; those without a slug get one. Throws `invalid` that names every `[i].slug` that the app already
   * has, and every part that is too large.
   */
  async function store(appId: number, links: readonly NewLink[]): Promise<DeepLink[]> {
    refuseLarge(links)
    const now = clock.now()
    const used = new Set(links.flatMap(({ slug }) => slug ?? []))
    const toStore = links.map((link) => prepare(link, link.slug ?? unusedSlug(used), now))
    const ids = await repo.insert(appId, toStore)
    for (let left = MAX_RETRIES; ids.size < links.length; left--) {
      const errors = takenSlugs(links, ids)
      if (Object.keys(errors).length > 0) throw invalid(errors)
      if (left === 0) throw new Error('every generated slug is already taken')
      const again = toStore.filter(({ slug }) => !ids.has(slug))
      for (const link of again) link.slug = unusedSlug(used)
      for (const [slug, id] of await repo.insert(appId, again)) ids.set(slug, id)
    }
    return toStore.map((link) => ({ ...link, id: ids.get(link.slug)!, appId, lookups: 0, clicks: 0 }))
  }

  /** Generates a slug that is not in `used`, and adds it to `used`. */
  function unusedSlug(used: Set<string>): string {
    const slug = makeSlug()
    if (used.has(slug)) return unusedSlug(used)
    used.add(slug)
    return slug
  }

  return {
    site,
    place,

    /** The app of a host name: its own domain, or its label below `links.domain`. Undefined when it is no app's. */
    async siteOfHost(hostname: string): Promise<LinkSite | undefined> {
      const key = readHost(hostname, at)
      return key && sites.site(key)
    },

    /** The app with this label, for the path form `{links_url}/l/{subdomain}/{slug}`. */
    siteOfSubdomain(subdomain: string): Promise<LinkSite | undefined> {
      return sites.site({ subdomain })
    },

    /** The absolute URL of a link. */
    urlOf({ settings }: { settings: Pick<LinkSettings, 'domain' | 'subdomain'> }, slug: string): string {
      return linkUrl(settings, slug, at)
    },

    /** The beginning of the URL of every link of the app, without a trailing slash. */
    baseOf({ settings }: { settings: Pick<LinkSettings, 'domain' | 'subdomain'> }): string {
      return linkBase(settings, at)
    },

    /** The host names of links, of the first `most` apps: each app's own domain, and its label below `links.domain`. */
    async hosts(most: number): Promise<string[]> {
      const known = await sites.hosts(most)
      return known.flatMap(({ subdomain, domain }) => [
        ...(domain === null ? [] : [domain]),
        ...(at.domain === '' ? [] : [`${subdomain}.${at.domain}`]),
      ])
    },

    /**
     * Changes the link settings of an app; absent ones are left unchanged. Throws `not_found`, and `invalid` for
     * settings that contradict each other and for a domain that is this server's own or belongs to another app.
     */
    async configure(appId: number, change: LinkSettingsChange): Promise<LinkSite> {
      await sites.lock(appId)
      const before = await site(appId)
      const settings = changeSettings(before.settings, change)
      const errors = judgeSettings(settings, { hosts: ownHosts(), parent: at.domain })
      const holder = settings.domain === null ? undefined : await sites.site({ domain: settings.domain })
      if (holder && holder.appId !== appId) {
        errors.domain = [`is already the domain of app ${holder.appId} (${holder.appName})`]
      }
      if (Object.keys(errors).length > 0) throw invalid(errors)
      const isOurs = await sites.save(appId, settings, clock.now())
      if (!isOurs) throw invalid({ domain: ['is already the domain of another app'] })
      settingsChanged?.()
      return { ...before, settings }
    },

    find: (appId: number, slug: string) => repo.find(appId, { slug }),

    /** The links of the app among these slugs, by slug. */
    async findEach(appId: number, slugs: readonly string[]): Promise<Map<string, DeepLink>> {
      const found = new Map<string, DeepLink>()
      for (const slug of await repo.takenSlugs(appId, slugs)) {
        const link = await repo.find(appId, { slug })
        if (link) found.set(slug, link)
      }
      return found
    },

    /** The link with this URL, slug or id, as people write them. A slug made of digits takes precedence over an id. */
    async search(appId: number, ref: string): Promise<DeepLink | undefined> {
      const base = `${linkBase((await place(appId)).settings, at)}/`
      const slug = readSlug(ref.startsWith(base) ? ref.slice(base.length) : ref)
      const found = slug === undefined ? undefined : await repo.find(appId, { slug })
      if (found || !/^[1-9]\d{0,15}$/.test(ref)) return found
      const id = Number(ref)
      return Number.isSafeInteger(id) ? repo.find(appId, { id }) : undefined
    },

    tooLarge,

    /** Throws `not_found`. */
    async get(appId: number, id: number): Promise<DeepLink> {
      const link = await repo.find(appId, { id })
      if (!link) throw unknownLink(id)
      return link
    },

    /**
     * Links in the order of their creation, after the id `after` (0 = from the start); `next` is null on the last page.
     */
    async list(
      appId: number,
      { after = 0, limit }: { after?: number | undefined; limit: number },
    ): Promise<{ links: DeepLink[]; next: number | null }> {
      const { rows: links, next } = await readWeighedPage(
        limit,
        (most) => repo.list(appId, after, most),
        (ids) => repo.byIds(appId, ids),
      )
      return { links, next }
    },

    /**
     * Creates all links or none, in the order given, and stores an event `link.created` for each. The caller has
     * checked that the given slugs differ (make/schema.ts). Throws `invalid` that names every `[i].slug` that the app
     * already has, and every `[i].linkData` and `[i].reportingMeta` that is too large.
     */
    async create(appId: number, links: readonly NewLink[]): Promise<DeepLink[]> {
      const created = await store(appId, links)
      await record(
        appId,
        created.map((link) => ({ type: 'link.created', data: aboutLink(link), at: link.createdAt })),
      )
      return created
    },

    /**
     * Imports links that exist elsewhere. Stores those whose slug is new to the app, without an event; links that the
     * app already has are left unchanged. Every link has a slug, and the slugs differ. Returns how many were stored.
     * Throws `invalid` as `create` for data that is too large: `tooLarge` tells which row it is.
     */
    async adopt(appId: number, links: readonly NewLink[]): Promise<number> {
      refuseLarge(links)
      const now = clock.now()
      const ids = await repo.insert(
        appId,
        links.map((link) => prepare(link, link.slug!, now)),
      )
      return ids.size
    },

    /** Locks a link until the commit, as a change of it does first. */
    lock: (appId: number, id: number) => repo.lock(appId, id),

    /**
     * Changes a link; absent fields are left unchanged, null clears. Visitors see it at once here, and within a second
     * in other processes. Throws `not_found`, and `invalid` for another slug and for data that is too large; stored
     * data may stay too large.
     */
    async update(appId: number, id: number, change: LinkChange): Promise<DeepLink> {
      const before = await repo.lock(appId, id)
      if (!before) throw unknownLink(id)
      const errors: FieldErrors = {}
      if (change.slug !== undefined && readSlug(change.slug) !== before.slug) {
        errors.slug = [`cannot be changed, because the address may be printed: create a link, and delete this one`]
      }
      for (const field of ['linkData', 'reportingMeta'] as const) {
        const isSame = JSON.stringify(change[field]) === JSON.stringify(before[field])
        const tooLarge = isSame ? undefined : sizeProblem(change[field], maxData)
        if (tooLarge !== undefined) errors[field] = [tooLarge]
      }
      if (Object.keys(errors).length > 0) throw invalid(errors)
      const { slug: _, content, ...others } = change
      const after: DeepLink = {
        ...before,
        ...present(others),
        ...(content !== undefined && { content: storedContent(content) }),
        updatedAt: clock.now(),
      }
      await repo.update(after)
      linksChanged?.()
      return after
    },

    /**
     * Deletes a link: its address answers as an unknown one, and its slug is free. Taps on its banners are left to
     * `taps.clearDeleted`. Throws `not_found`, and `conflict` while a banner leads to it.
     */
    async delete(appId: number, id: number): Promise<void> {
      const banner = await repo.bannerOf(appId, id)
      if (banner !== undefined) {
        throw new AppError('conflict', `banner ${banner} leads to deep link ${id}: delete or change the banner first`)
      }
      if (!(await repo.delete(appId, id))) throw unknownLink(id)
      linksChanged?.()
    },

    firstDeleted: () => repo.firstDeleted(),

    forgetDeleted: (appId: number, id: number) => repo.forgetDeleted(appId, id),

    stateOf: linkState,

    /**
     * Counts one match and returns the state that the SDK is told. However many look-ups run at once, no more get
     * `active` than the limit allows. Only these are counted, each with an event `link.matched`; `data` (how the link
     * was found) is added to the data of the event. Throws `not_found`.
     */
    async countLookup(
      appId: number,
      linkId: number,
      now: number,
      { data, ...who }: Pick<OwnEvent, 'installRow' | 'userIdentifier'> & { data?: EventData } = {},
    ): Promise<LinkState> {
      if (await repo.countLookup(appId, linkId, now)) {
        const label = (await repo.labels(appId, [linkId])).get(linkId)!
        await record(appId, [{ ...who, type: 'link.matched', data: aboutLink(label, data), at: now }])
        await count(appId, [{ linkId, at: now, ...placeOf(data), matches: 1 }])
        return 'active'
      }
      const link = await repo.find(appId, { id: linkId })
      if (!link) throw unknownLink(linkId)
      const state = linkState(link, now)
      // Another request may have raised the limit between the two statements. This look-up was refused all the same.
      return state === 'active' ? 'over_limit' : state
    },

    /** Adds clicks to the counts and stores an event `link.clicked` for each. Clicks on deleted links are ignored. */
    async recordClicks(batch: readonly Click[]): Promise<void> {
      const byApp = Map.groupBy(batch, ({ appId }) => appId)
      // Sorted by app here and by link below, so that two batches on the same links cannot deadlock.
      for (const [appId, clicks] of [...byApp].sort(([a], [b]) => a - b)) {
        const added = new Map<number, number>()
        // In the order of ids, neighbouring rows are also read and written together.
        for (const id of clicks.map(({ linkId }) => linkId).sort((a, b) => a - b))
          added.set(id, (added.get(id) ?? 0) + 1)
        const present = await repo.addClicks(appId, added)
        const unlabelled = clicks.filter(({ linkId, label }) => !label && present.has(linkId))
        const labels = await repo.labels(appId, [...new Set(unlabelled.map(({ linkId }) => linkId))])
        const events = clicks.flatMap(({ linkId, label: given, at: clickedAt, data }) => {
          if (!present.has(linkId)) return []
          const label = given ? labelOf(linkId, given) : labels.get(linkId)
          return label ? [{ type: 'link.clicked', data: aboutLink(label, data), at: clickedAt }] : []
        })
        await record(appId, events)
        await count(
          appId,
          clicks.flatMap(({ linkId, at: clickedAt, data }) =>
            present.has(linkId) ? [{ linkId, at: clickedAt, ...placeOf(data), clicks: 1 }] : [],
          ),
        )
      }
    },
  }
}

/** The state of a link at `now`. Counts nothing. */
export function linkState(
  { isEnabled, expiresAt, lookupLimit, lookups }: Pick<DeepLink, 'isEnabled' | 'expiresAt' | 'lookupLimit' | 'lookups'>,
  now: number,
): LinkState {
  if (!isEnabled) return 'disabled'
  if (expiresAt !== null && expiresAt <= now) return 'expired'
  return lookupLimit !== null && lookups >= lookupLimit ? 'over_limit' : 'active'
}

function prepare(link: NewLink, slug: string, now: number): LinkToStore {
  return {
    slug,
    linkData: link.linkData,
    content: storedContent(link.content),
    pictureUrl: link.pictureUrl || null,
    desktopWebFallbackUrl: link.desktopWebFallbackUrl,
    mobileWebFallbackUrl: link.mobileWebFallbackUrl,
    reportingMeta: link.reportingMeta ?? null,
    expiresAt: link.expiresAt ?? null,
    lookupLimit: link.lookupLimit ?? null,
    isEnabled: link.isEnabled ?? true,
    createdAt: now,
    updatedAt: now,
  }
}

/** The content without empty texts. */
function storedContent(given: NewLink['content'] | null): LinkContent {
  const { title, description } = given ?? {}
  return { ...(title && { title }), ...(description && { description }) }
}

/** The data of an event about a link. */
function aboutLink({ id, slug, reportingMeta }: LinkLabel, details?: EventData): EventData {
  return { linkId: id, slug, ...details, ...(reportingMeta && { reportingMeta }) }
}

/** The platform and the route of a visit, as far as its event tells. */
function placeOf(data: EventData | undefined): Pick<LinkVisit, 'platform' | 'route'> {
  const word = (value: unknown) => (typeof value === 'string' ? value.slice(0, 16) : undefined)
  return { platform: word(data?.platform), route: word(data?.route) }
}

function labelOf(id: number, { slug, reportingMeta }: NonNullable<Click['label']>): LinkLabel {
  return { id, slug, reportingMeta: reportingMeta === null ? null : (JSON.parse(reportingMeta) as EventData) }
}

/** Errors for given slugs that were not stored. */
function takenSlugs(links: readonly NewLink[], stored: ReadonlyMap<string, number>): FieldErrors {
  return Object.fromEntries(
    links.flatMap(({ slug }, i) =>
      slug === undefined || stored.has(slug)
        ? []
        : [[`[${i}].slug`, [`is taken: the app has a link ${JSON.stringify(slug)}`]]],
    ),
  )
}

function unknownLink(id: number): AppError {
  return new AppError('not_found', `there is no deep link ${id}`)
}

function unknownApp(appId: number): AppError {
  return new AppError('not_found', `there is no app ${appId}: appsvc apps list shows them`)
}
