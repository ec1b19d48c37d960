import type { Knex } from 'knex'
import type { Narrowing } from './types.ts'

/** A segment or a channel. */
export interface AimedAt {
  segmentId?: number
  channelId?: number
}

/** The plus makes SQLite sort these few rows, instead of reading the whole table in this order. */
const SORTED = '+id'

/**
 * The id of the first of these rows, which have `id` and `target` (JSON), whose target contains the segment. Reads all
 * of them: the query should use a partial index that holds few.
 */
export async function firstForSegment(query: Knex.QueryBuilder, segmentId: number): Promise<number | undefined> {
  return (await idsAimedAt(query, { segmentId }, 1))[0]
}

/** The ids of at most `limit` of these rows whose target contains the segment or the channel. Reads as `firstForSegment` does. */
export async function idsAimedAt(
  query: Knex.QueryBuilder,
  { segmentId, channelId }: AimedAt,
  limit: number,
): Promise<number[]> {
  const rows: { id: number; target: string }[] = await query
    .whereLike('target', '{"kind":"filter"%')
    .orderByRaw(SORTED)
    .select('id', 'target')
  return rows
    .filter(({ target }) => {
      const { segments, channels } = (JSON.parse(target) as { narrowing: Narrowing }).narrowing
      return (
        (segmentId !== undefined && segments.includes(segmentId)) ||
        (channelId !== undefined && channels.includes(channelId))
      )
    })
    .slice(0, limit)
    .map(({ id }) => id)
}

/** The id of the first of these rows, which have `id` and `purpose`, under a purpose. Reads as `firstForSegment` does. */
export async function firstUnderPurpose(query: Knex.QueryBuilder, uid: string): Promise<number | undefined> {
  const row: { id: number } | undefined = await query.where({ purpose: uid }).orderByRaw(SORTED).first('id')
  return row?.id
}
