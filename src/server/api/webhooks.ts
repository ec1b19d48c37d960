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
    scope: 'read',
    returns: webhooks,
    run: async ({ tx, appId }) => ({ webhooks: (await tx.webhooks.list(appId)).map(presentWebhook) }),
  }),
  get('/v1/webhooks/:id', {
    ...OURS,
    summary: 'Read a webhook',
    scope: 'read',
    also: UNKNOWN,
    returns: webhook,
    run: async ({ tx, appId, params }) => presentWebhook(await tx.webhooks.get(appId, idOf(params))),
  }),
  patch('/v1/webhooks/:id', {
    ...OURS,
    summary: 'Change a webhook, switch it on or off',
    scope: 'admin',
    body: updateWebhook,
    also: UNKNOWN,
    returns: webhook,
    run: async ({ tx, appId, params, body }) => presentWebhook(await tx.webhooks.update(appId, idOf(params), body)),
  }),
  del('/v1/webhooks/:id', {
    ...OURS,
    summary: 'Delete a webhook; what it has not got is not sent',
    scope: 'admin',
    status: 204,
    also: UNKNOWN,
    run: ({ tx, appId, params }) => tx.webhooks.remove(appId, idOf(params)),
  }),
  post('/v1/webhooks/:id/rotate', {
    ...OURS,
    summary: 'Make a new secret; the answer alone has it',
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
    scope: 'admin',
    status: 204,
    also: { 404: 'There is no such webhook, or it is not being replayed' },
    run: ({ tx, appId, params }) => tx.webhooks.stopReplay(appId, idOf(params)),
  }),
  get('/v1/webhooks/:id/attempts', {
    ...OURS,
    summary: 'List the requests of the last seven days, the newest first',
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
