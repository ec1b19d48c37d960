import { Flags } from '@oclif/core'
import type { NotificationFilter, NotificationRecord } from '../../../domain/notifications/types.ts'
import { appFlag, orderFlag } from '../../input/args.ts'
import { listCommand } from '../../kinds/list-command.ts'
import { printable } from '../../output/output.ts'
import { shortTime } from '../../output/present.ts'

export const NotificationsList = listCommand({
  summary: 'List notifications, newest first or by their time: all, or those of a status, a time or a label',
  examples: [
    'appsvc notifications list',
    'appsvc notifications list --limit 100 --json',
    'appsvc notifications list --search croissants',
    'appsvc notifications list --label autumn-2026',
    'appsvc notifications list --order due',
    'appsvc notifications list --status failed --since 2026-03-01 --before 2026-04-01',
  ],
  flags: {
    app: appFlag,
    status: Flags.string({ helpValue: 'STATUS', description: 'only those with this status, by name or number' }),
    since: Flags.string({
      helpValue: 'TIME',
      description: 'only those created then or later: a date, or a time with its offset',
    }),
    before: Flags.string({ helpValue: 'TIME', description: 'only those created before' }),
    search: Flags.string({
      helpValue: 'TEXT',
      description: 'only those with this text in their title; a page looks at 500 notifications',
    }),
    label: Flags.string({ helpValue: 'LABEL', description: 'only those that carry this label' }),
    order: orderFlag,
  },
  paging: { limit: 20, most: 100 },
  things: 'notifications',
  none: 'There are no notifications yet. Send one with appsvc notify.',
  head: ({ order }) => ['ID', 'STATE', 'TITLE', 'RECIPIENTS', 'ACCEPTED', 'CONFIRMED', 'OPENED', order.toUpperCase()],
  async page({ program, appId, flags }) {
    const [{ presentNotification }, { statusName }] = await Promise.all([
      import('../../../present/api/notifications.ts'),
      import('../../output/notification-words.ts'),
    ])
    const { after, limit } = flags
    const filter = await readFilter(flags)
    const { items, next } = await program.deliveries.list(appId, { after, limit, filter })
    const rows = items.map(({ notification: one, counts }) => {
      const title = `${one.isTest ? 'Test: ' : ''}${printable(one.content.title)}`
      return [
        one.id,
        statusName(one.status),
        title.length > 40 ? `${title.slice(0, 39)}…` : title,
        counts.audience,
        counts.accepted,
        one.delivered,
        one.opened,
        shortTime(timeOf(one, flags.order)),
      ]
    })
    return { json: { notifications: items.map(({ notification }) => presentNotification(notification)) }, rows, next }
  },
})

/** The time that an order is about. */
const timeOf = ({ createdAt, dueAt, sentAt }: NotificationRecord, order: string): number =>
  (order === 'due' ? dueAt : order === 'sent' ? sentAt : null) ?? createdAt

/** Throws `invalid` for an unknown status and for a text that is no time. */
async function readFilter(flags: {
  status?: string | undefined
  since?: string | undefined
  before?: string | undefined
  search?: string | undefined
  label?: string | undefined
  order: string
}): Promise<NotificationFilter | undefined> {
  const [{ listNotifications, readNotificationFilter }, { parseText, present }] = await Promise.all([
    import('../../../domain/notifications/schema.ts'),
    import('../../../platform/values/parse.ts'),
  ])
  const { status, since, before, search, label, order } = flags
  const query = present({ status, createdSince: since, createdBefore: before, q: search, label, order })
  return readNotificationFilter(parseText(listNotifications, query))
}
