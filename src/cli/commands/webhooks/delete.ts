import { webhookArgs } from '../../input/args.ts'
import { typedId } from '../../input/typed-id.ts'
import { deleteCommand } from '../../kinds/delete-command.ts'
import { printable } from '../../output/output.ts'

export const WebhooksDelete = deleteCommand({
  summary: 'Delete a webhook; what it has not got is not sent',
  examples: ['appsvc webhooks delete --app 1 7 --yes'],
  args: webhookArgs,
  async find({ program, appId, args }) {
    const { id, url } = await program.webhooks.get(appId, typedId(args.webhook, 'a webhook'))
    return {
      what: `webhook ${id} (${printable(url)})`,
      remove: (tx) => tx.webhooks.remove(appId, id),
      json: { id, deleted: true },
      done: `Webhook ${id} is deleted.`,
    }
  },
})
