import { randomBytes } from 'node:crypto'
import { shareLookups } from '../../platform/concurrency/shared-lookups.ts'
import { sameDigest, type Vault } from '../../platform/crypto/vault.ts'
import { AppError, invalid } from '../../platform/errors.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Admission, KeyMemory } from './key-memory.ts'
import { hintOf, mint, mintAll } from './keys.ts'
import type { AppsRepository, Keyring } from './repository.ts'
import {
  type AppChange,
  type AppRecord,
  type AppRules,
  type Clearing,
  idsOf,
  type KeyKind,
  type KeyRecord,
  type LogSettings,
  type NewApp,
} from './types.ts'

export type AppsService = ReturnType<typeof appsService>

/** Steps of the areas when an app is deleted, in lists that are taken in this order. */
export interface AppDeletion {
  /** Stop sends that are due or under way. */
  stop(): readonly ((appId: number, reason: string) => Promise<unknown>)[]
  /** Delete rows where an app may have very many. Rows that refer to others are deleted before these. */
  clear(): readonly Clearing[]
  /** Delete rows that the database does not delete together with the app's row. */
  finish(): readonly ((appId: number) => Promise<unknown>)[]
}

/** The asking about a name that another app may have. */
interface NameCheck {
  itself?: number
  sees?: ((appId: number) => boolean) | undefined
  remedy: string
}

