import { webhookArgs } from '../../input/args.ts'
import { typedId } from '../../input/typed-id.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { shortTime } from '../../output/present.ts'

export const WebhooksShow = appCommand({
  summary: 'Show a webhook: what it gets, whether it works, since when it waits',
  examples: ['appsvc webhooks show --app 1 7', 'appsvc webhooks show --app 1 7 --json'],
  args: webhookArgs,
  read: ({ args }) => typedId(args.webhook, 'a webhook'),
  async work({ program, appId, input: id, out }) {
    const { presentWebhook, stateOfWebhook } = await import('../../../present/api/webhooks.ts')
    const webhook = await program.webhooks.get(appId, id)
    const { url, types, deliveries, batch, offReason, failingSince, waitingSince, hint, formerUntil, replay } = webhook
    const time = (ms: number | null) => (ms === null ? undefined : shortTime(ms))
    out.value(presentWebhook(webhook))
    out.fields({
      webhook: id,
      url,
      types: types?.join(', ') ?? 'all',
      ...(deliveries && { includes: 'deliveries' }),
      batch: batch.max === 1 ? 'none' : `up to ${batch.max} events, after ${batch.waitMs} ms`,
      state: stateOfWebhook(webhook),
      ...(offReason !== null && { 'off because': offReason }),
      'failing since': time(failingSince),
      'waiting since': time(waitingSince),
      secret: hint,
      'former secret until': time(formerUntil),
      ...(replay && { replay: `from ${time(replay.from) ?? 'an event'} to ${time(replay.to) ?? 'an event'}` }),
      created: shortTime(webhook.createdAt),
    })
  },
})
