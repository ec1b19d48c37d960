import { randomBytes } from 'node:crypto'
import type { Clock } from '../../platform/clock.ts'
import { sameDigest, type Vault } from '../../platform/crypto.ts'
import { AppError, invalid } from '../../platform/errors.ts'
import { shareLookups } from '../../platform/shared-lookups.ts'
import { hintOf, mint, mintAll } from './keys.ts'
import type { AppsRepository } from './repository.ts'
import type { AppRecord, AppRules, Clearing, KeyKind, KeyRecord, NewApp } from './types.ts'

export type AppsService = ReturnType<typeof appsService>

/** What the areas do when an app is deleted: lists of steps, taken in this order. */
export interface AppDeletion {
  /** Stop what is due or under way, so that nothing more is sent. */
  stop(): readonly ((appId: number, reason: string) => Promise<unknown>)[]
  /** Delete rows where an app may have very many. Rows that refer to others are deleted before these. */
  clear(): readonly Clearing[]
  /** Delete the rest of what the database does not delete together with the app's row. */
  finish(): readonly ((appId: number) => Promise<unknown>)[]
}

/** Accounts, apps and their keys. */
export function appsService({
  repo,
  vault,
  clock,
  deletion,
}: {
  repo: AppsRepository
  vault: Vault
  clock: Clock
  deletion: AppDeletion
}) {
  const keyringOf = shareLookups((digests: readonly string[]) => repo.keyrings(digests))

  async function get(id: number): Promise<AppRecord> {
    const app = await repo.find(id)
    if (!app) throw new AppError('not_found', `there is no app ${id}: appsvc apps list shows them`)
    return app
  }

  return {
    get,

    find: (id: number) => repo.find(id),

    list: () => repo.list(),

    /** Creates an app and returns its three keys in clear text; only their digests are stored. */
    async create({ name, accountId }: { name: string; accountId?: number | undefined }): Promise<NewApp> {
      const now = clock.now()
      const account = await repo.ensureAccount(accountId, now)
      if (account === undefined) throw invalid({ accountId: [`there is no account ${accountId}`] })
      const linkHostLabel = `a${randomBytes(5).toString('hex')}`
      const app = await repo.insert({ accountId: account, name, linkHostLabel, createdAt: now, updatedAt: now })
      const keys = mintAll()
      for (const [kind, key] of [
        ['api', keys.apiKey],
        ['server', keys.serverKey],
        ['secret', keys.secretKey],
      ] as const) {
        await repo.insertKey(app.id, kind, vault.digest(key), hintOf(key), now)
      }
      return { ...app, ...keys }
    },

    async rename(id: number, name: string): Promise<AppRecord> {
      await get(id)
      return (await repo.rename(id, name, clock.now()))!
    },

    /** First step of `deleteApp`: ends all keys and stops all sending. Throws `not_found`. */
    async close(id: number): Promise<void> {
      await get(id)
      await repo.endKeys(id, clock.now())
      for (const stop of deletion.stop()) await stop(id, 'the app is being deleted')
    },

    /**
     * Runs one step of `AppDeletion.clear`, counted from 0: deletes at most `limit` rows of a closed app. Returns how
     * many it deleted (fewer than the limit when the step is done), or undefined when there is no such step.
     */
    async clear(id: number, step: number, limit: number): Promise<number | undefined> {
      return deletion.clear()[step]?.(id, limit)
    },

    /** Deletes the app with everything that is left of it. Throws `not_found`. */
    async delete(id: number): Promise<void> {
      await get(id)
      for (const finish of deletion.finish()) await finish(id)
      await repo.delete(id)
    },

    async keys(id: number): Promise<KeyRecord[]> {
      await get(id)
      return repo.keys(id)
    },

    /**
     * Returns a new key of this kind in clear text. The current key stays valid for `graceMs` more (0: ends at once).
     */
    async rotate(id: number, kind: KeyKind, graceMs: number): Promise<string> {
      await get(id)
      const now = clock.now()
      await repo.expireKeys(id, kind, now + graceMs)
      const key = mint(kind)
      await repo.insertKey(id, kind, vault.digest(key), hintOf(key), now)
      return key
    },

    /** The number of recipients above which a send must be confirmed; null: never. */
    confirmAbove: (id: number): Promise<number | null> => repo.confirmAbove(id),

    /** Quiet hours, frequency cap, confirmation and channels of devices of an app. Throws `not_found`. */
    async restraint(id: number): Promise<AppRules> {
      await get(id)
      return (await repo.restraint(id))!
    },

    /** Changes the given rules; they apply from the next recipient on. */
    async restrain(id: number, change: Partial<AppRules>): Promise<AppRules> {
      await get(id)
      const restraint = { ...(await repo.restraint(id))!, ...change }
      await repo.setRestraint(id, restraint, clock.now())
      return restraint
    },

    /** The app with this API key; undefined when there is none. An API key is public and gives no access on its own. */
    async findByApiKey(apiKey: string): Promise<number | undefined> {
      const now = clock.now()
      const digest = vault.digest(apiKey)
      const ring = await keyringOf(digest)
      const isNamed = ring?.keys.some(
        (one) => one.kind === 'api' && one.digest === digest && (one.expiresAt === null || one.expiresAt > now),
      )
      return isNamed ? ring?.appId : undefined
    },

    /**
     * The app that the API key and the second key give access to, or undefined. Compares digests in constant time, and
     * does the same work for an unknown API key.
     */
    async authenticate(apiKey: string, key: string, kind: Exclude<KeyKind, 'api'>): Promise<number | undefined> {
      const now = clock.now()
      const apiDigest = vault.digest(apiKey)
      const ring = await keyringOf(apiDigest)
      const inForce = ring?.keys.filter(({ expiresAt }) => expiresAt === null || expiresAt > now) ?? []
      const isNamed = inForce.some((one) => one.kind === 'api' && one.digest === apiDigest)
      const digests = isNamed ? inForce.filter((one) => one.kind === kind).map(({ digest }) => digest) : []
      const given = vault.digest(key)
      let match = false
      for (const digest of digests.length > 0 ? digests : [DUMMY_DIGEST]) match = sameDigest(digest, given) || match
      return match ? ring?.appId : undefined
    },
  }
}

const DUMMY_DIGEST = '0'.repeat(64)
