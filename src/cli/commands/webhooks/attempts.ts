import { webhookArgs } from '../../input/args.ts'
import { typedId } from '../../input/typed-id.ts'
import { listCommand } from '../../kinds/list-command.ts'
import { printable } from '../../output/output.ts'
import { shortTime } from '../../output/present.ts'

export const WebhooksAttempts = listCommand({
  summary: 'List the requests to a webhook in the last seven days, the newest first',
  examples: ['appsvc webhooks attempts --app 1 7', 'appsvc webhooks attempts --app 1 7 --limit 500 --json'],
  args: webhookArgs,
  things: 'attempts',
  none: 'Nothing was sent to it in the last seven days.',
  head: ['TIME', 'MESSAGE', 'ATTEMPT', 'EVENTS', 'STATUS', 'MS', 'WHY'],
  async page({ program, appId, args, flags }) {
    const { presentAttempt } = await import('../../../present/api/webhooks.ts')
    const page = { after: flags.after, limit: flags.limit }
    const { attempts, next } = await program.webhooks.attempts(appId, typedId(args.webhook, 'a webhook'), page)
    const rows = attempts.map(({ at, messageId, attempt, events, status, tookMs, reason }) => [
      shortTime(at),
      messageId,
      attempt,
      events,
      status,
      tookMs,
      reason && printable(reason),
    ])
    return { json: { attempts: attempts.map(presentAttempt) }, rows, next }
  },
})
