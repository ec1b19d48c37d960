import type { AimedAt } from '../../audience/stored.ts'
import type { NotificationsRepository } from '../repository.ts'

const nameOf = (id: number | undefined) => (id === undefined ? undefined : `notification ${id}`)

/** Open notifications that keep something of the app in use. */
export function openNotifications(repo: () => Pick<NotificationsRepository, 'awaiting' | 'awaitingUnder' | 'aimedAt'>) {
  return {
    /** The name of an open notification that goes to this segment, if there is one. */
    awaiting: async (appId: number, segmentId: number) => nameOf(await repo().awaiting(appId, segmentId)),
    /** Open notifications that go to this segment or channel: at most `limit` ids. */
    aimedAt: (appId: number, at: AimedAt, limit: number) => repo().aimedAt(appId, at, limit),
    /** The name of an open notification under this purpose, if there is one. */
    awaitingUnder: async (appId: number, uid: string) => nameOf(await repo().awaitingUnder(appId, uid)),
  }
}
