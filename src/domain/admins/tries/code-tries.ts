import type { Vault } from '../../../platform/crypto/vault.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { Allowance, TriesRepository } from './repository.ts'

/**
 * Wrong codes of one person. A caller who guesses codes has the password, so neither a right password nor another
 * address gives tries back: after ten of a million, four a day.
 */
const ALLOWED = { burst: 10, everyMs: 6 * 3_600_000 } as const satisfies Allowance

/** Limits tries of the second factor, by the person alone. Only the try whose code was right does not count. */
export function codeTriesService({ repo, vault, clock }: { repo: TriesRepository; vault: Vault; clock: Clock }) {
  const digestOf = (adminId: number) => vault.digest(`second factor ${adminId}`)

  return {
    /** Counts a code before it is compared. Throws `too_many` with `Retry-After`. */
    async take(adminId: number): Promise<void> {
      const now = clock.now()
      const digest = digestOf(adminId)
      if (await repo.take(digest, now, ALLOWED)) return
      const seconds = String(Math.max(1, Math.ceil((await repo.wait(digest, now, ALLOWED)) / 1000)))
      throw new AppError(
        'too_many',
        `too many wrong codes: try again in ${seconds} s, sign in with a passkey, or ask an owner for a new one-time link`,
        { headers: { 'Retry-After': seconds } },
      )
    },

    /** The code was right. */
    forgive: (adminId: number): Promise<void> => repo.giveBack(digestOf(adminId), ALLOWED.everyMs),
  }
}
