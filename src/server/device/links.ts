import { readSlug } from '../../domain/links/make/slug.ts'
import type { DeepLink, LinkState } from '../../domain/links/types.ts'
import { readAgent } from '../../domain/links/visit/agent.ts'
import { AppError } from '../../platform/errors.ts'
import { isPlainObject } from '../../platform/json/json.ts'
import { hasText } from '../../platform/json/numbers.ts'
import { jsonObject, oneOf, shape, text } from '../../platform/values/parse.ts'
import {
  banner,
  foundLink,
  goneLink,
  matchedLink,
  presentBanner,
  presentFoundLink,
} from '../../present/device/device-links.ts'
import { list } from '../../present/schema.ts'
import type { Areas } from '../../program.ts'
import { prefixOf } from '../limits/caller.ts'
import { CAPPED, takeNewcomers } from '../limits/caps.ts'
import { limiterOf } from '../limits/for-program.ts'
import { onePerProgram } from '../limits/per-program.ts'
import { type Call, get, post, Reply, type Route } from '../routing/route.ts'

const DEVICE = { area: 'links', needs: 'device-key', device: true } as const
/** The web SDK keeps banners for an hour by itself. */
const BANNERS_KEPT = 'private, max-age=3600'
const GONE = {
  410: { says: 'The link has expired', body: goneLink },
  429: { says: 'The link has reached its `lookupLimit`', body: goneLink },
}

/** Stops callers who guess links. Never with 429, which tells SDKs that a link has reached its limit. */
const MISSES = { what: 'look-ups of links that do not exist', code: 'unavailable' } as const

const missesOf = onePerProgram((program) => ({
  // Old links are looked up now and then, and many phones share the address of a carrier or office. Nobody guesses 96
  // bits at this rate.
  slugs: limiterOf(program, { ...MISSES, name: 'missed slugs', burst: 1000, everyMs: 250 }),
  // Every first start of an app asks this, and nearly all find nothing.
  fingerprints: limiterOf(program, { ...MISSES, name: 'missed fingerprints', burst: 3000, everyMs: 50 }),
}))

/** The answer of these limiters, for the document. */
const MISSED = { 503: 'Too many look-ups from this address found nothing' } as const

/**
 * Links as SDKs see them (docs/reference/device-protocol.md section 13, D1 to D4). Look-ups are GETs that count, so
 * they write for themselves.
 */
