import { optionalAppArg } from '../../input/args.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { printable } from '../../output/output.ts'
import { shortTime } from '../../output/present.ts'

export const WebhooksList = appCommand({
  summary: 'List the webhooks of an app, and whether they work',
  examples: ['appsvc webhooks list --app 1', 'appsvc webhooks list --app 1 --json'],
  args: { app: optionalAppArg },
  async work({ program, appId, out }) {
    const { presentWebhook, stateOfWebhook } = await import('../../../present/api/webhooks.ts')
    const webhooks = await program.webhooks.list(appId)
    out.value({ webhooks: webhooks.map(presentWebhook) })
    out.table(
      ['ID', 'URL', 'TYPES', 'STATE', 'WAITING SINCE'],
      webhooks.map((one) => [
        one.id,
        printable(one.url),
        printable(one.types?.join(',') ?? 'all'),
        stateOfWebhook(one),
        one.waitingSince === null ? '-' : shortTime(one.waitingSince),
      ]),
      'There are no webhooks yet. Create one with appsvc webhooks create.',
    )
  },
})
