import type { Result } from '../../domain/webhooks/deliveries.service.ts'
import { answerOf, boolean, count, integer, nullable, string } from '../schema.ts'

/** What an endpoint answered to a test message. */
export function presentWebhookTest({ status, reason, tookMs }: Pick<Result, 'status' | 'reason' | 'tookMs'>) {
  return { taken: reason === null, status, reason, tookMs }
}
export const webhookTest = answerOf<typeof presentWebhookTest>('WebhookTest', {
  taken: boolean,
  status: nullable(integer),
  reason: nullable(string),
  tookMs: count,
})
