import { Flags } from '@oclif/core'
import { appFlag, orderFlag } from '../../input/args.ts'
import { listCommand } from '../../kinds/list-command.ts'
import { printable } from '../../output/output.ts'
import { shortTime } from '../../output/present.ts'

export const InAppList = listCommand({
  summary: 'List in-app messages, newest first or by their time',
  examples: [
    'appsvc in-app list',
    'appsvc in-app list --label autumn-2026',
    'appsvc in-app list --order due',
    'appsvc in-app list --limit 100 --json',
  ],
  flags: {
    app: appFlag,
    label: Flags.string({ helpValue: 'LABEL', description: 'only those that carry this label' }),
    order: orderFlag,
  },
  paging: { limit: 20, most: 100 },
  things: 'in-app messages',
  none: 'There are no in-app messages yet. Send one with appsvc notify --in-app.',
  head: (flags) => [
    'ID',
    'STATE',
    'TEMPLATE',
    'RECIPIENTS',
    'SHOWN',
    'NEXT',
    flags.order === 'sent' ? 'SENT' : 'CREATED',
  ],
  async page({ program, appId, flags }) {
    const [{ presentListedMessage }, { inAppStatusName }, { listInAppMessages }, { parseText, present }] =
      await Promise.all([
        import('../../../present/api/in-app.ts'),
        import('../../output/in-app-words.ts'),
        import('../../../domain/in-app/request/request.ts'),
        import('../../../platform/values/parse.ts'),
      ])
    const { label, order } = parseText(listInAppMessages, present({ label: flags.label, order: flags.order }))
    const { messages, next } = await program.inApp.list(appId, { after: flags.after, limit: flags.limit, label, order })
    const rows = messages.map((one) => [
      one.id,
      inAppStatusName(one.status),
      printable(one.template),
      one.recipients,
      one.shown,
      one.nextAt === null ? null : shortTime(one.nextAt),
      shortTime((flags.order === 'sent' ? one.sentAt : null) ?? one.createdAt),
    ])
    return { json: { messages: messages.map(presentListedMessage) }, rows, next }
  },
})
