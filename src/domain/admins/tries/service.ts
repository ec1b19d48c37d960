import type { Vault } from '../../../platform/crypto/vault.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { Allowance, TriesRepository } from './repository.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

/**
 * Tries of one account from one address, of one account from all addresses where nobody has signed in to it, and of one address: the same numbers
 * however many processes and servers share the database.
 */
const ALLOWED = {
  pair: { burst: 5, everyMs: MINUTE_MS },
  account: { burst: 50, everyMs: MINUTE_MS / 4 },
  address: { burst: 20, everyMs: MINUTE_MS / 4 },
} as const satisfies Record<string, Allowance>
type Kind = keyof typeof ALLOWED

/** The time for which an address is known from which somebody signed in. */
const KNOWN_MS = 30 * DAY_MS

/**
 * The origin of a try. `account` is undefined where nobody is named: one-time links, passkeys. `from` is the
 * network of the caller.
 */
export interface Try {
  account: string | undefined
  from: string
  /** True when everybody comes from this network, so that it cannot be limited by itself. */
  isShared: boolean
}

/** An account as it is counted: people type anything into the field. */
const nameOf = (account: string) => account.toLowerCase().slice(0, 254)

/** Limits tries to sign in. The database keeps digests of accounts and addresses, and forgets them when they count for nothing. */
export function triesService({ repo, vault, clock }: { repo: TriesRepository; vault: Vault; clock: Clock }) {
  const digestOf = (kind: Kind | 'known', words: string) => vault.digest(`sign-in ${kind} ${words}`)

  /** The counters of a try, in the order in which they are asked. */
  async function countersOf({ account, from, isShared }: Try): Promise<{ kind: Kind; digest: string }[]> {
    const name = account === undefined ? undefined : nameOf(account)
    const counters: { kind: Kind; words: string }[] = []
    if (name !== undefined) {
      counters.push({ kind: 'pair', words: `${from} ${name}` })
      // Strangers use up what strangers have: whoever signed in from this address before still can.
      const isKnown = await repo.isRemembered(digestOf('known', `${from} ${name}`), clock.now())
      if (!isKnown) counters.push({ kind: 'account', words: name })
    }
    if (!isShared) counters.push({ kind: 'address', words: from })
    return counters.map(({ kind, words }) => ({ kind, digest: digestOf(kind, words) }))
  }

  async function take(one: Try): Promise<void> {
    const now = clock.now()
    for (const { kind, digest } of await countersOf(one)) {
      if (await repo.take(digest, now, ALLOWED[kind])) continue
      const seconds = String(Math.max(1, Math.ceil((await repo.wait(digest, now, ALLOWED[kind])) / 1000)))
      throw new AppError('too_many', `too many tries to sign in: try again in ${seconds} s`, {
        headers: { 'Retry-After': seconds },
      })
    }
  }

  return {
    /** Counts a try of an address, before anything of it is read. Throws `too_many` with `Retry-After` for one with too many. */
    takeOfAddress: (one: Pick<Try, 'from' | 'isShared'>): Promise<void> => take({ ...one, account: undefined }),

    /**
     * Counts a try of an account whose address has counted it, before it is examined. In a transaction, so that a try which one counter
     * refuses is counted by none. Throws as `takeOfAddress` does.
     */
    takeOfAccount: (one: Pick<Try, 'account' | 'from'>): Promise<void> => take({ ...one, isShared: true }),

    /** Gives the try back: the person proved who they are. `account` is then known from this address. */
    async forgive(one: Try): Promise<void> {
      for (const { kind, digest } of await countersOf(one)) await repo.giveBack(digest, ALLOWED[kind].everyMs)
      const { account, from } = one
      if (account === undefined) return
      await repo.remember(digestOf('known', `${from} ${nameOf(account)}`), clock.now() + KNOWN_MS)
    },
  }
}
