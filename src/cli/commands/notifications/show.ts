import { appFlag, textArg } from '../../input/args.ts'
import { typedId } from '../../input/typed-id.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { shortTime } from '../../output/present.ts'

export const NotificationsShow = appCommand({
  summary: 'Show a notification: its status, its counts, and why recipients were not reached',
  examples: ['appsvc notifications show 12', 'appsvc notifications show 12 --json'],
  args: { id: textArg({ required: true, description: 'notification id' }) },
  flags: { app: appFlag },
  read: ({ args }) => typedId(args.id, 'a notification'),
  async work({ program, appId, input: id, out }) {
    const [{ presentReport }, { scheduleInWords, sourceName, statusName, unknownZonesInWords }] = await Promise.all([
      import('../../../present/api/notifications.ts'),
      import('../../output/notification-words.ts'),
    ])
    const report = await program.notifications.report(appId, id)
    const { notification, unknownZones, counts, failures } = report
    const { template } = notification.content
    out.value(presentReport(report))
    out.fields({
      notification: id,
      state: statusName(notification.status),
      ...(notification.statusReason !== null && { reason: notification.statusReason }),
      from: sourceName(notification.source),
      title: notification.content.title,
      message: notification.content.message,
      ...(template && { 'push template': `${template.uid} (version ${template.version})` }),
      target: JSON.stringify(notification.filters),
      ...(notification.purpose !== null && { purpose: notification.purpose }),
      ...(notification.transactional && { priority: 'transactional' }),
      ...(notification.labels && { labels: notification.labels.join(', ') }),
      ...(notification.isTest && { test: 'yes: it is in no figure of the app' }),
      created: shortTime(notification.createdAt),
      ...(notification.schedule && { schedule: scheduleInWords(notification.schedule) }),
      ...(unknownZones > 0 && { 'unknown zones': unknownZonesInWords(unknownZones, program.kernel.config.timezone) }),
      expires: shortTime(notification.expiresAt),
    })
    out.line()
    const { delivered: confirmed, opened, dismissed } = notification
    const { audience: recipients, ...outcomes } = counts
    out.fields({ recipients, ...outcomes, confirmed, opened, dismissed })
    const missed = [
      ...failures.map(({ kind, reason, count }) => [count, kind, reason]),
      ...report.skips.map(({ reason, count }) => [count, 'skipped', reason]),
      ...report.expiries.map(({ reason, count }) => [count, 'expired', reason]),
    ]
    if (missed.length === 0) return
    out.line()
    out.table(['RECIPIENTS', 'KIND', 'REASON'], missed, '')
    const { wordsOf } = await import('../../../domain/notifications/report/reason-words.ts')
    for (const name of new Set(missed.flatMap(([, why, reason]) => [String(why), String(reason)]))) {
      const words = wordsOf(name)
      if (!words) continue
      out.line(`${name}: ${words.sentence}${words.remedy === null ? '' : `. Remedy: ${words.remedy}`}`)
    }
  },
})
