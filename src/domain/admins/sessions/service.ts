import type { Vault } from '../../../platform/crypto/vault.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { mintSession } from '../keys.ts'
import type { Session } from '../types.ts'
import type { SessionsRepository } from './repository.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** A session that is not used ends after this. */
const IDLE_MS = 12 * HOUR_MS
/** A session ends after this, however much it is used. */
const LONGEST_MS = 7 * 24 * HOUR_MS
/** How long a sign-in counts as fresh. */
const FRESH_MS = 10 * MINUTE_MS
/** How often its last use is stored. */
const NOTE_MS = MINUTE_MS
/** A person has no more sessions at once: the oldest ends. */
const MOST = 20

export type SessionsService = ReturnType<typeof sessionsService>

/** Sessions of browsers: the cookie holds a random id of which the digest is stored. */
export function sessionsService({ repo, vault, clock }: { repo: SessionsRepository; vault: Vault; clock: Clock }) {
  const isOpen = ({ seenAt, expiresAt }: Session, now: number) => seenAt + IDLE_MS > now && expiresAt > now

  return {
    /** Those of these that are open now. */
    async stillOpen(ids: readonly number[]): Promise<Session[]> {
      return (await repo.byIds(ids)).filter((one) => isOpen(one, clock.now()))
    },

    /** Opens a session for somebody who has just proved who they are. `id` goes into the cookie; it is told once. */
    async open(
      adminId: number,
      { remote, agent }: { remote: string; agent: string },
    ): Promise<{ id: string; session: Session }> {
      const now = clock.now()
      const id = mintSession()
      const others = await repo.list(adminId)
      for (const one of others) {
        const isSurplus = others.length - others.indexOf(one) >= MOST
        if (isSurplus || !isOpen(one, now)) await repo.remove(adminId, one.id)
      }
      const session = await repo.insert({
        adminId,
        digest: vault.digest(id),
        remote: remote.slice(0, 64),
        agent: agent.slice(0, 255),
        createdAt: now,
        seenAt: now,
        freshUntil: now + FRESH_MS,
        expiresAt: now + LONGEST_MS,
      })
      return { id, session }
    },

    /** The open session of a cookie. */
    async find(id: string): Promise<Session | undefined> {
      const session = await repo.find(vault.digest(id))
      return session && isOpen(session, clock.now()) ? session : undefined
    },

    isUseDue: ({ seenAt }: Session): boolean => clock.now() >= seenAt + NOTE_MS,

    noteUse: (session: Session): Promise<void> => repo.update(session.id, { seenAt: clock.now() }),

    /** The person has proved again who they are. Returns until when that counts. */
    async confirm(session: Session): Promise<number> {
      const freshUntil = clock.now() + FRESH_MS
      await repo.update(session.id, { freshUntil })
      return freshUntil
    },

    /** Those that are open. */
    async list(adminId: number): Promise<Session[]> {
      return (await repo.list(adminId)).filter((one) => isOpen(one, clock.now()))
    },

    /** Ends one. Throws `not_found`. */
    async end(adminId: number, id: number): Promise<void> {
      if (!(await repo.remove(adminId, id))) throw new AppError('not_found', `you have no session ${id}`)
    },

    /** Ends all of a person but `keep`. */
    endAll: (adminId: number, keep?: number): Promise<number> => repo.removeAll(adminId, keep),
  }
}

/** When a session ends if it is not used from now on. */
export const endOf = ({ seenAt, expiresAt }: Session): number => Math.min(seenAt + IDLE_MS, expiresAt)
