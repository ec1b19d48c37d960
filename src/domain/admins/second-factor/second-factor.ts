import type { Vault } from '../../../platform/crypto/vault.ts'
import { AppError, invalid } from '../../../platform/errors.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { AdminsRepository, StoredAdmin } from '../repository.ts'
import type { Admin } from '../types.ts'
import { mintRecoveryCodes, plainCode } from './recovery-codes.ts'
import { mintTotpSecret, stepOfCode, totpUri } from './totp.ts'

/** What a 401 of a sign-in says besides its message. */
export const CHALLENGE = { headers: { 'WWW-Authenticate': 'Bearer realm="appsvc"' } }

/** For what a secret is sealed: it opens for its own person only. */
export const totpContext = (adminId: number): string => `admin ${adminId} second factor`

/** Codes of an authenticator app (TOTP), and recovery codes for when the phone is lost. */
export function secondFactorService({ repo, vault, clock }: { repo: AdminsRepository; vault: Vault; clock: Clock }) {
  async function stored(id: number): Promise<StoredAdmin> {
    const found = await repo.find(id)
    if (!found) throw new AppError('not_found', `there is no person ${id}`)
    return found
  }

  /** Uses a code up; false when it is wrong, too old or was used. */
  async function use({ id, sealedTotp, totpStep }: StoredAdmin, code: string): Promise<boolean> {
    const plain = plainCode(code)
    if (/^\d{6}$/.test(plain)) {
      const step = stepOfCode(vault.open(sealedTotp!, totpContext(id)), plain, clock.now())
      if (step === undefined || step <= totpStep) return false
      return repo.useTotpStep(id, step)
    }
    return repo.useRecoveryCode(id, vault.digest(plain))
  }

  return {
    /** Throws `unauthorized` with the code `second_factor` unless the person has none, or the code is right. Uses the code up. */
    async check({ id }: Pick<Admin, 'id'>, code: string | undefined): Promise<void> {
      const admin = await stored(id)
      if (admin.totpSince === null) return
      if (code !== undefined && (await use(admin, code))) return
      const message =
        code === undefined
          ? 'a code of your authenticator app, or a recovery code, is needed too'
          : 'this code is wrong or was used already: wait for the next one, or use a recovery code'
      throw new AppError('unauthorized', message, { ...CHALLENGE, body: { error: message, code: 'second_factor' } })
    },

    /** A new secret, which counts once `confirm` has seen a code of it. Throws `conflict` while there is one that counts. */
    async begin(id: number): Promise<{ secret: string; uri: string }> {
      const admin = await stored(id)
      if (admin.totpSince !== null)
        throw new AppError('conflict', 'the second factor is on already: switch it off first')
      const secret = mintTotpSecret()
      await repo.update(id, { sealedTotp: vault.seal(secret, totpContext(id)), totpStep: 0 })
      return { secret, uri: totpUri(secret, admin.email) }
    },

    /** Switches it on. Returns new recovery codes, which are told once. */
    async confirm(id: number, code: string): Promise<string[]> {
      const admin = await stored(id)
      if (admin.totpSince !== null) throw new AppError('conflict', 'the second factor is on already')
      if (admin.sealedTotp === null) throw new AppError('conflict', 'begin with POST /admin/v1/me/totp')
      const step = stepOfCode(vault.open(admin.sealedTotp, totpContext(id)), plainCode(code), clock.now())
      if (step === undefined) throw invalid({ code: ['is not the code that the app shows now'] })
      const codes = mintRecoveryCodes()
      await repo.update(id, { totpSince: clock.now(), totpStep: step })
      await repo.setRecoveryCodes(
        id,
        codes.map((one) => vault.digest(plainCode(one))),
      )
      return codes
    },

    /** Switches it off. */
    async remove(id: number): Promise<void> {
      await repo.update(id, { sealedTotp: null, totpSince: null, totpStep: 0 })
      await repo.setRecoveryCodes(id, [])
    },
  }
}
