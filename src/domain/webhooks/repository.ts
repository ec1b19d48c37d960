import type { Sql } from '../../platform/db/connect.ts'
import { deleteWithBelongings } from '../../platform/db/delete-some.ts'
import { isPostgres, unindexed } from '../../platform/db/dialect.ts'
import { boolean, definitionList, integer, table, text } from '../../platform/db/table.ts'
import { lockApp } from '../apps/repository.ts'
import type { Webhook } from './types.ts'

const WEBHOOKS = table('webhooks', {
  id: integer('id'),
  appId: integer('app_id'),
  url: text('url'),
  types: definitionList('types').as<string[]>().orNull,
  deliveries: boolean('includes_deliveries'),
  batchMax: integer('batch_max'),
  batchWaitMs: integer('batch_wait_ms'),
  sealed: text('sealed'),
  hint: text('hint'),
  formerSealed: text('former_sealed').orNull,
  formerUntil: integer('former_until').orNull,
  state: text('state').as<Webhook['state']>(),
  offReason: text('off_reason').orNull,
  failingSince: integer('failing_since').orNull,
  replays: integer('replays'),
  createdAt: integer('created_at'),
  updatedAt: integer('updated_at'),
})
const NEW = WEBHOOKS.omit('id', 'formerSealed', 'formerUntil', 'offReason', 'failingSince', 'replays')

const SHOWN = WEBHOOKS.omit('replays')
type Shown = ReturnType<typeof SHOWN.fromRow>

/** A webhook with its sealed secrets. */
export interface SealedWebhook extends Webhook {
  sealed: string
  formerSealed: string | null
}

const toWebhook = ({ batchMax, batchWaitMs, ...rest }: Shown): SealedWebhook => ({
  ...rest,
  batch: { max: batchMax, waitMs: batchWaitMs },
})

/** Changes of a webhook. Undefined leaves a field alone. */
export type WebhookChange = Omit<Parameters<typeof WEBHOOKS.toRow>[0], 'id' | 'appId'>

export type WebhooksRepository = ReturnType<typeof webhooksRepository>

/** Tables: docs/reference/schema.md#webhooks. */
export function webhooksRepository(sql: Sql) {
  const webhooks = () => WEBHOOKS.in(sql)
  const one = (appId: number, id: number) =>
    sql('webhooks')
      .where({ id })
      .whereRaw(`${unindexed('app_id')} = ?`, [appId])

  return {
    /** Stores a webhook without its secret, which is sealed for its id; `setSecret` follows. */
    async insert(webhook: Omit<Webhook, 'id'>): Promise<number> {
      const { batch, ...rest } = webhook
      const row = NEW.toRow({ ...rest, batchMax: batch.max, batchWaitMs: batch.waitMs, sealed: '' })
      const [made] = await sql('webhooks').insert(row).returning('id')
      return (made as { id: number }).id
    },

    async find(appId: number, id: number): Promise<SealedWebhook | undefined> {
      const row = await one(appId, id).first()
      return row && toWebhook(SHOWN.fromRow(row))
    },

    /** The same as `find`; on PostgreSQL no other transaction changes the webhook until the commit. */
    async lock(appId: number, id: number): Promise<SealedWebhook | undefined> {
      const row = await one(appId, id)
        .modify((q) => {
          if (isPostgres(sql)) void q.forUpdate()
        })
        .first()
      return row && toWebhook(SHOWN.fromRow(row))
    },

    async list(appId: number): Promise<SealedWebhook[]> {
      return (await webhooks().where({ app_id: appId }).orderBy('id')).map((row) => toWebhook(SHOWN.fromRow(row)))
    },

    /** Tells whether a webhook of the app gets pages of notifications, also one that is off: it gets them when it is on. */
    async anyWithDeliveries(appId: number): Promise<boolean> {
      const row = await sql('webhooks').where({ app_id: appId }).whereRaw('includes_deliveries').first('id')
      return row !== undefined
    },

    /** Locks the app until the commit, so that transactions which create webhooks at once count one after the other. */
    async count(appId: number): Promise<number> {
      await lockApp(sql, appId)
      const row = await sql('webhooks').where({ app_id: appId }).count({ count: '*' }).first()
      return Number(row?.count ?? 0)
    },

    async update(appId: number, id: number, change: WebhookChange, now: number): Promise<void> {
      await one(appId, id).update(WEBHOOKS.toRow({ ...change, updatedAt: now }))
    },

    /** Notes the time since which it fails, if it did not before. `updated_at` is for changes by people. */
    async beginFailing(appId: number, id: number, since: number): Promise<void> {
      await one(appId, id).whereNull('failing_since').update({ failing_since: since })
    },

    async endFailing(appId: number, id: number): Promise<void> {
      await one(appId, id).whereNotNull('failing_since').update({ failing_since: null })
    },

    /** Counts a replay; returns its number, from 1. */
    async nextReplay(appId: number, id: number): Promise<number> {
      await one(appId, id).increment('replays')
      const row = await one(appId, id).first('replays')
      return row!.replays as number
    },

    async remove(appId: number, id: number): Promise<boolean> {
      return (await one(appId, id).delete()) > 0
    },

    /** Webhooks of all apps, the newest first, for metrics. */
    async newest(limit: number): Promise<SealedWebhook[]> {
      return (await webhooks().orderBy('id', 'desc').limit(limit)).map((row) => toWebhook(SHOWN.fromRow(row)))
    },

    /** Deletes at most `limit` rows of an app's webhooks; returns how many. */
    clearApp(appId: number, limit: number): Promise<number> {
      const some = sql('webhooks').where({ app_id: appId }).orderBy('id')
      return deleteWithBelongings(sql, 'webhooks', some, [{ table: 'webhook_attempts', owner: 'webhook_id' }], limit)
    },
  }
}
