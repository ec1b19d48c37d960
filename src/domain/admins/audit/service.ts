import type { Clock } from '../../../platform/time/clock.ts'
import type { AuditNote } from '../types.ts'
import type { AuditEntry, AuditFilter, AuditRepository } from './repository.ts'

/** Who did something, where and from where. */
export interface AuditedAction extends AuditNote {
  action: string
  adminId: number | null
  who: string
  role?: string | undefined
  appId: number | null
  remote: string
}

/** Longest JSON of `before` and `after`, in characters. */
const MAX_DETAIL = 4000

/** The append-only log of what people did. */
export function auditService({ repo, clock }: { repo: AuditRepository; clock: Clock }) {
  return {
    /** Adds a row, in the transaction of what it tells of. */
    record({ before, after, target, role, ...rest }: AuditedAction): Promise<void> {
      return repo.add({
        ...rest,
        role: role ?? null,
        target: target === undefined ? null : target.slice(0, 255),
        before: detailOf(before),
        after: detailOf(after),
        at: clock.now(),
      })
    },

    /** The newest first; `next` leads to older ones. */
    async list(filter: AuditFilter): Promise<{ entries: AuditEntry[]; next: number | null }> {
      const entries = await repo.list(filter)
      return { entries, next: entries.length < filter.limit ? null : entries.at(-1)!.id }
    },

    /** Forgets rows older than `days`, at most `limit` of them; returns how many. */
    forget: (days: number, limit: number) => repo.forget(clock.now() - days * 86_400_000, limit),
  }
}

/** Members whose values are never stored, whatever the caller passes. */
const SECRET = /password|secret|token|key$|code|private|credential/i

/** Plain JSON of bounded size without what looks like a secret; null for nothing. */
export function detailOf(given: unknown): unknown {
  if (given === undefined || given === null) return null
  const text = JSON.stringify(given, (name, value: unknown) =>
    SECRET.test(name) && (typeof value === 'string' || Array.isArray(value)) ? '***' : value,
  )
  return text.length <= MAX_DETAIL ? JSON.parse(text) : { cut: text.slice(0, MAX_DETAIL - 100) }
}
