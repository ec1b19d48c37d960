import type { Sql } from '../../platform/db/connect.ts'
import { databaseNow } from '../../platform/db/dialect.ts'
import { definition, integer, type Row, table, text } from '../../platform/db/table.ts'
import { readCursor } from '../followers/position.ts'
import type { Batch, CursorKind, ReplaySpan, WebhookCursor } from './types.ts'

const CURSORS = table('webhook_cursors', {
  webhookId: integer('webhook_id'),
  kind: text('kind').as<CursorKind>(),
  appId: integer('app_id'),
  cursor: text('cursor'),
  span: definition('span').as<ReplaySpan>().orNull,
  batch: definition('batch').as<Batch>().orNull,
  attempt: integer('attempt'),
  fence: integer('fence'),
})

/** A cursor that this worker holds, until its lease ends. */
export type Held = Pick<WebhookCursor, 'webhookId' | 'kind' | 'fence'>

/**
 * The cursor of a row. A message under way that cannot be read is chosen anew. `isLost`: the span of a replay cannot be
 * read, so that it has to end.
 */
function toCursor(row: Row<typeof CURSORS>): WebhookCursor {
  const { span, batch, ...rest } = CURSORS.fromRow(row)
  const isSpan = span !== null && isPlace(span.until)
  const isBatch = batch !== null && typeof batch.id === 'string' && isPlace(batch.until) && Number.isInteger(batch.max)
  const cursor: WebhookCursor = { ...rest, span: isSpan ? span : null, batch: isBatch ? batch : null }
  if (rest.kind === 'replay' && !isSpan) cursor.isLost = true
  return cursor
}

const isPlace = (cursor: unknown): boolean => typeof cursor === 'string' && readCursor(cursor) !== undefined

export type WebhookCursorsRepository = ReturnType<typeof webhookCursorsRepository>

/**
 * Places of endpoints in the log. A worker holds a cursor while it sends; `fence` tells holders apart.
 * Tables: docs/reference/schema.md#webhook_cursors. /.
 */
export function webhookCursorsRepository(sql: Sql) {
  const named = ({ webhookId, kind }: Pick<WebhookCursor, 'webhookId' | 'kind'>) =>
    sql('webhook_cursors').where({ webhook_id: webhookId, kind })
  const isFree = `lease_until < ${databaseNow(sql)}`

  return {
    async insert(
      { webhookId, kind, appId, cursor, span }: Pick<WebhookCursor, 'webhookId' | 'kind' | 'appId' | 'cursor' | 'span'>,
      now: number,
    ): Promise<void> {
      await sql('webhook_cursors').insert({
        ...CURSORS.toRow({ webhookId, kind, appId, cursor, span }),
        not_before: now,
      })
    },

    /**
     * Cursors of all apps that may be sent from now, of webhooks that are on, and that no worker holds: at most `limit`,
     * from the webhook behind `after`.
     */
    async due(now: number, after: number, limit: number): Promise<WebhookCursor[]> {
      const rows = await sql('webhook_cursors')
        .join('webhooks', 'webhooks.id', 'webhook_cursors.webhook_id')
        .where('webhooks.state', 'on')
        .where('webhook_id', '>', after)
        .where('not_before', '<=', now)
        .whereRaw(isFree)
        .orderBy(['webhook_id', 'kind'])
        .limit(limit)
        .select(CURSORS.names.map((name) => `webhook_cursors.${name}`))
      return rows.map(toCursor)
    },

    /** The cursors of a webhook: the live one, and that of a replay if there is one. */
    async of(webhookIds: readonly number[]): Promise<WebhookCursor[]> {
      const rows = await sql('webhook_cursors').whereIn('webhook_id', webhookIds).orderBy(['webhook_id', 'kind'])
      return rows.map(toCursor)
    },

    /**
     * Takes a cursor that nobody holds, unless it has changed since it was read. Stores its place and the message that
     * is about to be sent. Returns the new fence; undefined when another worker was faster.
     */
    async hold(
      from: WebhookCursor,
      { owner, leaseMs, cursor, batch }: { owner: string; leaseMs: number; cursor: string; batch: Batch },
    ): Promise<number | undefined> {
      const fence = from.fence + 1
      const changed = await named(from)
        .where({ fence: from.fence })
        .whereRaw(isFree)
        .update({
          owner,
          fence,
          cursor,
          batch: JSON.stringify(batch),
          lease_until: sql.raw(`${databaseNow(sql)} + ?`, [leaseMs]) as unknown as number,
        })
      return changed > 0 ? fence : undefined
    },

    /** The message was taken: the cursor stands behind it. False when another worker holds the cursor. */
    async advance(claim: Held, cursor: string): Promise<boolean> {
      const changed = await named(claim)
        .where({ fence: claim.fence })
        .update({ cursor, batch: null, attempt: 0, not_before: 0, owner: null, lease_until: 0 })
      return changed > 0
    },

    /** The message was not taken: it comes again at `notBefore`. False when another worker holds the cursor. */
    async retry(claim: Held, attempt: number, notBefore: number): Promise<boolean> {
      const changed = await named(claim)
        .where({ fence: claim.fence })
        .update({ attempt, not_before: notBefore, owner: null, lease_until: 0 })
      return changed > 0
    },

    /** Moves a cursor that nobody holds past events that its webhook does not want. */
    async skip(from: WebhookCursor, cursor: string): Promise<void> {
      await named(from).where({ fence: from.fence }).whereNull('batch').whereRaw(isFree).update({ cursor })
    },

    /** Makes the cursors of a webhook due at once, with all attempts before them. */
    async refresh(webhookId: number, now: number): Promise<void> {
      await sql('webhook_cursors').where({ webhook_id: webhookId }).update({ attempt: 0, not_before: now })
    },

    async remove(webhookId: number, kind: CursorKind): Promise<boolean> {
      return (await named({ webhookId, kind }).delete()) > 0
    },

    /** Frees every cursor: their holders belong to an earlier start of the only process. */
    async freeAll(): Promise<void> {
      await sql('webhook_cursors').where('lease_until', '>', 0).update({ owner: null, lease_until: 0 })
    },
  }
}
