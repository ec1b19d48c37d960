import { mintKey } from '../../../platform/crypto/ids.ts'
import type { Vault } from '../../../platform/crypto/vault.ts'
import { AppError, invalid } from '../../../platform/errors.ts'
import type { Changes } from '../../../platform/threads/changes.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { IDENTIFIER_RULE, isIdentifier, MAX_ID_LENGTH } from '../schema.ts'
import type { InstallsRepository } from '../store/installs.repository.ts'
import type { UsersRepository } from '../store/users.repository.ts'
import type { SigningMode } from '../types.ts'
import type { SignedIdsRepository, StoredSigningKey } from './repository.ts'
import {
  type Claim,
  judgeClaim,
  looksSigned,
  readToken,
  type SigningState,
  signIdentifier,
  signingKey,
  TOKEN_PREFIX,
} from './signed-ids.ts'

/** The time for which the mode and keys of an app are cached. Changes by another process take effect after it. */
const REMEMBERED_MS = 5000
const MAX_REMEMBERED = 1000
/**
 * The ids that SDKs give their installs: a UUID in lower or upper case (docs/reference/device-protocol.md section 3).
 */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Decides for which user an event is accepted; `installId` is the sender. */
export type Claims = (given: string, installId: string) => Claim

/** The mode and the keys of an app, to be shown. Contains no secrets. */
export interface SigningReport {
  mode: SigningMode
  /** Keys in force, newest first. */
  keys: Omit<StoredSigningKey, 'sealed'>[]
}

export type SigningMemory = ReturnType<typeof createSigningMemory>

/** Cache of the modes and keys of apps, one per thread. `changes` empties those of all threads of the process. */
export function createSigningMemory(clock: Clock, changes: Changes) {
  let seen = changes.count('signing')
  const known = new Map<number, { state: SigningState; at: number }>()
  return {
    /** The state of an app: the one that is known, or what `read` reads. */
    async find(appId: number, read: () => Promise<SigningState>): Promise<SigningState> {
      const changesThen = changes.count('signing')
      if (seen !== changesThen) known.clear()
      seen = changesThen
      const at = clock.monotonic()
      const found = known.get(appId)
      if (found && at - found.at < REMEMBERED_MS) return found.state
      const state = await read()
      // What changed while it was read may not be in it.
      if (changes.count('signing') !== changesThen) return state
      known.delete(appId)
      known.set(appId, { state, at })
      if (known.size > MAX_REMEMBERED) known.delete(known.keys().next().value!)
      return state
    },
    /** Empties the cache. Call it when the settings of an app are changed. */
    forget(): void {
      changes.tell('signing')
    },
  }
}

export interface SignedIdsParts {
  repo: SignedIdsRepository
  users: Pick<UsersRepository, 'find'>
  installs: Pick<InstallsRepository, 'among'>
  vault: Vault
  clock: Clock
  memory: SigningMemory
}

