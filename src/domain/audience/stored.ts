import type { Knex } from 'knex'
import type { Narrowing } from './types.ts'

/**
 * Of these rows, with `id` and `target` (JSON), the first whose target goes to the segment. They should be few, found through an
 * index of their own: all of them are looked at.
 */
export async function firstForSegment(query: Knex.QueryBuilder, segmentId: number): Promise<number | undefined> {
  const rows: { id: number; target: string }[] = await query
    .whereLike('target', '{"kind":"filter"%')
    // The plus: SQLite would rather read all rows there are in this order than sort a few.
    .orderByRaw('+id')
    .select('id', 'target')
  return rows.find(({ target }) => {
    const { narrowing } = JSON.parse(target) as { narrowing: Narrowing }
    return narrowing.segments.includes(segmentId)
  })?.id
}
