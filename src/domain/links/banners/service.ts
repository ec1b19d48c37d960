import { newUuid } from '../../../platform/crypto/ids.ts'
import { AppError, invalid } from '../../../platform/errors.ts'
import { isPlainObject } from '../../../platform/json/json.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { readSlug } from '../make/slug.ts'
import type { LinksService } from '../service.ts'
import type { LinkSettings } from '../types.ts'
import type { Agent } from '../visit/agent.ts'
import { anyStoreFor } from '../visit/destination.ts'
import type { BannersRepository } from './repository.ts'
import type { Banner, BannerChange, NewBanner } from './types.ts'

/** Maximum number of banners of an app. A page shows one at a time. */
const MAX_BANNERS = 100

interface Parts {
  repo: BannersRepository
  links: Pick<LinksService, 'find'>
  clock: Clock
}

/** Banners on the web pages of an app, for people who do not have the app yet. */
export function bannersService({ repo, links, clock }: Parts) {
  /** Throws `not_found`. */
  async function get(appId: number, uuid: string): Promise<Banner> {
    const banner = await repo.find(appId, uuid)
    if (!banner) throw unknownBanner(uuid)
    return banner
  }

  /** The banner, locked until the commit as a change of it does first. Throws `not_found`. */
  async function lock(appId: number, uuid: string): Promise<Banner> {
    await repo.lock(appId, uuid)
    return get(appId, uuid)
  }

  /** Finds the link. Throws `invalid` that names it. */
  async function linkOf(appId: number, given: string): Promise<{ linkId: number; slug: string }> {
    const slug = readSlug(given)
    const link = slug === undefined ? undefined : await links.find(appId, slug)
    if (!link) {
      throw invalid({ link: [`is not the slug of a link of this app: ${JSON.stringify(given)}`] })
    }
    return { linkId: link.id, slug: link.slug }
  }

  return {
    get,
    lock,

    find: (appId: number, uuid: string) => repo.find(appId, uuid),

    /** All of them, in the order of their creation. */
    list: (appId: number) => repo.list(appId, MAX_BANNERS),

    /** Banners that visitors see: their links are not switched off. */
    async listShown(appId: number): Promise<Banner[]> {
      // An SDK would fail on one that cannot be read, which has no labels.
      const shown = await repo.listShown(appId, MAX_BANNERS)
      return shown.filter(({ design }) => isPlainObject((design as { labels?: unknown }).labels))
    },

    /** The address to which the button of a banner leads a visitor without the app: a store, or else the link's page for phones. */
    async storeUrl(
      { appId, slug }: Pick<Banner, 'appId' | 'slug'>,
      settings: LinkSettings,
      agent: Agent,
      linkUrl: string,
    ): Promise<string> {
      const store = anyStoreFor(agent, settings, linkUrl)
      return store?.url ?? new URL((await links.find(appId, slug))!.mobileWebFallbackUrl).href
    },

    /** Throws `invalid` for an unknown link, `conflict` when the app has too many banners. */
    async create(appId: number, { link, ...design }: NewBanner): Promise<Banner> {
      const { linkId, slug } = await linkOf(appId, link)
      if (await repo.hasMany(appId, MAX_BANNERS)) {
        throw new AppError('conflict', `the app has ${MAX_BANNERS} banners: delete one first`)
      }
      const now = clock.now()
      return repo.insert({ appId, uuid: newUuid(), linkId, slug, design, createdAt: now, updatedAt: now })
    },

    /** Replaces the parts that are given. Throws `not_found`, and `invalid` as `create` does. */
    async update(appId: number, uuid: string, { link, ...change }: BannerChange): Promise<Banner> {
      const before = await lock(appId, uuid)
      const design = { ...before.design, ...change } as Banner['design']
      const target = link === undefined ? {} : await linkOf(appId, link)
      const after: Banner = { ...before, ...target, design, updatedAt: clock.now() }
      await repo.update(after)
      return after
    },

    /** Throws `not_found`. */
    async delete(appId: number, uuid: string): Promise<void> {
      if (!(await repo.delete(appId, uuid))) throw unknownBanner(uuid)
    },
  }
}

function unknownBanner(uuid: string): AppError {
  return new AppError('not_found', `there is no banner ${JSON.stringify(uuid)}`)
}
