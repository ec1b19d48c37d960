import { appArg, textArg } from '../../input/args.ts'
import { checked } from '../../input/checked.ts'
import { webhookFields, webhookFlags } from '../../input/webhook.ts'
import { appCommand } from '../../kinds/app-command.ts'

export const WebhooksCreate = appCommand({
  summary: 'Create a webhook, which gets the events from now on; its secret is shown only once',
  description: 'docs/webhooks.md describes the messages and how to verify them.',
  examples: [
    'appsvc webhooks create --app 1 https://example.com/hooks',
    'appsvc webhooks create --app 1 https://example.com/hooks --types k.message.opened,purchase --batch-max 100 --batch-wait 2s',
  ],
  args: { app: appArg, url: textArg({ required: true, description: 'https address of the endpoint' }) },
  flags: webhookFlags,
  async read({ args, flags }) {
    const { createWebhook } = await import('../../../domain/webhooks/schema.ts')
    return checked(createWebhook, { url: args.url, ...webhookFields(flags) })
  },
  async work({ program, appId, input, out }) {
    const { presentNewWebhook } = await import('../../../present/api/webhooks.ts')
    const made = await program.inTransaction((tx) => tx.webhooks.create(appId, input))
    out.value(presentNewWebhook(made))
    out.fields({ webhook: made.webhook.id, url: made.webhook.url, secret: made.secret })
    out.note('Save the secret now: it is not shown again.')
  },
})
