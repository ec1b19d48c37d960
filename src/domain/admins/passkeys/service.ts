import { randomBytes } from 'node:crypto'
import type {
  AuthenticationResponseJSON,
  AuthenticatorTransport,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import { sameDigest, type Vault } from '../../../platform/crypto/vault.ts'
import { AppError, invalid } from '../../../platform/errors.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { type AdminsRepository, type StoredAdmin, toAdmin } from '../repository.ts'
import { CHALLENGE } from '../second-factor/second-factor.ts'
import type { Admin } from '../types.ts'
import { type RelyingParty, relyingPartyOf } from './relying-party.ts'
import type { Passkey, PasskeysRepository } from './repository.ts'

/** How long somebody may take to touch a key. */
const CHALLENGE_MS = 5 * 60_000
/** Ed25519, ES256 and RS256 (COSE): every authenticator has one of them, and Node has all without experiments. */
const ALGORITHMS = [-8, -7, -257]
/** How many a person has at most. */
const MOST = 20

/** Loaded by the first who uses a passkey: it is large. */
const library = () => import('@simplewebauthn/server')

/**
 * Passkeys. They are discoverable: the browser offers those that it has, and nobody types a name. Challenges are not stored before they
 * are answered: each carries its time and a digest by the master key, so strangers who ask for many cost no room.
 */
export function passkeysService({
  repo,
  admins,
  vault,
  clock,
  baseUrl,
}: {
  repo: PasskeysRepository
  admins: AdminsRepository
  vault: Vault
  clock: Clock
  baseUrl: string
}) {
  function party(): RelyingParty {
    const found = relyingPartyOf(baseUrl)
    if (found) return found
    throw new AppError(
      'conflict',
      'passkeys need the setting baseUrl with a name and https (or http://localhost): they belong to one address',
    )
  }

  const digestOf = (text: string) => vault.digest(`passkey challenge ${text}`)

  function mintChallenge(purpose: string): string {
    const text = `${purpose}.${clock.now() + CHALLENGE_MS}.${randomBytes(16).toString('base64url')}`
    return `${text}.${digestOf(text)}`
  }

  /** Whether a challenge is ours, for this purpose, and in time. */
  function isOurs(challenge: string, purpose: string): boolean {
    const end = challenge.lastIndexOf('.')
    const text = challenge.slice(0, end)
    const [meant, until] = text.split('.')
    return sameDigest(digestOf(text), challenge.slice(end + 1)) && meant === purpose && Number(until) > clock.now()
  }

  const bytes = (text: string) => new Uint8Array(Buffer.from(text))

  /** The challenge arrives in base64url inside `clientDataJSON`. */
  const expecting = (purpose: string) => (given: string) => isOurs(Buffer.from(given, 'base64url').toString(), purpose)

  async function useChallenge(response: { response: { clientDataJSON: string } }): Promise<boolean> {
    const { challenge } = JSON.parse(Buffer.from(response.response.clientDataJSON, 'base64url').toString()) as {
      challenge: string
    }
    return repo.useChallenge(digestOf(challenge), clock.now() + CHALLENGE_MS)
  }

  async function stored(id: number): Promise<StoredAdmin> {
    const found = await admins.find(id)
    if (!found) throw new AppError('not_found', `there is no person ${id}`)
    return found
  }

  return {
    /** Whether passkeys work at the address of this server. */
    isPossible: (): boolean => relyingPartyOf(baseUrl) !== undefined,

    list: (adminId: number): Promise<Passkey[]> => repo.list(adminId),

    /** What the browser needs to make a passkey. Throws `conflict` where none works. */
    async registrationOptions(adminId: number): Promise<PublicKeyCredentialCreationOptionsJSON> {
      const { id } = party()
      const admin = await stored(adminId)
      const known = await repo.list(adminId)
      const { generateRegistrationOptions } = await library()
      return generateRegistrationOptions({
        rpName: 'appsvc',
        rpID: id,
        userID: new Uint8Array(Buffer.from(admin.handle, 'base64url')),
        userName: admin.email,
        userDisplayName: admin.name,
        challenge: bytes(mintChallenge(`make-${adminId}`)),
        timeout: CHALLENGE_MS,
        attestationType: 'none',
        supportedAlgorithmIDs: ALGORITHMS,
        excludeCredentials: known.map(({ credential, transports }) => ({
          id: credential,
          transports: transports as AuthenticatorTransport[],
        })),
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      })
    },

    /** Stores the passkey that a browser made. Throws `invalid` when it does not hold. */
    async register(adminId: number, name: string, response: RegistrationResponseJSON): Promise<Passkey> {
      const { id, origin } = party()
      checkShape(response, ['clientDataJSON', 'attestationObject'])
      if ((await repo.list(adminId)).length >= MOST)
        throw invalid({ '': [`you have ${MOST} passkeys, which is the most`] })
      const { verifyRegistrationResponse } = await library()
      const { verified, registrationInfo } = await verifyRegistrationResponse({
        response,
        expectedChallenge: expecting(`make-${adminId}`),
        expectedOrigin: origin,
        expectedRPID: id,
        requireUserVerification: true,
        supportedAlgorithmIDs: ALGORITHMS,
      }).catch(() => {
        throw invalid({ response: ['cannot be read, or is of another address or challenge: begin anew'] })
      })
      if (!verified) throw invalid({ response: ['does not prove the passkey'] })
      if (!(await useChallenge(response))) throw invalid({ response: ['was used already: begin anew'] })
      const { credential } = registrationInfo
      if (await repo.find(credential.id)) throw invalid({ response: ['is of a passkey that is known already'] })
      return repo.insert({
        adminId,
        name,
        credential: credential.id,
        publicKey: Buffer.from(credential.publicKey).toString('base64url'),
        counter: credential.counter,
        transports: credential.transports ?? [],
        createdAt: clock.now(),
      })
    },

    /** What the browser needs to sign in with any passkey that it has. Throws `conflict` where none works. */
    async signInOptions(): Promise<PublicKeyCredentialRequestOptionsJSON> {
      const { id } = party()
      const { generateAuthenticationOptions } = await library()
      return generateAuthenticationOptions({
        rpID: id,
        challenge: bytes(mintChallenge('use')),
        timeout: CHALLENGE_MS,
        userVerification: 'required',
      })
    },

    /**
     * Whose passkey answered. The passkey proves possession and, by its PIN or fingerprint, the person, so no second factor is asked
     * for. Throws `unauthorized`.
     */
    async signIn(response: AuthenticationResponseJSON): Promise<Admin> {
      const { id, origin } = party()
      checkShape(response, ['clientDataJSON', 'authenticatorData', 'signature'])
      const passkey = await repo.find(response.id)
      if (!passkey) throw refused('it is not known here')
      const { verifyAuthenticationResponse } = await library()
      const { verified, authenticationInfo } = await verifyAuthenticationResponse({
        response,
        expectedChallenge: expecting('use'),
        expectedOrigin: origin,
        expectedRPID: id,
        requireUserVerification: true,
        credential: {
          id: passkey.credential,
          publicKey: new Uint8Array(Buffer.from(passkey.publicKey, 'base64url')),
          counter: passkey.counter,
        },
      }).catch(() => {
        throw refused('what it says cannot be read, or is of another address or challenge')
      })
      if (!verified) throw refused('its signature is wrong')
      if (!(await useChallenge(response))) throw refused('it was used already')
      await repo.noteUse(passkey.id, authenticationInfo.newCounter, clock.now())
      return toAdmin(await stored(passkey.adminId))
    },

    /** Throws `not_found`. */
    async remove(adminId: number, id: number): Promise<void> {
      if (!(await repo.remove(adminId, id))) throw new AppError('not_found', `you have no passkey ${id}`)
    },
  }
}

/** What a browser writes of bytes (RFC 4648 section 5, without padding). An id of 1023 bytes, the longest, has 1364 characters. */
const BASE64URL = /^[A-Za-z0-9_-]{1,16384}$/
const TRANSPORTS = 10

/** Throws `invalid` unless a credential has the members that the library reads, as texts of bytes: it trusts them to be. */
function checkShape(credential: unknown, parts: readonly string[]): void {
  const errors: Record<string, string[]> = {}
  const given = memberOf({ credential }, 'credential')
  const inner = memberOf(given, 'response')
  const isBytes = (value: unknown) => typeof value === 'string' && BASE64URL.test(value)
  for (const name of ['id', 'rawId']) if (!isBytes(given[name])) errors[`response.${name}`] = [BYTES]
  if (given.type !== 'public-key') errors['response.type'] = ['must be public-key']
  for (const name of parts) if (!isBytes(inner[name])) errors[`response.response.${name}`] = [BYTES]
  const { userHandle, transports } = inner
  if (userHandle != null && !isBytes(userHandle)) errors['response.response.userHandle'] = [BYTES]
  const isListed =
    transports == null ||
    (Array.isArray(transports) &&
      transports.length <= TRANSPORTS &&
      transports.every((one) => typeof one === 'string' && /^[a-z-]{1,20}$/.test(one)))
  if (!isListed) errors['response.response.transports'] = ['must be a list of words, as browsers give it']
  if (Object.keys(errors).length > 0) throw invalid(errors)
}

const BYTES = 'must be bytes in base64url, as PublicKeyCredential.toJSON() gives them'

function memberOf(value: Record<string, unknown>, name: string): Record<string, unknown> {
  const found = value[name]
  return typeof found === 'object' && found !== null ? (found as Record<string, unknown>) : {}
}

function refused(why: string): AppError {
  return new AppError('unauthorized', `this passkey does not sign you in: ${why}`, CHALLENGE)
}
