import type { Clock } from '../../platform/clock.ts'
import type { Vault } from '../../platform/crypto.ts'
import { AppError, invalid } from '../../platform/errors.ts'
import { mintKey } from '../../platform/ids.ts'
import type { InstallsRepository } from './installs.repository.ts'
import type { UsersRepository } from './repository.ts'
import { IDENTIFIER_RULE, isIdentifier, LONGEST_ID } from './schema.ts'
import type { SignedIdsRepository, StoredSigningKey } from './signed-ids.repository.ts'
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
import type { SigningMode } from './types.ts'

/** How long what an app asks for is remembered: a change in another process takes effect after that. */
const REMEMBERED_MS = 5000
const MOST_REMEMBERED = 1000
/** What SDKs call their installs: a UUID, lower or upper case (docs/reference/device-protocol.md section 3). */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Judges the users that the events of an app name; `installId` is whose events they are. */
export type Claims = (given: string, installId: string) => Claim

/** The mode and the keys of an app for people: nothing of it opens anything. */
export interface SigningReport {
  mode: SigningMode
  /** Those that tokens may be signed with, the newest first. */
  keys: Omit<StoredSigningKey, 'sealed'>[]
}

export type SigningMemory = ReturnType<typeof createSigningMemory>

/** What apps ask for, as it was read lately; one for the process. */
export function createSigningMemory(clock: Clock) {
  const known = new Map<number, { state: SigningState; at: number }>()
  return {
    get(appId: number): SigningState | undefined {
      const found = known.get(appId)
      return found && clock.monotonic() - found.at < REMEMBERED_MS ? found.state : undefined
    },
    set(appId: number, state: SigningState): void {
      known.delete(appId)
      known.set(appId, { state, at: clock.monotonic() })
      if (known.size > MOST_REMEMBERED) known.delete(known.keys().next().value!)
    },
    forget(appId: number): void {
      known.delete(appId)
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

/** Users that devices cannot speak for unless the app's own server said so. Optional for each app. */
export function signedIdsService({ repo, users, installs, vault, clock, memory }: SignedIdsParts) {
  async function stateOf(appId: number): Promise<SigningState> {
    const remembered = memory.get(appId)
    if (remembered) return remembered
    const keys = await repo.keys(appId)
    const state: SigningState = {
      mode: await repo.mode(appId),
      keys: keys.map(({ sealed, expiresAt }) => ({
        key: signingKey(vault.open(sealed, context(appId))),
        expiresAt,
      })),
    }
    memory.set(appId, state)
    return state
  }

  async function addKey(appId: number): Promise<string> {
    const now = clock.now()
    const key = mintKey('uk')
    await repo.insertKey(appId, {
      sealed: vault.seal(key, context(appId)),
      hint: `${key.slice(0, 7)}…`,
      createdAt: now,
    })
    return key
  }

  /** A plain identifier that may be used without a token: of an install, or of what can only be a new install. */
  async function isAnonymous(appId: number, identifier: string): Promise<boolean> {
    if (!isIdentifier(identifier)) return false
    const user = await users.find(appId, identifier)
    // An anonymous one may also be a person whose first call came before the event of his login.
    if (user && !user.anonymous) return false
    return UUID.test(identifier) || (await installs.among(appId, [identifier])).length > 0
  }

  return {
    /** Some sealed signing keys of any apps, with the context that opens them. */
    async sealed(limit: number): Promise<{ value: string; context: string }[]> {
      const some = await repo.sealed(limit)
      return some.map(({ appId, sealed }) => ({ value: sealed, context: context(appId) }))
    },

    /** How to judge the users that events of the app name. Hardly ever asks the database. */
    async claims(appId: number): Promise<Claims> {
      const state = await stateOf(appId)
      return (given, installId) => judgeClaim(given, installId, state, clock.now())
    },

    /**
     * Throws `forbidden` for what a new install may not be called. Its anonymous user has its name: who makes an install that is called
     * like a person would be that person, now (`isTaken`: a known user is called so) or once he logs in for the first time.
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
     * The identifier of the user that a device names in a call: what its token says, or what it gave. Throws `forbidden` for a token
     * that is no good, and for a plain identifier where the app asks for tokens, unless it is that of an install.
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

    /** What the app asks for, and its keys that have not ended. */
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

    /**
     * Changes what the app asks for. The first time it is switched on a key is made, in clear this once. Keys stay when it is switched
     * off: tokens that are out there go on naming their users.
     */
    async setMode(appId: number, mode: SigningMode): Promise<string | undefined> {
      memory.forget(appId)
      await repo.setMode(appId, mode, clock.now())
      const hasKey = (await repo.keys(appId)).some(({ expiresAt }) => expiresAt === null)
      return mode !== 'off' && !hasKey ? addKey(appId) : undefined
    },

    /** A new key, in clear this once. Tokens of the present ones are good for another `graceMs` (0 = not a moment). */
    async rotate(appId: number, graceMs: number): Promise<string> {
      memory.forget(appId)
      await repo.expireKeys(appId, clock.now() + graceMs)
      return addKey(appId)
    },

    /**
     * The token of an identifier, whether there is such a user or not; `expiresAt` in ms, null: never. Throws `invalid` for an identifier
     * that cannot be one or is too long, `conflict` while signed users are off.
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
        throw invalid({ userId: [`is too long to be signed: its token may have ${LONGEST_ID} characters`] })
      }
      return token
    },
  }
}

/** What the vault binds a key to. */
function context(appId: number): string {
  return `app ${appId} user signing key`
}
