import type { Vault } from '../../../platform/crypto/vault.ts'
import { AppError, invalid } from '../../../platform/errors.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { hintOfToken, mintToken } from '../keys.ts'
import type { TokenScope } from '../types.ts'
import type { PersonalToken, TokensRepository } from './repository.ts'

/** How many a person has at most. */
const MOST = 50
/** How often the last use is stored. */
const NOTE_MS = 60_000

export type TokensService = ReturnType<typeof tokensService>

/** Personal tokens: a person's own access for programs, within what the person may do. */
export function tokensService({ repo, vault, clock }: { repo: TokensRepository; vault: Vault; clock: Clock }) {
  const isValid = ({ expiresAt }: PersonalToken) => expiresAt === null || expiresAt > clock.now()

  return {
    async find(text: string): Promise<PersonalToken | undefined> {
      const token = await repo.find(vault.digest(text))
      return token && isValid(token) ? token : undefined
    },

    /** Those of these that are valid now. */
    async stillValid(ids: readonly number[]): Promise<PersonalToken[]> {
      return (await repo.byIds(ids)).filter(isValid)
    },

    list: (adminId: number): Promise<PersonalToken[]> => repo.list(adminId),

    /** Makes one; its text is told once. `days` null: it does not end by itself. */
    async create(
      adminId: number,
      {
        name,
        scopes,
        appId,
        days,
      }: { name: string; scopes: readonly TokenScope[]; appId: number | null; days: number | null },
    ): Promise<{ token: PersonalToken; text: string }> {
      if ((await repo.list(adminId)).length >= MOST) {
        throw invalid({ name: [`you have ${MOST} tokens, which is the most: delete one that is not used`] })
      }
      const text = mintToken()
      const now = clock.now()
      const token = await repo.insert({
        adminId,
        name,
        scopes: [...new Set(scopes)],
        appId,
        digest: vault.digest(text),
        hint: hintOfToken(text),
        createdAt: now,
        expiresAt: days === null ? null : now + days * 86_400_000,
      })
      return { token, text }
    },

    isUseDue: ({ usedAt }: Pick<PersonalToken, 'usedAt'>): boolean =>
      usedAt === null || clock.now() >= usedAt + NOTE_MS,

    noteUse: ({ id }: Pick<PersonalToken, 'id'>): Promise<void> => repo.noteUse(id, clock.now()),

    /** Throws `not_found`. */
    async remove(adminId: number, id: number): Promise<void> {
      if (!(await repo.remove(adminId, id))) throw new AppError('not_found', `you have no token ${id}`)
    },

    endAll: (adminId: number): Promise<void> => repo.removeAll(adminId),
  }
}
