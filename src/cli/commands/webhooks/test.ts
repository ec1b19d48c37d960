import { webhookArgs } from '../../input/args.ts'
import { typedId } from '../../input/typed-id.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { printable } from '../../output/output.ts'

/** The exit code for other services that do not answer. */
const UNAVAILABLE = 69

export const WebhooksTest = appCommand({
  summary: 'Send a signed test message to a webhook and show what it answers',
  description: 'The message has the type appsvc.test and no event. It is not repeated and not stored.',
  examples: ['appsvc webhooks test --app 1 7'],
  args: webhookArgs,
  read: ({ args }) => typedId(args.webhook, 'a webhook'),
  async work({ program, appId, input: id, out, exit }) {
    const [{ sendTestMessage }, { gatewaySettings }, { sendOutbound }] = await Promise.all([
      import('../../../domain/webhooks/send/request.ts'),
      import('../../../domain/gateways/settings.ts'),
      import('../../../platform/net/outbound.ts'),
    ])
    const { url } = await program.webhooks.get(appId, id)
    const secrets = await program.webhooks.secrets(appId, id)
    const { ca, allowPrivate } = gatewaySettings(program.kernel.config)
    const parts = { send: sendOutbound, clock: program.kernel.clock, ca, allowPrivate }
    const { status, reason, tookMs } = await sendTestMessage(parts, { url, secrets }, id)
    out.value({ webhook: id, status, reason, tookMs })
    out.fields({
      webhook: id,
      result: reason === null ? 'taken' : 'failed',
      status,
      why: reason === null ? undefined : printable(reason),
      took: `${tookMs} ms`,
    })
    if (reason !== null) exit(UNAVAILABLE)
  },
})
