import { chunks } from '../../platform/concurrency/chunks.ts'
import { invalid } from '../../platform/errors.ts'
import { shortText } from '../../platform/values/lenient.ts'
import type { TokenEnvironment } from '../gateways/gateway.ts'
import { PLATFORM_TYPES, type Platform, type PlatformType, platformOf } from '../gateways/registry.ts'
import type { CrmParts } from './store/parts.ts'
import { readTokenRegistration } from './tokens.ts'
import type { InstallRef, Recipient, TokenRegistration } from './types.ts'

/** Maximum number of ids that one statement looks up. It bounds the size of the bound list, some 400 kB of ids. */
const IDS_AT_ONCE = 10_000

/** An install as a target; `platform` is undefined when it has none that we know. */
export interface SubscribedInstall {
  row: number
  platform: Platform | undefined
}

/** A user as a target: their subscribed installs, oldest first. Empty when none is subscribed. */
export interface UserReach {
  userId: number
  installs: SubscribedInstall[]
}

const named = (platform: PlatformType | null) => (platform === null ? undefined : platformOf(platform))

/** Push tokens of installs, and look-ups of the installs that can be reached. */
export function tokensService({ users, installs, tokens, clock, refusalOfEndpoint, news }: CrmParts) {
  /** Reads a registration. Throws `invalid` for an unusable token. */
  function readToken(data: unknown): TokenRegistration {
    const token = readTokenRegistration(data)
    const refusal = token.platform === PLATFORM_TYPES.web ? refusalOfEndpoint?.(token.token) : undefined
    if (refusal !== undefined) throw invalid({ 'token.endpoint': [refusal] })
    return token
  }

  return {
    readToken,

    /**
     * Stores the push token that a device registered (`data`: docs/reference/device-protocol.md section 6), unless the
     * device reported something newer. Another install of the app with the same token loses it, because that means a
     * reinstall. Throws `invalid` for an unusable token.
     */
    async registerToken(appId: number, install: InstallRef, data: unknown, at: number): Promise<void> {
      const token = readToken(data)
      const now = clock.now()
      if (await tokens.register(appId, install.row, token, Math.min(at, now), now)) {
        await tokens.takeFromOthers(appId, install.row, token.token, now)
      }
    },

    /** Removes the install's token, unless it registered one later. */
    async unregisterToken(appId: number, install: InstallRef, at: number): Promise<void> {
      const now = clock.now()
      await tokens.unregister(appId, install.row, Math.min(at, now), now)
    },

    /** Records whether the system shows the app's notifications. While it does not, the token is kept but not used. */
    async setNotificationsEnabled(appId: number, install: InstallRef, enabled: boolean, at: number): Promise<void> {
      const now = clock.now()
      await tokens.setEnabled(appId, install.row, enabled, Math.min(at, now), now)
    },

    /**
     * Records a report of a Mac about a token, which does not name the install: whether the person allows the website's
     * notifications. The token is kept, because Safari issues the same one when they are allowed again, and SDKs do not
     * register it twice. Returns whether an install has the token.
     */
    async setSafariPermission(appId: number, token: string, allowed: boolean): Promise<boolean> {
      const read = readTokenRegistration({ type: PLATFORM_TYPES.safari, token })
      return (await tokens.setEnabledOf(appId, read, allowed, clock.now())) > 0
    },

    /**
     * Moves a token that its gateway reported as dead to the retired tokens, with the reason (cut to 255 characters).
     * Does nothing when the install has a different token by now.
     */
    async retireToken(appId: number, row: number, token: string, reason: string): Promise<void> {
      const why = shortText(reason) ?? 'no reason given'
      if (!(await tokens.retire(appId, row, token, why, clock.now())) || !news) return
      const userIdentifier = await installs.currentUser(appId, row)
      await news.installUnreachable(appId, { row, userIdentifier, reason: why })
    },

    /** Stores knowledge of a gateway about this exact token: the Apple environment that accepts it, or the key of its subscription. */
    rememberEnvironment(appId: number, row: number, token: string, environment: TokenEnvironment): Promise<void> {
      return tokens.setEnvironment(appId, row, token, environment)
    },

    /** Counts a suspicious refusal of this exact token. Returns the number since it was last accepted or registered. */
    countRefusal(appId: number, row: number, token: string): Promise<number> {
      return tokens.countRefusal(appId, row, token)
    },

    /** Resets the refusals after the gateway accepted the token. */
    clearRefusals(appId: number, row: number): Promise<void> {
      return tokens.clearRefusals(appId, row)
    },

    /** Install id -> row, platform and whether it is subscribed. Unknown ids are not in the map. */
    async lookupInstalls(
      appId: number,
      installIds: readonly string[],
    ): Promise<Map<string, SubscribedInstall & { subscribed: boolean }>> {
      const found = new Map<string, SubscribedInstall & { subscribed: boolean }>()
      for (const some of chunks(installIds, IDS_AT_ONCE)) {
        for (const { installId, row, subscribed, platform } of await installs.among(appId, some))
          found.set(installId, { row, subscribed, platform: named(platform) })
      }
      return found
    },

    /** User identifier -> the subscribed installs. Unknown identifiers are not in the map. */
    async lookupUsers(appId: number, identifiers: readonly string[]): Promise<Map<string, UserReach>> {
      const found = new Map<string, UserReach>()
      for (const some of chunks(identifiers, IDS_AT_ONCE)) {
        const byId = new Map<number, UserReach>()
        for (const { id, identifier } of await users.idsOf(appId, some)) {
          const reach = { userId: id, installs: [] }
          found.set(identifier, reach)
          byId.set(id, reach)
        }
        for (const { userId, row, platform } of await installs.subscribedOf(appId, [...byId.keys()]))
          byId.get(userId)!.installs.push({ row, platform: named(platform) })
      }
      return found
    },

    /** The current tokens of these installs, ordered by row. Installs of other apps are left out. */
    async deliveryRecipients(appId: number, rows: readonly number[]): Promise<Recipient[]> {
      const ascending = [...rows].sort((a, b) => a - b)
      const found: Recipient[] = []
      for (const some of chunks(ascending, IDS_AT_ONCE)) found.push(...(await tokens.recipients(appId, some)))
      return found
    },
  }
}
