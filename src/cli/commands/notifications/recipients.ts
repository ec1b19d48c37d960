import { Flags } from '@oclif/core'
import { RECIPIENT_STATES, type RecipientState } from '../../../domain/notifications/record/page.ts'
import type { RecipientResult } from '../../../domain/notifications/report/recipients.ts'
import { appFlag, textArg } from '../../input/args.ts'
import { typedId } from '../../input/typed-id.ts'
import { appCommand } from '../../kinds/app-command.ts'

/** Rows of the table for people, unless --limit says otherwise. */
const SHOWN = 100

export const NotificationsRecipients = appCommand({
  summary: 'List the recipients of a notification: what became of each, and why',
  description:
    'The user is the one whom the install has now. With --json, prints every recipient. While the notification is ' +
    'being sent, recipients that are not reached yet are missing.',
  examples: [
    'appsvc notifications recipients 12',
    'appsvc notifications recipients 12 --outcome failed --limit 1000',
    'appsvc notifications recipients 12 --json > recipients.json',
  ],
  args: { id: textArg({ required: true, description: 'notification id' }) },
  flags: {
    app: appFlag,
    outcome: Flags.string({ options: [...RECIPIENT_STATES], helpValue: 'WORD', description: 'only these recipients' }),
    limit: Flags.integer({
      min: 1,
      helpValue: 'N',
      description: `maximum number of recipients; default: ${SHOWN}, with --json all`,
    }),
  },
  read: ({ args }) => typedId(args.id, 'a notification'),
  async work({ program, appId, input: id, flags, out }) {
    const { presentRecipient } = await import('../../../present/api/notifications.ts')
    const limit = flags.limit ?? (out.json ? Infinity : SHOWN)
    const rows: RecipientResult[] = []
    let count = 0
    const found = await program.notifications.recipients(appId, id, flags.outcome as RecipientState | undefined)
    out.piece(`{"notification":${id},"recipients":[`)
    for await (const one of found) {
      if (out.closed()) return
      if (++count > limit) break
      if (!out.json) rows.push(one)
      else {
        out.piece(`${count > 1 ? ',' : ''}${JSON.stringify(presentRecipient(one))}`)
        if (count % SHOWN === 0) await out.drained()
      }
    }
    out.piece(']}\n')
    out.table(
      ['INSTALL', 'USER', 'OUTCOME', 'KIND', 'REASON'],
      rows.map(({ installId, userId, outcome, kind, reason }) => [installId, userId, outcome, kind, reason]),
      'It has no such recipients.',
    )
    if (count > limit && !out.json) out.note(`Only the first ${limit}: --limit N shows more, --json all.`)
  },
})
