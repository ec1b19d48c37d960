import { createPrivateKey, type KeyObject } from 'node:crypto'
import type { Vault } from '../../platform/crypto/vault.ts'
import { certificateFacts, makeEcKey } from '../../platform/crypto/x509.ts'
import { AppError } from '../../platform/errors.ts'
import { ORDER_LEASE_MS } from '../../platform/queue/leases.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { nextAsk, renewalIn, renewalTime } from './plan.ts'
import { accountContext, type CertificatesRepository, certificateContext } from './repository.ts'
import type { ChallengeAnswer, Identity, NamedCertificate, ServedName } from './types.ts'

export type CertificatesService = ReturnType<typeof certificatesService>

const keyText = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }) as string

/** The certificates that a certificate authority issued, and what is under way. Call it in a transaction to write. */
export function certificatesService({
  repo,
  vault,
  clock,
  linkHosts,
}: {
  repo: CertificatesRepository
  vault: Vault
  clock: Clock
  /** The first hosts of deep links. */
  linkHosts(most: number): Promise<string[]>
}) {
  return {
    /** All names in order. */
    list: (): Promise<NamedCertificate[]> => repo.list(),

    /** What listeners compare with what they have. */
    served: (): Promise<ServedName[]> => repo.served(),

    /** What answers the challenge of a name now. */
    challengeOf: (name: string): Promise<ChallengeAnswer | undefined> => repo.challengeOf(name),

    /** The chain and the key of a name; undefined before its first certificate. */
    async identityOf(name: string): Promise<Identity | undefined> {
      const found = await repo.sealedIdentity(name)
      return found && { chain: found.chain, key: vault.open(found.sealedKey, certificateContext(name)) }
    },

    /** Hosts of deep links that could have a certificate. */
    linkHosts,

    /** Adds names, to be ordered now, and removes others. */
    async change(missing: readonly string[], useless: readonly string[]): Promise<void> {
      await repo.add(missing, clock.now())
      for (const name of useless) await repo.remove(name)
    },

    /** Takes a name for an order, unless another process has it. */
    claim(name: string, owner: string): Promise<boolean> {
      const now = clock.now()
      return repo.claim(name, owner, now, now + ORDER_LEASE_MS)
    },
    free: (name: string, owner: string) => repo.free(name, owner),
    /** Gives all names free, because whoever had them is gone. */
    freeAll: () => repo.freeAll(),

    /** Remembers an order and its key before anything else happens to it. */
    async beginOrder(name: string, url: string, key: KeyObject): Promise<void> {
      await repo.setOrder(name, url, vault.seal(keyText(key), certificateContext(name)))
    },
    orderKey: ({ name, orderKey }: Pick<NamedCertificate, 'name' | 'orderKey'>): KeyObject | undefined =>
      orderKey === null ? undefined : createPrivateKey(vault.open(orderKey, certificateContext(name))),
    dropOrder: (name: string) => repo.dropOrder(name),
    setChallenge: (name: string, challenge: ChallengeAnswer) => repo.setChallenge(name, challenge),

    /** Stores a new certificate in the place of the old one. */
    async store(name: string, chain: string, key: KeyObject, random: () => number): Promise<void> {
      const { issuer, notBefore, notAfter } = certificateFacts(chain)
      const now = clock.now()
      await repo.store(name, {
        chain,
        issuer: issuer.slice(0, 500),
        notBefore,
        notAfter,
        sealedKey: vault.seal(keyText(key), certificateContext(name)),
        // A certificate that is nearly over when it comes must not be ordered in a circle.
        nextAt: Math.max(renewalTime({ notBefore, notAfter }, random), now + 60_000),
        askAt: nextAsk(now),
      })
    },

    fail: (name: string, error: string, delayMs: number) =>
      repo.fail(name, error.slice(0, 1000), clock.now(), clock.now() + delayMs),

    /** Follows the authority's renewal window, when it names one. */
    async follow(
      { name, nextAt }: Pick<NamedCertificate, 'name' | 'nextAt'>,
      window: { from: number; to: number } | undefined,
      random: () => number,
    ): Promise<void> {
      await repo.plan(name, {
        nextAt: window ? renewalIn(window, nextAt, random) : nextAt,
        askAt: nextAsk(clock.now()),
      })
    },

    /** Orders or renews a name at the next look. Throws `not_found` for a name that gets no certificate. */
    async hasten(name: string): Promise<void> {
      const known = (await repo.list()).find((one) => one.name === name)
      if (!known) throw new AppError('not_found', `${name} gets no certificate: see appsvc certificates for the names`)
      await repo.plan(name, { nextAt: clock.now(), askAt: known.askAt })
    },

    /** The key of the account at an authority, made when there is none; `url` null before it is registered. */
    async account(directory: string): Promise<{ key: KeyObject; url: string | null; heldUntil: number }> {
      let account = await repo.account(directory)
      if (!account) {
        const key = vault.seal(keyText(await makeEcKey()), accountContext(directory))
        await repo.addAccount(directory, key, clock.now())
        account = (await repo.account(directory))!
      }
      const { url, heldUntil, sealedKey } = account
      return { url, heldUntil, key: createPrivateKey(vault.open(sealedKey, accountContext(directory))) }
    },
    setAccountUrl: (directory: string, url: string) => repo.setAccount(directory, { url }),
    holdAccount: (directory: string, until: number) => repo.setAccount(directory, { held_until: until }),

    /** Some sealed keys, with the context that opens them. */
    sealed: (most: number) => repo.sealed(most),
  }
}
