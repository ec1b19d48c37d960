import { Flags } from '@oclif/core'
import { webhookArgs } from '../../input/args.ts'
import { checked } from '../../input/checked.ts'
import { parseDuration } from '../../input/duration.ts'
import { typedId } from '../../input/typed-id.ts'
import { appCommand } from '../../kinds/app-command.ts'

export const WebhooksRotate = appCommand({
  summary: 'Make a new secret for a webhook; messages carry signatures of both for a while',
  examples: ['appsvc webhooks rotate --app 1 7', 'appsvc webhooks rotate --app 1 7 --overlap 1h'],
  args: webhookArgs,
  flags: {
    overlap: Flags.string({
      default: '24h',
      helpValue: 'TIME',
      description: 'how long the former secret signs as well',
    }),
  },
  async read({ args, flags }) {
    const { rotateSecret } = await import('../../../domain/webhooks/schema.ts')
    const overlapSeconds = Math.ceil(parseDuration(flags.overlap, '--overlap') / 1000)
    return { id: typedId(args.webhook, 'a webhook'), ...(await checked(rotateSecret, { overlapSeconds })) }
  },
  async work({ program, appId, input: { id, overlapSeconds }, out }) {
    const { presentNewWebhook } = await import('../../../present/api/webhooks.ts')
    const made = await program.inTransaction((tx) => tx.webhooks.rotate(appId, id, overlapSeconds))
    out.value(presentNewWebhook(made))
    out.fields({ webhook: id, secret: made.secret })
    out.note('Save the secret now: it is not shown again.')
  },
})
