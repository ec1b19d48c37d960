import type { Use } from '../../crm/activity.service.ts'
import { isIdentifier, isWrongIdNumber } from '../../crm/schema.ts'
import type { CrmService } from '../../crm/service.ts'
import type { Sender } from './senders.ts'

/** Collects what the events of uploads show of users, and stores it for all of them together. */
export function createUserNotes() {
  /** Users whom the installs name, besides the one that they have. */
  const named = new Map<string, { row: number; identifier: string }>()
  /** Time of each user's last activity. */
  const activity = new Map<string, number>()
  const uses = new Map<string, Use & { times: number[] }>()

  return {
    /** Notes that an install names a user. Values that are no identifier are ignored. */
    name({ row, installId, userBefore }: Sender, name: unknown): void {
      if ((typeof name !== 'string' && typeof name !== 'number') || isWrongIdNumber(name)) return
      const identifier = String(name)
      if (identifier === installId || identifier === userBefore || !isIdentifier(identifier)) return
      named.set(`${row} ${identifier}`, { row, identifier })
    },

    /** Notes that a user was active, unless that is recorded already. */
    activity({ userBefore, userSeenAt }: Sender, identifier: string, at: number): void {
      if (identifier === userBefore && at <= (userSeenAt ?? -Infinity)) return
      activity.set(identifier, Math.max(at, activity.get(identifier) ?? 0))
    },

    /** Notes that a user opened the app or a message on an install. */
    use({ row, userBefore, lastHour }: Sender, identifier: string, at: number): void {
      const key = `${row} ${identifier}`
      const use = uses.get(key)
      if (use) use.times.push(at)
      else {
        const hour = identifier === userBefore ? lastHour : undefined
        uses.set(key, { installRow: row, identifier, times: [at], lastHour: hour })
      }
    },

    async store(crm: CrmService, appId: number): Promise<void> {
      if (named.size > 0) await crm.rememberUsers(appId, [...named.values()])
      await crm.touchUsers(appId, activity)
      await crm.noteActivity(appId, [...uses.values()])
    },
  }
}
