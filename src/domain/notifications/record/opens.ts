import type { TypesOf } from '../../events/event-types.ts'
import type { EventContext, EventHandler, HandledEvent } from '../../events/handler.ts'
import type { CountedReport } from '../../statistics/types.ts'
import { OPEN_KINDS, type OpenKind, type OpensRepository, type ReportedOpen } from './opens.repository.ts'

/** Message type code of a push; 2 is an in-app message (docs/reference/device-protocol.md section 4). */
const PUSH = 1

/** The report of one event. */
interface Reported extends ReportedOpen {
  kind: OpenKind
}

/**
 * Records reports of devices about notifications. Devices repeat themselves, so only the first report of each kind and
 * install counts. The stored event gets the notification's `reportingMeta` and the `userMeta` of the event's user. An
 * event about something else, or about a notification that the app does not have, is stored unchanged.
 */
export function createOpensHandler(
  opens: Pick<OpensRepository, 'metadata' | 'userMetadata' | 'recordFirst' | 'count'>,
  addReports: (appId: number, reports: readonly CountedReport[]) => Promise<void>,
  countLanguages: (appId: number, opened: readonly { id: number; row: number }[]) => Promise<void>,
): EventHandler<Reported, TypesOf<'notifications'>> {
  const read =
    (kind: OpenKind, isPush: (event: HandledEvent) => boolean = saysPush) =>
    (event: HandledEvent, { install, userIdentifier }: EventContext): Reported | undefined => {
      const notificationId = readInteger(event.data.id)
      if (notificationId === undefined || !isPush(event)) return undefined
      return { kind, notificationId, installRow: install.row, userIdentifier, at: event.at }
    }

  return {
    read: {
      'k.message.delivered': read('delivered'),
      'k.message.opened': read('opened'),
      'k.message.dismissed': read('dismissed'),
      'k.push.opened': read('opened', () => true),
    },

    async adds(appId, all) {
      const known = await opens.metadata(appId, [...new Set(all.map(({ notificationId }) => notificationId))])
      const personal = all.filter(({ notificationId }) => known.get(notificationId)?.hasUserMeta)
      const userMeta = await opens.userMetadata(appId, personal)
      return all.map(({ notificationId, userIdentifier }) => {
        const notification = known.get(notificationId)
        if (!notification) return undefined
        const ofUser = userMeta.get(notificationId)?.get(userIdentifier)
        return {
          ...(notification.reportingMeta && { reportingMeta: notification.reportingMeta }),
          ...(ofUser !== undefined && { userMeta: ofUser }),
        }
      })
    },

    async act(appId, all) {
      const counts = new Map<number, Record<OpenKind, number>>()
      const counted: CountedReport[] = []
      for (const kind of OPEN_KINDS) {
        const reports = firstReports(all, kind)
        if (reports.length === 0) continue
        const times = new Map(reports.map((one) => [`${one.notificationId} ${one.installRow}`, one.at]))
        const recorded = await opens.recordFirst(kind, appId, reports)
        if (kind === 'opened') await countLanguages(appId, recorded)
        for (const { id, row } of recorded) {
          const count = counts.get(id) ?? { delivered: 0, opened: 0, dismissed: 0 }
          count[kind]++
          counts.set(id, count)
          counted.push({ kind, notificationId: id, installRow: row, at: times.get(`${id} ${row}`)! })
        }
      }
      await opens.count(appId, counts)
      await addReports(appId, counted)
    },
  }
}

const saysPush = ({ data }: HandledEvent) => readInteger(data.type) === PUSH

/**
 * The first report of this kind of each notification and install. Its user is the one who opened the notification; for
 * the other kinds, the user of the first report of any kind, as if the reports had been stored one after the other.
 */
function firstReports(all: readonly Reported[], kind: OpenKind): ReportedOpen[] {
  const users = new Map<string, string>()
  const first = new Map<string, ReportedOpen>()
  for (const report of all) {
    const key = `${report.notificationId} ${report.installRow}`
    if (!users.has(key)) users.set(key, report.userIdentifier)
    if (report.kind !== kind || first.has(key)) continue
    first.set(key, kind === 'opened' ? report : { ...report, userIdentifier: users.get(key)! })
  }
  return [...first.values()]
}

/** A positive integer. Old apps send it as text. */
function readInteger(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value
  return typeof number === 'number' && Number.isSafeInteger(number) && number > 0 ? number : undefined
}
