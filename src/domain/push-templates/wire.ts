import { type Base, once } from '../../platform/wiring.ts'
import type { NotificationsWire } from '../notifications/wire.ts'
import { pushTemplatesRepository } from './repository.ts'
import { pushTemplatesService } from './service.ts'

export type PushTemplatesWire = ReturnType<typeof wirePushTemplates>

interface Needs {
  notifications: () => NotificationsWire
  /** Called with the uid of a push template that is being deleted. */
  deleted(appId: number, uid: string): Promise<void>
}

/** Stored content of pushes. */
export function wirePushTemplates({ sql, clock }: Base, { notifications, deleted }: Needs) {
  const pushTemplates = once(() =>
    pushTemplatesService({
      repo: pushTemplatesRepository(sql),
      drafts: () => notifications().drafts(),
      sends: () => notifications().sends(),
      clock,
      deleted,
    }),
  )
  return { pushTemplates }
}
