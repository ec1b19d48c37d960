import { Flags } from '@oclif/core'
import { collect } from '../../../platform/concurrency/chunks.ts'
import { appFlag } from '../../input/args.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { printable } from '../../output/output.ts'
import { shortTime } from '../../output/present.ts'

export const SchedulesList = appCommand({
  summary: 'List unfinished scheduled notifications, ordered by their next due time',
  examples: ['appsvc schedules list', 'appsvc schedules list --json'],
  flags: {
    app: appFlag,
    limit: Flags.integer({ default: 20, min: 1, max: 100, helpValue: 'N', description: 'maximum number of rows' }),
  },
  async work({ program, appId, flags, out }) {
    const [{ presentUpcoming }, { scheduleInWords, statusName }] = await Promise.all([
      import('../../../present/api/notifications.ts'),
      import('../../output/notification-words.ts'),
    ])
    const upcoming = await collect(program.notifications.upcoming(appId, flags.limit))
    out.value({ notifications: upcoming.map(presentUpcoming) })
    out.table(
      ['ID', 'STATE', 'NEXT DUE', 'SCHEDULE', 'TITLE'],
      upcoming.map(({ notification, nextAt }) => [
        notification.id,
        statusName(notification.status),
        shortTime(nextAt),
        scheduleInWords(notification.schedule),
        printable(notification.content.title),
      ]),
      'Nothing is scheduled.',
    )
  },
})
