import { Flags } from '@oclif/core'
import { AppError } from '../../../platform/errors.ts'
import { webhookArgs } from '../../input/args.ts'
import { checked } from '../../input/checked.ts'
import { typedId } from '../../input/typed-id.ts'
import { webhookFields, webhookFlags } from '../../input/webhook.ts'
import { appCommand } from '../../kinds/app-command.ts'

export const WebhooksUpdate = appCommand({
  summary: 'Change a webhook, or switch it on or off; switched on, it goes on where it stopped',
  examples: [
    'appsvc webhooks update --app 1 7 --enable',
    'appsvc webhooks update --app 1 7 --types all --batch-max 500',
  ],
  args: webhookArgs,
  flags: {
    ...webhookFlags,
    url: Flags.string({ helpValue: 'URL', description: 'https address of the endpoint' }),
    enable: Flags.boolean({ allowNo: true, description: 'switch it on, or off' }),
  },
  async read({ args, flags }) {
    const { url, enable } = flags
    const given = {
      ...webhookFields(flags),
      ...(url !== undefined && { url }),
      ...(enable !== undefined && { enabled: enable }),
    }
    if (Object.keys(given).length === 0) throw new AppError('usage', 'say what to change: see --help')
    const { updateWebhook } = await import('../../../domain/webhooks/schema.ts')
    return { id: typedId(args.webhook, 'a webhook'), change: await checked(updateWebhook, given) }
  },
  async work({ program, appId, input: { id, change }, out }) {
    const { presentWebhook, stateOfWebhook } = await import('../../../present/api/webhooks.ts')
    const webhook = await program.inTransaction((tx) => tx.webhooks.update(appId, id, change))
    out.value(presentWebhook(webhook))
    out.fields({ webhook: id, url: webhook.url, state: stateOfWebhook(webhook) })
  },
})
