import type { Knex } from 'knex'
import type { Narrowing } from './types.ts'

/**
 * The id of the first of these rows, which have `id` and `target` (JSON), whose target contains the segment. Reads all
 * of them: the query should use a partial index that holds few.
 */
export async function firstForSegment(query: Knex.QueryBuilder, segmentId: number): Promise<number | undefined> {
  const rows: { id: number; target: string }[] = await query
    .whereLike('target', '{"kind":"filter"%')
    // The plus makes SQLite sort these few rows, instead of reading the whole table in this order.
    .orderByRaw('+id')
    .select('id', 'target')
  return rows.find(({ target }) => {
    const { narrowing } = JSON.parse(target) as { narrowing: Narrowing }
    return narrowing.segments.includes(segmentId)
  })?.id
}
