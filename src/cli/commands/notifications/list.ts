import { Flags } from '@oclif/core'
import { appFlag, chooseApp } from '../../app-ref.ts'
import { BaseCommand } from '../../base.ts'
import { printable } from '../../output.ts'

export class NotificationsList extends BaseCommand {
  static override summary = 'List notifications, newest first'
  static override examples = [
    '<%= config.bin %> notifications list',
    '<%= config.bin %> notifications list --limit 100 --json',
  ]
  static override flags = {
    app: appFlag,
    after: Flags.integer({ min: 1, helpValue: 'NEXT', description: 'go on where the page before ended (its next)' }),
    limit: Flags.integer({ default: 20, min: 1, max: 100, helpValue: 'N', description: 'how many' }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(NotificationsList)
    const app = await this.open(flags)
    const { id } = await chooseApp(app, flags.app)
    const [{ presentNotification }, { shortTime }, { statusName }] = await Promise.all([
      import('../../../server/present/notifications.ts'),
      import('../../present.ts'),
      import('../../notification-words.ts'),
    ])
    const { notifications, next } = await app.notifications.list(id, { after: flags.after, limit: flags.limit })
    this.out.value({ notifications: notifications.map(presentNotification), next })
    this.out.table(
      ['ID', 'STATUS', 'TITLE', 'DELIVERED', 'OPENED', 'CREATED'],
      notifications.map((one) => {
        const title = printable(one.content.title)
        return [
          one.id,
          statusName(one.status),
          title.length > 40 ? `${title.slice(0, 39)}…` : title,
          one.delivered,
          one.opened,
          shortTime(one.createdAt),
        ]
      }),
      'There are no notifications yet: appsvc notify sends one.',
    )
    if (next !== null) this.out.note(`there are more: --after ${next}`)
  }
}
