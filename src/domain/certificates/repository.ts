import type { ChallengeKind } from '../../platform/acme/client.ts'
import type { Sql } from '../../platform/db/connect.ts'
import { type Row } from '../../platform/db/table.ts'
import {
  ACCOUNTS,
  type AcmeAccount,
  CERTIFICATES,
  type ChallengeAnswer,
  type NamedCertificate,
  type ServedName,
} from './types.ts'

type CertificateRow = Row<typeof CERTIFICATES>

interface ChallengeRow {
  name: string
  revision: number
  challenge_kind: ChallengeKind | null
  challenge_token: string | null
  challenge_answer: string | null
}

const toServed = ({ name, revision, ...row }: ChallengeRow): ServedName => ({
  name,
  revision,
  challenge:
    row.challenge_kind === null
      ? undefined
      : { kind: row.challenge_kind, token: row.challenge_token!, answer: row.challenge_answer! },
})

const NO_CHALLENGE = { challenge_kind: null, challenge_token: null, challenge_answer: null }
const NO_ORDER = { order_url: null, order_key: null, ...NO_CHALLENGE }

export type CertificatesRepository = ReturnType<typeof certificatesRepository>

/**
 * The tables are bounded by `acme.maxNames`, so all of it is read at once.
 * Tables: docs/reference/schema.md#acme_accounts, #certificates.
 */
export function certificatesRepository(sql: Sql) {
  const one = (name: string) => sql('certificates').where({ name })
  return {
    /** All names in order, without the keys. */
    async list(): Promise<NamedCertificate[]> {
      const rows: CertificateRow[] = await sql('certificates').orderBy('name').select(CERTIFICATES.names)
      return rows.map(CERTIFICATES.fromRow)
    },

    /** Names with the fields that listeners compare with their own. */
    async served(): Promise<ServedName[]> {
      const rows: ChallengeRow[] = await sql('certificates').select(
        'name',
        'revision',
        'challenge_kind',
        'challenge_token',
        'challenge_answer',
      )
      return rows.map(toServed)
    },

    async challengeOf(name: string): Promise<ChallengeAnswer | undefined> {
      const row: ChallengeRow | undefined = await one(name).first()
      return row && toServed(row).challenge
    },

    async sealedIdentity(name: string): Promise<{ chain: string; sealedKey: string } | undefined> {
      const row: { chain: string | null; sealed_key: string | null } | undefined = await one(name).first(
        'chain',
        'sealed_key',
      )
      return row?.chain && row.sealed_key ? { chain: row.chain, sealedKey: row.sealed_key } : undefined
    },

    /** Adds names that are not there, to be ordered now. */
    async add(names: readonly string[], now: number): Promise<void> {
      if (names.length === 0) return
      const rows = names.map((name) => ({ name, next_at: now, created_at: now }))
      await sql('certificates').insert(rows).onConflict('name').ignore()
    },

    async remove(name: string): Promise<void> {
      await one(name).delete()
    },

    /** Takes a name until `until`, unless another process has it. */
    async claim(name: string, owner: string, now: number, until: number): Promise<boolean> {
      const query = one(name).where('lease_until', '<=', now)
      return (await query.update({ owner, lease_until: until })) === 1
    },

    /** Frees all names; call it when the processes that had them are gone. */
    async freeAll(): Promise<void> {
      await sql('certificates').where('lease_until', '>', 0).update({ owner: null, lease_until: 0 })
    },

    async free(name: string, owner: string): Promise<void> {
      await one(name).where({ owner }).update({ owner: null, lease_until: 0 })
    },

    async setOrder(name: string, url: string, sealedKey: string): Promise<void> {
      await one(name).update({ ...NO_ORDER, order_url: url, order_key: sealedKey })
    },

    async dropOrder(name: string): Promise<void> {
      await one(name).update(NO_ORDER)
    },

    async setChallenge(name: string, { kind, token, answer }: ChallengeAnswer): Promise<void> {
      await one(name).update({ challenge_kind: kind, challenge_token: token, challenge_answer: answer })
    },

    async store(
      name: string,
      {
        chain,
        issuer,
        notBefore,
        notAfter,
        nextAt,
        askAt,
        sealedKey,
      }: Pick<NamedCertificate, 'nextAt' | 'askAt'> & {
        chain: string
        issuer: string
        notBefore: number
        notAfter: number
        sealedKey: string
      },
    ): Promise<void> {
      await one(name).update({
        ...NO_ORDER,
        chain,
        sealed_key: sealedKey,
        issuer,
        not_before: notBefore,
        not_after: notAfter,
        revision: sql.raw('revision + 1'),
        next_at: nextAt,
        ask_at: askAt,
        attempts: 0,
        last_error: null,
        failed_at: null,
      })
    },

    async fail(name: string, error: string, now: number, nextAt: number): Promise<void> {
      const failed = { attempts: sql.raw('attempts + 1'), last_error: error, failed_at: now, next_at: nextAt }
      await one(name).update({ ...failed, ...NO_CHALLENGE })
    },

    async plan(name: string, times: { nextAt: number; askAt: number | null }): Promise<void> {
      await one(name).update({ next_at: times.nextAt, ask_at: times.askAt })
    },

    async account(directory: string): Promise<AcmeAccount | undefined> {
      const row: Row<typeof ACCOUNTS> | undefined = await sql('acme_accounts')
        .where({ directory })
        .first(ACCOUNTS.names)
      return row && ACCOUNTS.fromRow(row)
    },

    /** Stores an account, unless another process was faster. */
    async addAccount(directory: string, sealedKey: string, now: number): Promise<void> {
      const row = { directory, sealed_key: sealedKey, created_at: now }
      await sql('acme_accounts').insert(row).onConflict('directory').ignore()
    },

    async setAccount(directory: string, change: { url?: string; held_until?: number }): Promise<void> {
      await sql('acme_accounts').where({ directory }).update(change)
    },

    async sealed(most: number): Promise<{ value: string; context: string }[]> {
      const accounts: { directory: string; sealed_key: string }[] = await sql('acme_accounts').limit(most).select()
      const rows: { name: string; sealed_key: string }[] = await sql('certificates')
        .whereNotNull('sealed_key')
        .limit(most)
        .select('name', 'sealed_key')
      return [
        ...accounts.map(({ directory, sealed_key }) => ({ value: sealed_key, context: accountContext(directory) })),
        ...rows.map(({ name, sealed_key }) => ({ value: sealed_key, context: certificateContext(name) })),
      ]
    },
  }
}

/** Contexts of sealed keys (platform/crypto/vault.ts). */
export const accountContext = (directory: string) => `acme account ${directory}`
export const certificateContext = (name: string) => `certificate ${name}`