export const deviceLinkRoutes: Route[] = [
  get('/v1/deeplinks/_taps', {
    ...DEVICE,
    summary: 'Find the link of an earlier banner tap',
    description:
      'For the first start of an app: finds the tap on a banner that came from the same device. Answers 404 if none or several look alike.',
    asks: shape({ fingerprint: text().required() }),
    also: { ...MISSED, 404: 'No tap, or more than one, looks like this device', ...GONE },
    returns: matchedLink,
    run: async (call) => {
      const { tx, program, appId, isHead } = call
      const remote = prefixOf(call.remote)
      const now = program.kernel.clock.monotonic()
      const { fingerprints } = missesOf(program)
      await fingerprints.ready(remote, now)
      fingerprints.check(remote, now)
      const encoded = queryOf(call).get('fingerprint') ?? ''
      const agent = call.header('user-agent')
      const hasMatch = await tx.taps.hasMatch(appId, encoded, agent)
      if (hasMatch && isHead) return new Reply(200, {}, { 'Cache-Control': 'no-store' })
      const match = hasMatch ? await program.inTransaction((tx) => tx.taps.match(appId, encoded, agent)) : undefined
      if (!match) {
        fingerprints.charge(remote, now)
        throw new AppError('not_found', 'no tap on a banner matches this device')
      }
      const linkUrl = tx.links.urlOf(await tx.links.place(appId), match.link.slug)
      return answerOf(match.state, linkUrl, { linkUrl, ...presentFoundLink(match.link) })
    },
  }),
  get('/v1/deeplinks/:slug', {
    ...DEVICE,
    summary: 'Look up a deep link',
    description:
      'Each 200 is a match and counts against `lookupLimit`; HEAD does not count. An expired or used-up link still works in a browser.',
    asks: shape({ wasDeferred: oneOf(['0', '1']) }),
    also: { ...MISSED, 404: 'There is no such link', ...GONE },
    returns: foundLink,
    run: async (call) => {
      const { tx, program, appId, params } = call
      const remote = prefixOf(call.remote)
      const { clock } = program.kernel
      const { slugs } = missesOf(program)
      await slugs.ready(remote, clock.monotonic())
      slugs.check(remote, clock.monotonic())
      const slug = slugOf(params.slug!)
      const link = slug === undefined ? undefined : await tx.links.find(appId, slug)
      // Nobody guesses a link that there is.
      if (link?.isEnabled === false) throw unknownLink()
      if (!link) {
        slugs.charge(remote, clock.monotonic())
        throw unknownLink()
      }
      const state = await stateOf(call, link)
      const linkUrl = tx.links.urlOf(await tx.links.place(appId), link.slug)
      return answerOf(state, linkUrl, presentFoundLink(link))
    },
  }),
  get('/v1/banners', {
    ...DEVICE,
    summary: 'List the banners for a browser',
    description: 'A banner without `url` in `uiActions.accept` opens the app, which is installed already.',
    asks: shape({ webInstallId: text() }),
    returns: list(banner),
    run: async (call) => {
      const { tx, appId } = call
      const banners = await tx.banners.listShown(appId)
      const site = await tx.links.site(appId)
      const agent = readAgent({
        'user-agent': call.header('user-agent'),
        'sec-ch-ua-platform': call.header('sec-ch-ua-platform'),
      })
      const webInstallId = queryOf(call).get('webInstallId')
      const isInstalled = webInstallId !== null && (await tx.taps.isInstalled(appId, webInstallId))
      const shown = []
      for (const one of banners) {
        const deepLinkUrl = tx.links.urlOf(site, one.slug)
        const storeUrl = isInstalled ? undefined : await tx.banners.storeUrl(one, site.settings, agent, deepLinkUrl)
        shown.push(presentBanner(one, { deepLinkUrl, storeUrl }))
      }
      return new Reply(200, shown, { 'Cache-Control': BANNERS_KEPT })
    },
  }),
  post('/v1/banners/:bannerUuid/taps', {
    ...DEVICE,
    summary: 'Report a tap on a banner',
    description:
      'Counts a click. Remembers the device for the first start of the app, unless it asks not to be tracked.',
    takes: 'BannerTap',
    sends: { webInstallId: 'w-1007', fingerprint: { components: {} } },
    body: jsonObject().required(),
    unkept: { asText: (one) => hasText(one) && one.at.length > 1 && one.at[0] === 'fingerprint' },
    status: 204,
    also: { ...CAPPED, 404: 'There is no such banner' },
    run: async (call) => {
      const { tx, program, appId, params, body, header } = call
      const tapped = await tx.banners.get(appId, params.bannerUuid!)
      await takeNewcomers(call, 1)
      const agent = header('user-agent')
      const data = { platform: readAgent({ 'user-agent': agent }).platform, route: 'banner', bannerUuid: tapped.uuid }
      await tx.links.recordClicks([{ appId, linkId: tapped.linkId, at: program.kernel.clock.now(), data }])
      // A browser that asks not to be tracked still reaches the store, but its device is not recognised later.
      if (header('sec-gpc') === '1' || header('dnt') === '1') return
      const { webInstallId, fingerprint } = body
      await tx.taps.record(appId, {
        linkId: tapped.linkId,
        webInstallId: typeof webInstallId === 'string' ? webInstallId : undefined,
        // As the web SDK passes it on: the components, or the whole message of the page with the components in it.
        components:
          isPlainObject(fingerprint) && isPlainObject(fingerprint.components) ? fingerprint.components : fingerprint,
        userAgent: agent,
      })
    },
  }),
]

type Asking = Pick<Call<unknown, unknown>, 'tx' | 'program' | 'appId' | 'search' | 'header' | 'isHead'>

/** SDKs append the query of the link to their own. Where a name occurs twice, the first is the SDK's. */
function queryOf({ search }: Pick<Asking, 'search'>): URLSearchParams {
  return new URLSearchParams(search)
}

/**
 * The slug of a path segment. Slugs have no `%`, so a segment with one was encoded twice. The Android SDK does this
 * to links that were written percent-encoded.
 */
function slugOf(segment: string): string | undefined {
  try {
    return readSlug(segment.includes('%') ? decodeURIComponent(segment) : segment)
  } catch {
    return undefined
  }
}

/** Counts the look-up, unless it is a HEAD. A look-up that cannot succeed takes no transaction. */
async function stateOf(call: Asking, link: DeepLink): Promise<LinkState> {
  const { tx, program, appId } = call
  const now = program.kernel.clock.now()
  const seen = tx.links.stateOf(link, now)
  if (seen !== 'active' || call.isHead) return seen
  const wasDeferred = ['1', 'true'].includes(queryOf(call).get('wasDeferred') ?? '')
  const data = { route: wasDeferred ? 'deferred' : 'direct', wasDeferred }
  return program.inTransaction((tx: Areas) => tx.links.countLookup(appId, link.id, now, { data }))
}

function unknownLink(): AppError {
  return new AppError('not_found', 'there is no such link')
}

function answerOf(state: LinkState, linkUrl: string, found: object): Reply {
  const headers = { 'Cache-Control': 'no-store' }
  // Switched off since it was found.
  if (state === 'disabled') throw unknownLink()
  if (state === 'active') return new Reply(200, found, headers)
  return new Reply(state === 'expired' ? 410 : 429, { linkUrl }, headers)
}
