import { appFlag } from '../../input/args.ts'
import { listCommand } from '../../kinds/list-command.ts'
import { printable } from '../../output/output.ts'
import { shortTime } from '../../output/present.ts'

export const NotificationsList = listCommand({
  summary: 'List notifications, newest first',
  examples: ['appsvc notifications list', 'appsvc notifications list --limit 100 --json'],
  flags: { app: appFlag },
  paging: { limit: 20, most: 100 },
  things: 'notifications',
  none: 'There are no notifications yet. Send one with appsvc notify.',
  head: ['ID', 'STATUS', 'TITLE', 'DELIVERED', 'OPENED', 'CREATED'],
  async page({ app, appId, flags }) {
    const [{ presentNotification }, { statusName }] = await Promise.all([
      import('../../../server/present/notifications.ts'),
      import('../../output/notification-words.ts'),
    ])
    const { notifications, next } = await app.notifications.list(appId, { after: flags.after, limit: flags.limit })
    const rows = notifications.map((one) => {
      const title = printable(one.content.title)
      return [
        one.id,
        statusName(one.status),
        title.length > 40 ? `${title.slice(0, 39)}…` : title,
        one.delivered,
        one.opened,
        shortTime(one.createdAt),
      ]
    })
    return { json: { notifications: notifications.map(presentNotification) }, rows, next }
  },
})