/** Signed users: devices can act for a user only with a token from the app's own server. Optional for each app. */
export function signedIdsService({ repo, users, installs, vault, clock, memory }: SignedIdsParts) {
  async function read(appId: number): Promise<SigningState> {
    const keys = await repo.keys(appId)
    return {
      mode: await repo.mode(appId),
      keys: keys.map(({ sealed, expiresAt }) => ({
        key: signingKey(vault.open(sealed, signingContext(appId))),
        expiresAt,
      })),
    }
  }

  const stateOf = (appId: number) => memory.find(appId, () => read(appId))

  async function addKey(appId: number): Promise<string> {
    const now = clock.now()
    const key = mintKey('uk')
    await repo.insertKey(appId, {
      sealed: vault.seal(key, signingContext(appId)),
      hint: `${key.slice(0, 7)}…`,
      createdAt: now,
    })
    return key
  }

  /** Tells whether a plain identifier needs no token: it is that of an install, or can only be that of a new install. */
  async function isAnonymous(appId: number, identifier: string): Promise<boolean> {
    if (!isIdentifier(identifier)) return false
    const user = await users.find(appId, identifier)
    // An anonymous user may also be a person whose first call arrived before their login event.
    if (user && !user.anonymous) return false
    return UUID.test(identifier) || (await installs.among(appId, [identifier])).length > 0
  }

  return {
    /** Sealed signing keys of all apps, at most `limit`, with the context that opens them. */
    async sealed(limit: number): Promise<{ value: string; context: string }[]> {
      const some = await repo.sealed(limit)
      return some.map(({ appId, sealed }) => ({ value: sealed, context: signingContext(appId) }))
    },

    /** The check of the users that events of the app name. Reads the database only when the cache has expired. */
    async claims(appId: number): Promise<Claims> {
      const state = await stateOf(appId)
      return (given, installId) => judgeClaim(given, installId, state, clock.now())
    },

    /**
     * Throws `forbidden` for an id that a new install may not have. The anonymous user of an install has the same name:
     * an install named like a person would be that person, now (`isTaken`: a known user has this identifier) or when
     * they first log in.
     */
    async checkInstallName(appId: number, installId: string, isTaken: boolean): Promise<void> {
      const state = await stateOf(appId)
      if (looksSigned(installId, state)) throw new AppError('forbidden', 'an install may not be called like a token')
      if (state.mode !== 'require') return
      if (isTaken) throw new AppError('forbidden', 'an install may not be called like a known user')
      if (!UUID.test(installId)) {
        throw new AppError(
          'forbidden',
          'this app asks for signed users: its installs must be called by UUIDs, as SDKs do',
        )
      }
    },

    /**
     * The identifier of the user that a device names in a call by a token or plainly. Throws `forbidden` for an invalid
     * token, and for a plain identifier where the app requires tokens, unless it is that of an install.
     */
    async nameForDevice(appId: number, given: string): Promise<string> {
      const state = await stateOf(appId)
      if (looksSigned(given, state)) {
        const claim = readToken(given, state, clock.now())
        if ('refused' in claim) throw new AppError('forbidden', claim.refused)
        return claim.identifier
      }
      if (state.mode !== 'require' || (await isAnonymous(appId, given))) return given
      throw new AppError('forbidden', 'this app asks for signed users: give the token of the user, not the identifier')
    },

    /** The mode of the app and its keys in force. */
    async report(appId: number): Promise<SigningReport> {
      const now = clock.now()
      const keys = await repo.keys(appId)
      return {
        mode: await repo.mode(appId),
        keys: keys
          .filter(({ expiresAt }) => expiresAt === null || expiresAt > now)
          .map(({ hint, createdAt, expiresAt }) => ({ hint, createdAt, expiresAt })),
      }
    },

    /** The mode of the app, locked until the commit: what a change of it in this transaction replaces. */
    async lockMode(appId: number): Promise<SigningMode> {
      await repo.lock(appId)
      return repo.mode(appId)
    },

    /**
     * Changes the mode of the app. The first time it is switched on, a key is created and returned in clear, once.
     * Switching it off keeps the keys, so that existing tokens continue to work.
     */
    async setMode(appId: number, mode: SigningMode): Promise<string | undefined> {
      memory.forget()
      await repo.lock(appId)
      await repo.setMode(appId, mode, clock.now())
      const hasKey = (await repo.keys(appId)).some(({ expiresAt }) => expiresAt === null)
      return mode !== 'off' && !hasKey ? addKey(appId) : undefined
    },

    /**
     * Creates a key and returns it in clear, once. Tokens of the current keys stay valid for `graceMs` (0: they become
     * invalid at once).
     */
    async rotate(appId: number, graceMs: number): Promise<string> {
      memory.forget()
      await repo.lock(appId)
      await repo.expireKeys(appId, clock.now() + graceMs)
      return addKey(appId)
    },

    /**
     * The token of an identifier; the user need not exist. `expiresAt` in ms, null: never. Throws `invalid` for an
     * identifier that is invalid or too long, `conflict` while signed users are off.
     */
    async sign(appId: number, identifier: string, expiresAt: number | null): Promise<string> {
      if (!isIdentifier(identifier)) throw invalid({ userId: [IDENTIFIER_RULE] })
      if (identifier.startsWith(TOKEN_PREFIX)) throw invalid({ userId: ['is a token itself'] })
      const state = await stateOf(appId)
      const newest = state.keys.find((one) => one.expiresAt === null)
      if (state.mode === 'off' || !newest) {
        throw new AppError(
          'conflict',
          `signed users are off for app ${appId}: appsvc apps identity ${appId} --optional switches them on`,
        )
      }
      const token = signIdentifier(newest.key, identifier, expiresAt)
      if (token === undefined) {
        throw invalid({ userId: [`is too long to be signed: its token may have ${MAX_ID_LENGTH} characters`] })
      }
      return token
    },
  }
}

/** The context that the vault binds a key to. */
export function signingContext(appId: number): string {
  return `app ${appId} user signing key`
}
