import { createWebhook, listAttempts, replayEvents, rotateSecret, updateWebhook } from '../../domain/webhooks/schema.ts'
import { idSegment } from '../../platform/values/parse.ts'
import {
  attemptPage,
  newWebhook,
  presentAttempt,
  presentNewWebhook,
  presentWebhook,
  webhook,
  webhooks,
} from '../../present/api/webhooks.ts'
import { del, get, patch, post, type Route } from '../routing/route.ts'

const OURS = { area: 'messages', needs: 'server-key' } as const
const UNKNOWN = { 404: 'There is no such webhook' }
const idOf = (params: Record<string, string>) => idSegment(params.id!, 'webhook')

/** Webhooks: addresses to which the events of an app are sent. */
export const webhookRoutes: Route[] = [
  post('/v1/webhooks', {
    ...OURS,
    summary: 'Create a webhook; the answer alone has its secret',
    description:
      'The endpoint gets the events that are stored from now on. Messages follow Standard Webhooks. The address must be https, on ' +
      'port 443 and public, unless the operator allows others (`outbound.allowPrivate`). An `Idempotency-Key` has no effect here, ' +
      'because a stored answer would hold the secret.',
    takes: 'NewWebhook',
    sends: { url: 'https://example.com/hooks', types: ['k.message.opened'], batch: { max: 100, waitMs: 2000 } },
    scope: 'admin',
    body: createWebhook,
    status: 201,
    also: { 409: 'The app has the maximum number of webhooks' },
    returns: newWebhook,
    // In a transaction of its own: an answer that is kept for an `Idempotency-Key` would keep the secret in clear text.
    transaction: false,
    run: async ({ program, appId, body }) =>
      presentNewWebhook(await program.inTransaction((tx) => tx.webhooks.create(appId, body))),
  }),
  get('/v1/webhooks', {
    ...OURS,
    summary: 'List webhooks in the order of their creation',
    description: 'Returns all webhooks of the app.',
    scope: 'read',
    returns: webhooks,
    run: async ({ tx, appId }) => ({ webhooks: (await tx.webhooks.list(appId)).map(presentWebhook) }),
  }),
  get('/v1/webhooks/:id', {
    ...OURS,
    summary: 'Read a webhook',
    description: 'Says whether it works, and since when it waits.',
    scope: 'read',
    also: UNKNOWN,
    returns: webhook,
    run: async ({ tx, appId, params }) => presentWebhook(await tx.webhooks.get(appId, idOf(params))),
  }),
  patch('/v1/webhooks/:id', {
    ...OURS,
    summary: 'Change a webhook, switch it on or off',
    description:
      'An absent field stays as it is. Switched on again, it goes on with the first event that it has not got, as far as the log ' +
      'still has it. A message that is being retried keeps its events.',
    takes: 'WebhookChange',
    sends: { enabled: true },
    scope: 'admin',
    body: updateWebhook,
    also: UNKNOWN,
    returns: webhook,
    run: async ({ tx, appId, params, body }) => presentWebhook(await tx.webhooks.update(appId, idOf(params), body)),
  }),
  del('/v1/webhooks/:id', {
    ...OURS,
    summary: 'Delete a webhook; what it has not got is not sent',
    description: 'A request that is under way may still arrive.',
    scope: 'admin',
    status: 204,
    also: UNKNOWN,
    run: ({ tx, appId, params }) => tx.webhooks.remove(appId, idOf(params)),
  }),
  post('/v1/webhooks/:id/rotate', {
    ...OURS,
    summary: 'Make a new secret; the answer alone has it',
    description: 'For `overlapSeconds` each message carries two signatures, one of each secret.',
    takes: 'SecretRotation',
    sends: { overlapSeconds: 86_400 },
    scope: 'admin',
    body: rotateSecret,
    also: UNKNOWN,
    returns: newWebhook,
    // As for a new webhook.
    transaction: false,
    run: async ({ program, appId, params, body }) =>
      presentNewWebhook(
        await program.inTransaction((tx) => tx.webhooks.rotate(appId, idOf(params), body.overlapSeconds)),
      ),
  }),
  post('/v1/webhooks/:id/replay', {
    ...OURS,
    summary: 'Send events of the past once more, beside those that happen',
    description:
      'Each edge is a time (of `receivedAt`) or the id of an event: sent is what came at or behind `from`, before or up to `to`. ' +
      'Messages have `"replay": true` and ids of their own. One replay at a time.',
    takes: 'EventReplay',
    sends: { from: '2026-11-20T00:00:00Z', to: '2026-11-21T00:00:00Z' },
    scope: 'admin',
    body: replayEvents,
    status: 202,
    also: UNKNOWN,
    returns: webhook,
    run: async ({ tx, appId, params, body }) => presentWebhook(await tx.webhooks.replay(appId, idOf(params), body)),
  }),
  del('/v1/webhooks/:id/replay', {
    ...OURS,
    summary: 'End a replay',
    description: 'Nothing more of it is sent.',
    scope: 'admin',
    status: 204,
    also: { 404: 'There is no such webhook, or it is not being replayed' },
    run: ({ tx, appId, params }) => tx.webhooks.stopReplay(appId, idOf(params)),
  }),
  get('/v1/webhooks/:id/attempts', {
    ...OURS,
    summary: 'List the requests of the last seven days, the newest first',
    description: 'At most a thousand are kept of each webhook. `next` is null on the last page.',
    scope: 'read',
    query: listAttempts,
    also: UNKNOWN,
    returns: attemptPage,
    run: async ({ tx, appId, params, query }) => {
      const { attempts, next } = await tx.webhooks.attempts(appId, idOf(params), query)
      return { attempts: attempts.map(presentAttempt), next }
    },
  }),
]
