import type { Result } from '../../domain/webhooks/deliveries.service.ts'
import { answer, boolean, count, integer, nullable, string, told } from '../schema.ts'
/** Response of an endpoint to a test message. */
export const webhookTest = answer<Pick<Result, 'status' | 'reason' | 'tookMs'>>()(
  'WebhookTest',
  'What the endpoint answered.',
  {
    taken: told(boolean, 'It answered 2xx.', true, ({ reason }) => reason === null),
    status: told(nullable(integer), 'The status of the answer; null when there was none.', 200),
    reason: told(nullable(string), 'What was wrong; null when nothing was.', null),
    tookMs: told(count, 'How long it took, in milliseconds.', 84),
  },
)
export const presentWebhookTest = webhookTest.present
