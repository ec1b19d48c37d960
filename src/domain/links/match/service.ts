import { isStorable } from '../../../platform/json/json.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { LinksService } from '../service.ts'
import type { DeepLink, LinkState } from '../types.ts'
import { agrees, decodeFingerprint, type Fingerprint, readFingerprint, type System, systemOf } from './fingerprint.ts'
import type { Tap, TapsRepository } from './repository.ts'

/** A tap on a banner, as the web SDK reports it. */
export interface NewTap {
  linkId: number
  /** The id of the browser; undefined when the SDK sent none. */
  webInstallId: string | undefined
  /** The components that the fingerprint page collected, unchecked. */
  components: unknown
  userAgent: string
}

/** The link of a match, and the state that the SDK is told. */
export interface TapMatch {
  link: DeepLink
  state: LinkState
}

/** The longest window that an app can set (settings/settings.ts). Older taps can no longer be matched. */
const MAX_WAIT_MS = 86_400_000

interface Parts {
  repo: TapsRepository
  links: Pick<LinksService, 'place' | 'get' | 'countLookup' | 'firstDeleted' | 'forgetDeleted'>
  clock: Clock
}

/**
 * Taps on banners, which are matched to the first start of the app, and the browsers whose device is known to have the
 * app.
 */
export function tapsService({ repo, links, clock }: Parts) {
  /** The tap that fits the fingerprint; undefined when there is none, or more than one. */
  async function candidate(appId: number, fingerprint: Fingerprint, caller: System): Promise<Tap | undefined> {
    const { settings } = await links.place(appId)
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
     * Stores a tap in place of the browser's previous one. Stores nothing when the app does not match by fingerprint,
     * when the browser has no valid id, or when the components are invalid. Throws `not_found` for an unknown app.
     */
    async record(appId: number, { linkId, webInstallId, components, userAgent }: NewTap): Promise<void> {
      const { settings } = await links.place(appId)
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

    /** Whether a look-up would match, without using the tap. Almost none does, so most look-ups need no transaction. */
    async hasMatch(appId: number, encoded: string, userAgent: string): Promise<boolean> {
      const fingerprint = readFingerprint(decodeFingerprint(encoded))
      return fingerprint !== undefined && (await candidate(appId, fingerprint, systemOf(userAgent))) !== undefined
    },

    /**
     * The link of the tap with this fingerprint, within the app's window and from the same platform and major version;
     * undefined when there is no such tap, or more than one. Uses the tap: it cannot match again, it counts against the
     * link's limit, and the app is then known to be installed on the device of that browser.
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

    /** Whether the app is known to be installed on the device of this browser. */
    async isInstalled(appId: number, webInstallId: string): Promise<boolean> {
      return isStorable(webInstallId) && (await repo.isInstalled(appId, webInstallId))
    },

    /**
     * Deletes at most `limit` taps of a deleted link, and then the link. Returns the limit while there may be more to
     * delete, otherwise 0.
     */
    async clearDeleted(limit: number): Promise<number> {
      const gone = await links.firstDeleted()
      if (!gone) return 0
      if ((await repo.clearLink(gone.appId, gone.id, limit)) < limit) await links.forgetDeleted(gone.appId, gone.id)
      return limit
    },

    /** Deletes at most `limit` taps, of all apps, that can no longer be matched. Returns how many. */
    forget: (limit: number) => repo.forget(clock.now() - MAX_WAIT_MS, limit),
  }
}
