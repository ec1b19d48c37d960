import { gatewaySettings } from '../../domain/gateways/settings.ts'
import { sendTestMessage } from '../../domain/webhooks/send/request.ts'
import { sendOutbound } from '../../platform/net/outbound.ts'
import { presentWebhookTest, webhookTest } from '../../present/admin/webhooks.ts'
import { post, type Route } from '../routing/route.ts'
import { numberOf } from './params.ts'

/** Routes that the screen of webhooks needs besides the twins of routes for servers. */
export const webhookScreenRoutes: readonly Route[] = [
  post('/v1/apps/:appId/webhooks/:id/test', {
    area: 'admin',
    needs: 'person',
    right: 'operate',
    summary: 'Send a signed test message to a webhook and say what it answered',
    description: 'The message has the type `appsvc.test` and no event. It is not repeated and not stored.',
    audit: 'webhooks.test',
    also: { 404: 'There is no such webhook' },
    // The endpoint may take fifteen seconds.
    transaction: false,
    returns: webhookTest,
    async run({ program, appId, params, note }) {
      const id = numberOf(params.id)
      const { url } = await program.webhooks.get(appId, id)
      const secrets = await program.webhooks.secrets(appId, id)
      const { config, clock } = program.kernel
      const { ca, allowPrivate } = gatewaySettings(config)
      const result = await sendTestMessage({ send: sendOutbound, clock, ca, allowPrivate }, { url, secrets }, id)
      note({ target: String(id), after: { status: result.status } })
      return presentWebhookTest(result)
    },
  }),
]
