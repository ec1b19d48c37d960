import type { AuditedAction } from '../../domain/admins/audit/service.ts'
import type { Note, Person } from '../routing/route.ts'

/** The row of the audit log for a call. */
export function auditOf(
  action: string,
  { appId, person, remote, details }: { appId: number; person: Person | undefined; remote: string; details: Note },
): AuditedAction {
  const { by = person, appId: noted = appId, ...rest } = details
  return {
    ...rest,
    action,
    adminId: by?.id ?? null,
    who: by?.name ?? 'nobody',
    role: person?.role,
    // 0: the call works in no app.
    appId: noted || null,
    remote,
  }
}
