import { Flags } from '@oclif/core'
import { AppError } from '../../../platform/errors.ts'
import { webhookArgs } from '../../input/args.ts'
import { checked } from '../../input/checked.ts'
import { typedId } from '../../input/typed-id.ts'
import { appCommand } from '../../kinds/app-command.ts'

export const WebhooksReplay = appCommand({
  summary: 'Send events of the past to a webhook once more, beside those that happen',
  description: 'An edge is a time, or the id of an event. appsvc webhooks show says whether it is still under way.',
  examples: [
    'appsvc webhooks replay --app 1 7 --from 2026-11-20T00:00:00Z --to 2026-11-21T00:00:00Z',
    'appsvc webhooks replay --app 1 7 --stop',
  ],
  args: webhookArgs,
  flags: {
    from: Flags.string({ helpValue: 'TIME', description: 'from this time on, or behind the event with this id' }),
    to: Flags.string({
      helpValue: 'TIME',
      description: 'before this time, or up to the event with this id; default: now',
    }),
    stop: Flags.boolean({ description: 'end the replay that is under way' }),
  },
  async read({ args, flags: { from, to, stop } }) {
    if ((stop === true) === (from !== undefined)) throw new AppError('usage', 'give either --from TIME or --stop')
    const { replayEvents } = await import('../../../domain/webhooks/schema.ts')
    const span = stop ? undefined : await checked(replayEvents, { from, ...(to !== undefined && { to }) })
    return { id: typedId(args.webhook, 'a webhook'), span }
  },
  async work({ program, appId, input: { id, span }, out }) {
    const { presentWebhook } = await import('../../../present/api/webhooks.ts')
    const webhook = await program.inTransaction(async (tx) => {
      if (span) return tx.webhooks.replay(appId, id, span)
      await tx.webhooks.stopReplay(appId, id)
      return tx.webhooks.get(appId, id)
    })
    out.value(presentWebhook(webhook))
    out.line(span ? `Webhook ${id} is being replayed.` : `The replay of webhook ${id} is ended.`)
  },
})
