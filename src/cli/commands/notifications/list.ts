import { appFlag, chooseApp } from '../../input/app.ts'
import { BaseCommand } from '../../kinds/base.ts'
import { pageFlags, showPage } from '../../kinds/pages.ts'
import { printable } from '../../output/output.ts'

export class NotificationsList extends BaseCommand {
  static override summary = 'List notifications, newest first'
  static override examples = [
    '<%= config.bin %> notifications list',
    '<%= config.bin %> notifications list --limit 100 --json',
  ]
  static override flags = {
    app: appFlag,
    ...pageFlags({ limit: 20, most: 100 }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(NotificationsList)
    const app = await this.open(flags)
    const { id } = await chooseApp(app, flags.app)
    const [{ presentNotification }, { shortTime }, { statusName }] = await Promise.all([
      import('../../../server/present/notifications.ts'),
      import('../../output/present.ts'),
      import('../../output/notification-words.ts'),
    ])
    const { notifications, next } = await app.notifications.list(id, { after: flags.after, limit: flags.limit })
    this.out.value({ notifications: notifications.map(presentNotification), next })
    showPage(
      this.out,
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
      {
        after: flags.after,
        next,
        things: 'notifications',
        none: 'There are no notifications yet: appsvc notify sends one.',
      },
    )
  }
}
