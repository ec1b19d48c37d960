import { Flags } from '@oclif/core'
import { collect } from '../../../platform/chunks.ts'
import { appFlag, chooseApp } from '../../input/app.ts'
import { BaseCommand } from '../../kinds/base.ts'
import { printable } from '../../output/output.ts'

export class SchedulesList extends BaseCommand {
  static override summary = 'List scheduled notifications that are not through, the next one due first'
  static override examples = ['<%= config.bin %> schedules list', '<%= config.bin %> schedules list --json']
  static override flags = {
    app: appFlag,
    limit: Flags.integer({ default: 20, min: 1, max: 100, helpValue: 'N', description: 'how many' }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(SchedulesList)
    const app = await this.open(flags)
    const { id } = await chooseApp(app, flags.app)
    const [{ presentUpcoming }, { shortTime }, { scheduleInWords, statusName }] = await Promise.all([
      import('../../../server/present/notifications.ts'),
      import('../../output/present.ts'),
      import('../../output/notification-words.ts'),
    ])
    const upcoming = await collect(app.notifications.upcoming(id, flags.limit))
    this.out.value({ notifications: upcoming.map(presentUpcoming) })
    this.out.table(
      ['ID', 'STATUS', 'NEXT DUE', 'SCHEDULE', 'TITLE'],
      upcoming.map(({ notification, nextAt }) => [
        notification.id,
        statusName(notification.status),
        shortTime(nextAt),
        scheduleInWords(notification.schedule),
        printable(notification.content.title),
      ]),
      'Nothing is scheduled.',
    )
  }
}
