import { appFlag, chooseApp } from '../../input/app.ts'
import { typedId } from '../../input/typed-id.ts'
import { BaseCommand, textArg } from '../../kinds/base.ts'

export class NotificationsShow extends BaseCommand {
  static override summary = 'Show a notification: status, counts, and why recipients were not reached'
  static override examples = [
    '<%= config.bin %> notifications show 12',
    '<%= config.bin %> notifications show 12 --json',
  ]
  static override args = { id: textArg({ required: true, description: 'id of the notification' }) }
  static override flags = { app: appFlag }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(NotificationsShow)
    const [{ presentReport }, { shortTime }, words] = await Promise.all([
      import('../../../server/present/notifications.ts'),
      import('../../output/present.ts'),
      import('../../output/notification-words.ts'),
    ])
    const { scheduleInWords, sourceName, statusName, unknownZonesInWords } = words
    const id = typedId(args.id, 'a notification')
    const app = await this.open(flags)
    const found = await chooseApp(app, flags.app)
    const report = await app.notifications.report(found.id, id)
    const { notification, unknownZones, counts, failures } = report
    this.out.value(presentReport(report))
    this.out.fields({
      notification: id,
      status: statusName(notification.status),
      ...(notification.statusReason !== null && { reason: notification.statusReason }),
      from: sourceName(notification.source),
      title: notification.content.title,
      message: notification.content.message,
      target: JSON.stringify(notification.filters),
      created: shortTime(notification.createdAt),
      ...(notification.schedule && { schedule: scheduleInWords(notification.schedule) }),
      ...(unknownZones > 0 && { 'unknown zones': unknownZonesInWords(unknownZones, app.kernel.config.timezone) }),
      'expires at': shortTime(notification.expiresAt),
    })
    this.out.line()
    const { delivered, opened, dismissed } = notification
    this.out.fields({ ...counts, delivered, opened, dismissed })
    const missed = [
      ...failures.map(({ kind, reason, count }) => [count, kind, reason]),
      ...report.skips.map(({ reason, count }) => [count, 'skipped', reason]),
      ...report.expiries.map(({ reason, count }) => [count, 'expired', reason]),
    ]
    if (missed.length === 0) return
    this.out.line()
    this.out.table(['NOT REACHED', 'WHY', 'IN THE GATEWAY’S WORDS'], missed, '')
  }
}
