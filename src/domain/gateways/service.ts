import type { Vault } from '../../platform/crypto/vault.ts'
import { AppError, type FieldErrors, invalid } from '../../platform/errors.ts'
import { isPlainObject, readObject } from '../../platform/json/json.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { Unreadable } from '../../platform/values/unreadable.ts'
import type { ApnsFacts } from './apns/credentials.ts'
import { dueNotice, EXPIRY_HORIZON_MS } from './configure/expiry.ts'
import type { CheckedCredential, CredentialFacts } from './gateway.ts'
import type { LanesRepository } from './lanes.repository.ts'
import { findGateway, PLATFORM_TYPES, type Platform } from './registry.ts'
import type { GatewaysRepository } from './repository.ts'
import type { SafariFacts } from './safari/credentials.ts'
import type { Expiry, GatewayConfig, OpenCredential } from './types.ts'

/** Checked blocks by platform, ready to be stored. */
export type CheckedBlocks = Partial<Record<Platform, CheckedCredential>>

/**
 * Checks the blocks of a gateway configuration (`{ios: {...}, android: {...}}`). This is CPU work without the database:
 * do it before the transaction. Throws `invalid` with every wrong key of every block.
 */
export async function checkBlocks(blocks: unknown, now: number): Promise<CheckedBlocks> {
  if (!isPlainObject(blocks)) throw invalid({ '': ['must be an object'] })
  const errors: FieldErrors = {}
  const checked: CheckedBlocks = {}
  const given = (Object.keys(PLATFORM_TYPES) as Platform[]).filter((name) => (blocks[name] ?? undefined) !== undefined)
  // Here, because schemas bring in yup, and most commands do without.
  const [{ blocks: schemas }, { withoutNulls }] = await Promise.all([
    import('./blocks.ts'),
    import('../../platform/values/parse.ts'),
  ])
  if (given.length === 0) {
    errors[''] = [`needs at least one of the blocks ${Object.keys(PLATFORM_TYPES).join(', ')}`]
  }
  for (const platform of given) {
    const gateway = findGateway(platform)
    if (!gateway) {
      errors[platform] = ['this gateway is not available in this version']
      continue
    }
    if (!isPlainObject(blocks[platform])) {
      errors[platform] = ['must be an object']
      continue
    }
    const block = withoutNulls(schemas[platform], blocks[platform]) as Record<string, unknown>
    const result = await gateway.check(block, now)
    if ('credential' in result) checked[platform] = result.credential
    else
      for (const [key, messages] of Object.entries(result.errors))
        errors[key ? `${platform}.${key}` : platform] = messages
  }
  if (Object.keys(errors).length > 0) throw invalid(errors)
  return checked
}

/** The context under which a credential is sealed. */
export const credentialContext = (appId: number, platform: Platform): string => `app ${appId} gateway ${platform}`

export type GatewaysService = ReturnType<typeof gatewaysService>

