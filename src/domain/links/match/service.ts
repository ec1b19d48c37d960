import type { Clock } from '../../../platform/clock.ts'
import { isStorable } from '../../../platform/json.ts'
import type { LinksService } from '../service.ts'
import type { DeepLink, LinkState } from '../types.ts'
import { agrees, decodeFingerprint, type Fingerprint, readFingerprint, type System, systemOf } from './fingerprint.ts'
import type { Tap, TapsRepository } from './repository.ts'

/** A tap on a banner, as the web SDK tells it. */
export interface NewTap {
  linkId: number
  /** The browser; undefined when it does not say. */
  webInstallId: string | undefined
  /** What the fingerprint page gave. */
  components: unknown
  userAgent: string
}

/** What became of a look-up that matched. */
export interface TapMatch {
  link: DeepLink
  state: LinkState
}

/** No window is longer; what is older waits for nobody. */
const LONGEST_WAIT_MS = 86_400_000

interface Parts {
  repo: TapsRepository
  links: Pick<LinksService, 'site' | 'get' | 'countLookup'>
  clock: Clock
}

/** Taps on banners that wait for the first start of the app, and what is known of the browsers they were made in. */
export function tapsService({ repo, links, clock }: Parts) {
  /** The one tap that can be meant; undefined when none or several look alike. */
  async function candidate(appId: number, fingerprint: Fingerprint, caller: System): Promise<Tap | undefined> {
    const { settings } = await links.site(appId)
    if (settings.fingerprintWindow === 0) return undefined
    const waiting = await repo.waiting(appId, fingerprint.digest, clock.now() - settings.fingerprintWindow * 1000)
    const alike = waiting.filter((tap) => {
      const tapped = { platform: tap.platform ?? undefined, osMajor: tap.osMajor ?? undefined }
      return agrees(tapped, fingerprint) && agrees(tapped, caller)
    })
    return alike.length === 1 ? alike[0] : undefined
  }

  return {
    /**
     * Notes a tap, replacing the browser's one before. Nothing is kept when the app does not match by fingerprint, or when the
     * components are of no use. Throws `not_found` for an unknown app.
     */
    async record(appId: number, { linkId, webInstallId, components, userAgent }: NewTap): Promise<void> {
      const { settings } = await links.site(appId)
      const fingerprint = readFingerprint(components)
      if (settings.fingerprintWindow === 0 || !fingerprint || webInstallId === undefined) return
      if (webInstallId === '' || webInstallId.length > 255 || !isStorable(webInstallId)) return
      const caller = systemOf(userAgent)
      await repo.save({
        appId,
        webInstallId,
        linkId,
        fingerprint: fingerprint.digest,
        platform: fingerprint.platform ?? caller.platform ?? null,
        osMajor: fingerprint.osMajor ?? caller.osMajor ?? null,
        tappedAt: clock.now(),
      })
    },

    /** Whether a look-up has a match, without using it up: almost none has, and those need no transaction. */
    async hasMatch(appId: number, encoded: string, userAgent: string): Promise<boolean> {
      const fingerprint = readFingerprint(decodeFingerprint(encoded))
      return fingerprint !== undefined && (await candidate(appId, fingerprint, systemOf(userAgent))) !== undefined
    },

    /**
     * The link of the one tap that has these marks, within the app's window and on the same platform and major version. Each tap
     * is matched once; it counts against the link's limit, and from then on the app is known to be installed beside that
     * browser. Undefined when none or several could be meant.
     */
    async match(appId: number, encoded: string, userAgent: string): Promise<TapMatch | undefined> {
      const fingerprint = readFingerprint(decodeFingerprint(encoded))
      const tap = fingerprint && (await candidate(appId, fingerprint, systemOf(userAgent)))
      const now = clock.now()
      if (!tap || !(await repo.use(tap, now))) return undefined
      const data = { route: 'fingerprint', wasDeferred: true }
      const state = await links.countLookup(appId, tap.linkId, now, { data })
      return { link: await links.get(appId, tap.linkId), state }
    },

    /** Whether the app is known to be installed beside this browser. */
    async isInstalled(appId: number, webInstallId: string): Promise<boolean> {
      return isStorable(webInstallId) && (await repo.isInstalled(appId, webInstallId))
    },

    /** Forgets at most `limit` taps, of all apps, that wait for nobody any more; returns how many. */
    forget: (limit: number) => repo.forget(clock.now() - LONGEST_WAIT_MS, limit),
  }
}
