import type { Vault } from '../../../platform/crypto/vault.ts'
import { AppError, messageOf } from '../../../platform/errors.ts'
import type { Log } from '../../../platform/log/log.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { CredentialFacts, GatewaySettings } from '../gateway.ts'
import { isToken, mintToken } from './authentication.ts'
import type { SafariFacts, SafariSecret } from './credentials.ts'
import { type FetchIcons, IconFailure, type IconSet, iconFetcher } from './icons.ts'
import { SAFARI } from './limits.ts'
import { NO_ADDRESS, serviceAddress, websiteOf } from './probe.ts'
import { buildPushPackage, type PackageVersion } from './push-package.ts'
import { createSigner, type SignDetached } from './signature.ts'

/** What all packages of one configuration share; made once. */
interface Kit {
  /** Configuration and version: a changed configuration gets a new kit. */
  version: string
  facts: SafariFacts
  sign: SignDetached
  icons: Promise<IconSet>
  /** Number of requests waiting for the icons. */
  waiting: number
  /** On the monotonic clock. */
  fetchedAt: number
  failed: boolean
}

/** Max kits in memory; each takes about 100 kB. */
const MAX_KITS = 200
/** Max requests of one app that wait for its icon, so that an unresponsive website delays only its own visitors. */
const MAX_WAITING = 64
/** Max packages built at a time. One takes milliseconds, so more in parallel means that somebody abuses our CPU. */
const MAX_UNDER_WAY = 128
const NOT_NOW = { headers: { 'Retry-After': '60' } }

/** The gateways of the apps, as far as packages need them. */
interface Gateways {
  find(appId: number, platform: 'safari'): Promise<Configured | undefined>
  credential(appId: number, platform: 'safari'): Promise<(Configured & { secret: unknown }) | undefined>
}

interface Configured {
  id: number
  version: number
  facts: CredentialFacts
}

export type PushPackages = ReturnType<typeof createPushPackages>

/**
 * Makes push packages for visitors of websites, and verifies the authentication tokens in them. Create one for the life
 * of the program: it keeps icons and signers in memory. Tests replace `fetchIcons`.
 */
export function createPushPackages(parts: {
  gateways: Gateways
  settings: GatewaySettings
  vault: Pick<Vault, 'digest'>
  clock: Clock
  log: Log
  fetchIcons?: FetchIcons
}) {
  const { gateways, settings, vault, clock, log, fetchIcons = iconFetcher() } = parts
  const kits = new Map<number, Kit>()
  let underWay = 0

  async function kitOf(appId: number): Promise<Kit> {
    const config = await gateways.find(appId, 'safari')
    if (!config) throw noGateway()
    const version = `${config.id} ${config.version}`
    let kit = kits.get(appId)
    if (kit?.version !== version) {
      const credential = await gateways.credential(appId, 'safari')
      if (!credential) throw noGateway()
      // Another request may have started the fetch: fetch the icon once.
      const made = kits.get(appId)
      if (made?.version === version) return made
      const facts = credential.facts as SafariFacts
      const sign = createSigner(credential.secret as SafariSecret)
      const icons = load(appId, facts)
      kit = { version, facts, sign, icons, waiting: 0, fetchedAt: clock.monotonic(), failed: false }
      follow(kit)
      keep(appId, kit)
    } else if (isStale(kit)) renew(appId, kit)
    return kit
  }

  function isStale({ fetchedAt, failed }: Kit): boolean {
    return clock.monotonic() - fetchedAt >= (failed ? SAFARI.iconFailureMs : SAFARI.iconKeptMs)
  }

  /** A known icon stays in use until a new one arrives, even if it is no longer available. */
  function renew(appId: number, kit: Kit): void {
    kit.fetchedAt = clock.monotonic()
    const next = load(appId, kit.facts)
    if (kit.failed) {
      kit.icons = next
      kit.failed = false
      follow(kit)
    } else {
      next.then(
        () => (kit.icons = next),
        () => {},
      )
    }
  }

  function follow(kit: Kit): void {
    kit.icons.catch(() => (kit.failed = true))
  }

  async function load(appId: number, { iconUrl }: SafariFacts): Promise<IconSet> {
    try {
      return await fetchIcons(iconUrl, settings)
    } catch (error) {
      log.warn(
        { appId, error: messageOf(error) },
        'the icon for Safari push packages is not available: see appsvc gateways check',
      )
      throw error
    }
  }

  function keep(appId: number, kit: Kit): void {
    kits.delete(appId)
    kits.set(appId, kit)
    if (kits.size > MAX_KITS) kits.delete(kits.keys().next().value!)
  }

  async function iconsOf(kit: Kit): Promise<IconSet> {
    if (kit.waiting >= MAX_WAITING) throw tooMany()
    kit.waiting++
    try {
      return await kit.icons
    } catch (error) {
      if (!(error instanceof IconFailure)) throw error
      // The reason is for the operator and is in the log.
      throw new AppError('unavailable', 'the icon of this website is not available now: try again in a minute', NOT_NOW)
    } finally {
      kit.waiting--
    }
  }

  return {
    /**
     * A package for one visitor. Throws `not_found` for a website push id that is not the app's, `conflict` when the
     * app or this service is not configured for Safari, `unavailable` (with `Retry-After`) when the icon cannot be
     * fetched or too many requests are under way.
     */
    async make(appId: number, apiKey: string, websitePushId: string, version: PackageVersion): Promise<Buffer> {
      const kit = await kitOf(appId)
      if (kit.facts.websitePushId !== websitePushId) throw unknownId()
      const address = serviceAddress(settings, apiKey)
      if (!address) throw new AppError('conflict', `${NO_ADDRESS}: set baseUrl`)
      const icons = await iconsOf(kit)
      if (underWay >= MAX_UNDER_WAY) throw tooMany()
      underWay++
      try {
        const website = websiteOf(kit.facts, address, mintToken(vault, { appId, websitePushId }))
        return await buildPushPackage({ website, icons, version }, kit.sign, clock.now())
      } finally {
        underWay--
      }
    },

    /**
     * Checks the `Authorization` header of a call about one device: `ApplePushNotifications <authenticationToken>`.
     * Throws `unauthorized` for anything else, `not_found` for a website push id that is not the app's, `conflict`
     * without a gateway.
     */
    async authorize(appId: number, websitePushId: string, header: string): Promise<void> {
      const config = await gateways.find(appId, 'safari')
      if (!config) throw noGateway()
      if ((config.facts as SafariFacts).websitePushId !== websitePushId) throw unknownId()
      const token = /^ApplePushNotifications +(\S+) *$/i.exec(header)?.[1]
      if (token !== undefined && isToken(vault, { appId, websitePushId }, token)) return
      throw new AppError('unauthorized', 'use Authorization: ApplePushNotifications with the token of a push package', {
        headers: { 'WWW-Authenticate': 'ApplePushNotifications' },
      })
    },
  }
}

function tooMany(): AppError {
  const headers = { 'Retry-After': '1' }
  return new AppError('unavailable', 'too many push packages are being made: try again', { headers })
}

function noGateway(): AppError {
  return new AppError('conflict', 'this app has no safari gateway: configure one')
}

function unknownId(): AppError {
  return new AppError('not_found', 'this app has no such website push id')
}