/** The gateways of apps and their credentials, which are stored sealed and opened only for sending. */
export function gatewaysService(parts: {
  repo: GatewaysRepository
  lanes: LanesRepository
  vault: Vault
  clock: Clock
}) {
  const { repo, lanes, vault, clock } = parts

  /**
   * Configuration with its opened secret, or undefined if the app has no such gateway. Throws `config` for a wrong
   * master key, and `Unreadable`.
   */
  async function credential(appId: number, platform: Platform): Promise<OpenCredential | undefined> {
    const found = await repo.find(appId, platform)
    if (!found) return undefined
    const { sealed, ...config } = found
    const opened = vault.open(sealed, credentialContext(appId, platform))
    const secret = readObject(opened)
    if (!secret) throw new Unreadable(`the stored credential of ${platform}`, 'set it again')
    return { ...config, secret }
  }

  /** `facts` with the stored values of those that outlive a credential. */
  async function withLasting(
    appId: number,
    platform: Platform,
    facts: CredentialFacts,
    names: readonly string[],
  ): Promise<CredentialFacts> {
    const stored = (await repo.find(appId, platform))?.facts ?? {}
    return { ...Object.fromEntries(Object.entries(stored).filter(([name]) => names.includes(name))), ...facts }
  }

  return {
    lanes,

    list: (appId: number): Promise<GatewayConfig[]> => repo.list(appId),

    /** The platforms of an app's gateways. */
    platforms: (appId: number): Promise<Platform[]> => repo.platforms(appId),

    /** The platforms of an app's gateways that can send. */
    async sendable(appId: number): Promise<Platform[]> {
      return (await repo.list(appId)).flatMap(({ platform, sendable }) => (sendable ? [platform] : []))
    },

    /** The gateways that were configured last, of any app. */
    newest: (limit: number): Promise<{ appId: number; platform: Platform }[]> => repo.newest(limit),

    find: (appId: number, platform: Platform): Promise<GatewayConfig | undefined> => repo.find(appId, platform),

    /** The address of the app's website, from its Safari gateway; undefined without one. */
    async siteUrl(appId: number): Promise<string | undefined> {
      return ((await repo.find(appId, 'safari'))?.facts as SafariFacts | undefined)?.siteUrl
    },

    /** Tells whether the operator said that the app has Apple's entitlement for critical alerts. */
    async allowsCritical(appId: number): Promise<boolean> {
      return ((await repo.find(appId, 'ios'))?.facts as ApnsFacts | undefined)?.critical === true
    },

    /**
     * Stores checked blocks and reopens their lanes, so that messages that waited for a valid credential go out. Call
     * it in a transaction.
     */
    async configure(appId: number, blocks: CheckedBlocks): Promise<void> {
      const now = clock.now()
      await repo.lock(appId)
      for (const [platform, checked] of Object.entries(blocks) as [Platform, CheckedCredential][]) {
        const { merge, lastingFacts } = findGateway(platform) ?? {}
        const merged = merge ? merge(checked, await credential(appId, platform), now) : checked
        const { secret, sendable } = merged
        const facts = lastingFacts ? await withLasting(appId, platform, merged.facts, lastingFacts) : merged.facts
        const sealed = vault.seal(JSON.stringify(secret), credentialContext(appId, platform))
        await repo.save(appId, platform, { sealed, facts, sendable, now })
        const lane = await lanes.ensure(appId, platform, now)
        await lanes.open(lane.id, now)
      }
    },

    /** Some sealed credentials of any app, with the context that opens them. */
    async sealed(limit: number): Promise<{ value: string; context: string }[]> {
      const some = await repo.sealed(limit)
      return some.map(({ appId, platform, sealed }) => ({ value: sealed, context: credentialContext(appId, platform) }))
    },

    /** Credentials of all apps that expire, soonest first. */
    expiries: (): Promise<Expiry[]> => repo.expiries(),

    /** Credentials with an expiry warning due. Reads only. */
    async dueNotices(): Promise<Expiry[]> {
      const now = clock.now()
      const soon = await repo.expiries(now + EXPIRY_HORIZON_MS)
      return soon.filter((expiry) => dueNotice(expiry, now) !== undefined)
    },

    /** Records that the operator is warned. False if another process was first. */
    async takeNotice(expiry: Expiry): Promise<boolean> {
      const notice = dueNotice(expiry, clock.now())
      return notice !== undefined && (await repo.markNotice(expiry, notice))
    },

    /**
     * Deletes the credential. Its lane is opened, so that recipients that wait in it end now, as `no_gateway`, and not
     * when a hold is over. Throws `not_found` if the app has no such gateway.
     */
    async remove(appId: number, platform: Platform): Promise<void> {
      if (!(await repo.remove(appId, platform)))
        throw new AppError('not_found', `app ${appId} has no ${platform} gateway`)
      await lanes.openOf(appId, platform, clock.now())
    },

    credential,
  }
}