/** Accounts, apps and their keys. */
export function appsService({
  repo,
  vault,
  clock,
  deletion,
  known,
  keysEnded,
}: {
  repo: AppsRepository
  vault: Vault
  clock: Clock
  deletion: AppDeletion
  known: Pick<KeyMemory, 'find'>
  /** Forgets the known keys once the change is committed. */
  keysEnded(): void
}) {
  const keyringOf = shareLookups((digests: readonly string[]) => repo.keyrings(digests))

  async function get(id: number): Promise<AppRecord> {
    const app = await repo.find(id)
    if (!app) throw new AppError('not_found', `there is no app ${id}: appsvc apps list shows them`)
    return app
  }

  /** Stores the digest of a key, and an API key, which is public, as it is. */
  function storeKey(appId: number, kind: KeyKind, key: string, now: number): Promise<void> {
    const value = kind === 'api' ? key : null
    return repo.insertKey({ app_id: appId, kind, digest: vault.digest(key), hint: hintOf(key), value, created_at: now })
  }

  async function namedBy(apiKey: string): Promise<Admission | undefined> {
    const now = clock.now()
    const digest = vault.digest(apiKey)
    const ring = await keyringOf(digest)
    const key = ring?.keys.find((one) => one.kind === 'api' && one.digest === digest && isInForce(one, now))
    return ring && key && { appId: ring.appId, until: endOf(key) }
  }

  async function admittedBy(
    apiKey: string,
    key: string,
    kind: Exclude<KeyKind, 'api'>,
  ): Promise<Admission | undefined> {
    const now = clock.now()
    const apiDigest = vault.digest(apiKey)
    const ring = await keyringOf(apiDigest)
    const inForce = ring?.keys.filter((one) => isInForce(one, now)) ?? []
    const name = inForce.find((one) => one.kind === 'api' && one.digest === apiDigest)
    const candidates = name ? inForce.filter((one) => one.kind === kind) : []
    const given = vault.digest(key)
    let match: Keyring['keys'][number] | undefined
    for (const one of candidates.length > 0 ? candidates : [NO_KEY]) match = sameDigest(one.digest, given) ? one : match
    return ring && name && match && { appId: ring.appId, until: Math.min(endOf(name), endOf(match)) }
  }

  return {
    get,

    find: (id: number) => repo.find(id),

    /** Ids of apps among `ids`. */
    there: (ids: readonly number[]) => repo.there(ids),

    list: () => repo.list(),

    /** Locks an app until the commit: what is read of its settings then is what a change of them in this transaction replaces. */
    lock: (id: number) => repo.lock(id),

    /** Creates an app and returns its three keys in clear text. Only digests of the server key and the secret key are stored. */
    async create({
      name,
      accountId,
      timezone = null,
    }: AppChange & { name: string; accountId?: number | undefined }): Promise<NewApp> {
      const now = clock.now()
      const account = await repo.ensureAccount(accountId, now)
      if (account === undefined) throw invalid({ accountId: [`there is no account ${accountId}`] })
      const linkHostLabel = `a${randomBytes(5).toString('hex')}`
      const app = await repo.insert({
        accountId: account,
        name,
        linkHostLabel,
        timezone,
        createdAt: now,
        updatedAt: now,
      })
      const keys = mintAll()
      for (const [kind, key] of [
        ['api', keys.apiKey],
        ['server', keys.serverKey],
        ['secret', keys.secretKey],
      ] as const) {
        await storeKey(app.id, kind, key, now)
      }
      return { ...app, ...keys }
    },

    /** Changes what is given. Throws `not_found`. */
    async change(id: number, change: AppChange): Promise<AppRecord> {
      await get(id)
      return (await repo.change(id, change, clock.now()))!
    },

    /**
     * Throws `conflict` when another app has the name, by which people could not tell the two apart. `itself` is the app that gets it, and
     * may have it already; `sees` tells of which apps the caller may know, and `remedy` how to have the name all the same. Call it in the
     * transaction that gives the name.
     */
    async refuseTaken(name: string, { itself, sees = () => true, remedy }: NameCheck): Promise<void> {
      await repo.lockNames()
      const all = (await repo.list()).filter((one) => one.name === name)
      const same = all.filter(({ id }) => sees(id))
      if (same.length === 0 || all.some(({ id }) => id === itself)) return
      throw new AppError(
        'conflict',
        `there is an app ${JSON.stringify(name)} already (${idsOf(same)}): choose another name, or ${remedy}`,
      )
    },

    /** First step of `deleteApp`: ends all keys and stops all sending. Throws `not_found`. */
    async close(id: number): Promise<void> {
      await get(id)
      await repo.endKeys(id, clock.now())
      keysEnded()
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
      keysEnded()
    },

    async keys(id: number): Promise<KeyRecord[]> {
      await get(id)
      return repo.keys(id)
    },

    /**
     * Returns a new key of this kind in clear text. The current key stays valid for `graceMs` more (0: ends at once).
     */
    async rotate(id: number, kind: KeyKind, graceMs: number): Promise<string> {
      // Of two at once the later one ends the key of the other, too.
      await repo.lock(id)
      await get(id)
      const now = clock.now()
      await repo.expireKeys(id, kind, now + graceMs)
      keysEnded()
      const key = mint(kind)
      await storeKey(id, kind, key, now)
      return key
    },

    /** The number of recipients above which a send must be confirmed; null: never. */
    confirmAbove: (id: number): Promise<number | null> => repo.confirmAbove(id),

    /** The attribute that holds a user's language; null: none does. Asked for each page of a broadcast. */
    languageAttribute: (id: number): Promise<string | null> => repo.languageAttribute(id),

    /** Quiet hours, frequency cap, confirmation, channels of devices and language attribute of an app. Throws `not_found`. */
    async restraint(id: number): Promise<AppRules> {
      await get(id)
      return (await repo.restraint(id))!
    },

    /** Changes the given rules; they apply from the next recipient on. */
    async restrain(id: number, change: Partial<AppRules>): Promise<AppRules> {
      await repo.lock(id)
      await get(id)
      const restraint = { ...(await repo.restraint(id))!, ...change }
      await repo.setRestraint(id, restraint, clock.now())
      return restraint
    },

    /** Tells whether pushes that people compose wait for a second person. */
    needsSecondPerson: (id: number): Promise<boolean> => repo.needsSecondPerson(id),

    /** Changes `needsSecondPerson`, for sends from now on. Throws `not_found`. */
    async setSecondPerson(id: number, isNeeded: boolean): Promise<void> {
      await get(id)
      await repo.setSecondPerson(id, isNeeded, clock.now())
    },

    /** Settings of an app for its event log. Throws `not_found`. */
    async logSettings(id: number): Promise<LogSettings> {
      await get(id)
      return { deliveries: await repo.logsDeliveries(id) }
    },

    /** Changes the settings for the event log, for pages that close from now on. Throws `not_found`. */
    async setLogSettings(id: number, settings: LogSettings): Promise<LogSettings> {
      await get(id)
      await repo.setLogsDeliveries(id, settings.deliveries, clock.now())
      return settings
    },

    /** The app with this API key; undefined when there is none. An API key is public and gives no access on its own. */
    async findByApiKey(apiKey: string): Promise<number | undefined> {
      return (await known.find('api', [apiKey], () => namedBy(apiKey)))?.appId
    },

    /**
     * The app that the API key and the second key give access to, or undefined; without a promise when the keys are known.
     * Compares digests in constant time, and does the same work for an unknown API key.
     */
    authenticate(apiKey: string, key: string, kind: Exclude<KeyKind, 'api'>): number | Promise<number | undefined> {
      const found = known.find(kind, [apiKey, key], () => admittedBy(apiKey, key, kind))
      return found instanceof Promise ? found.then((admission) => admission?.appId) : found.appId
    },
  }
}

const isInForce = ({ expiresAt }: { expiresAt: number | null }, now: number) => expiresAt === null || expiresAt > now
const endOf = ({ expiresAt }: { expiresAt: number | null }) => expiresAt ?? Infinity

/** A key that no other is like, to compare with when there is none. */
const NO_KEY: Keyring['keys'][number] = { kind: 'secret', digest: '0'.repeat(64), expiresAt: 0 }
