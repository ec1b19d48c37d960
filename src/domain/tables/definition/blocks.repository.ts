import type { Sql } from '../../../platform/db/connect.ts'
import { isPostgres, rowsOf } from '../../../platform/db/dialect.ts'
import { BLOCK_IDS, blockOf } from '../../crm/store/directory.ts'
import type { Table } from '../types.ts'
import { sqlName } from './names.ts'

/** The blocks of a table: the places of its records, and the number of changes of the table. */
export interface Census {
  blocks: { block: number; listed: number }[]
  total: number
  /** Increases with every change, in the transaction of the change. */
  changes: number
}

/** The number of rows of each block on PostgreSQL. A connection counts in one of them, so that few writes wait for the same row. */
const STRIPES = 16

/** A block without records, in which changes of the whole table are counted. */
const NO_BLOCK = -1

export type BlocksRepository = ReturnType<typeof blocksRepository>

/** Counts of records by blocks of ids. Every write updates them in its own transaction. Tables: docs/reference/schema.md#data_blocks. */
export function blocksRepository(sql: Sql) {
  const stripe = () => (isPostgres(sql) ? sql.raw(`pg_backend_pid() % ${STRIPES}`) : sql.raw('0'))

  return {
    /** Counts records that were created (`step` 1), deleted (-1) or changed (0). */
    async record(table: Table, ids: readonly number[], step: 1 | 0 | -1): Promise<void> {
      const counts = new Map<number, number>()
      for (const id of ids) counts.set(blockOf(id), (counts.get(blockOf(id)) ?? 0) + step)
      // Sorted, so that two transactions cannot deadlock.
      const blocks = [...counts].sort(([a], [b]) => a - b)
      if (blocks.length === 0) return
      await sql.raw(
        `INSERT INTO data_blocks (table_id, block, stripe, row_count, changes)
         VALUES ${blocks.map(() => '(?, ?, ?, ?, 1)').join(', ')}
         ON CONFLICT (table_id, block, stripe) DO UPDATE SET
           row_count = data_blocks.row_count + excluded.row_count, changes = data_blocks.changes + 1`,
        blocks.flatMap(([block, count]) => [table.id, block, stripe(), count]),
      )
    },

    /**
     * Counts an alteration of the table as a change, which invalidates cached page marks: their order names a column.
     */
    async recordAlteration(table: Table): Promise<void> {
      await sql.raw(
        `INSERT INTO data_blocks (table_id, block, stripe, row_count, changes) VALUES (?, ${NO_BLOCK}, 0, 0, 1)
         ON CONFLICT (table_id, block, stripe) DO UPDATE SET changes = data_blocks.changes + 1`,
        [table.id],
      )
    },

    async census(table: Table): Promise<Census> {
      const result = await sql.raw(
        `SELECT block, CAST(SUM(row_count) AS bigint) AS listed, CAST(SUM(changes) AS bigint) AS changes
         FROM data_blocks WHERE table_id = ? GROUP BY block ORDER BY block`,
        [table.id],
      )
      const found = rowsOf<{ block: number; listed: number; changes: number }>(result)
      return {
        blocks: found.filter(({ listed }) => listed > 0),
        total: found.reduce((sum, { listed }) => sum + listed, 0),
        changes: found.reduce((sum, { changes }) => sum + changes, 0),
      }
    },

    /** Counts all records again, after another program wrote to the table. */
    async recount(table: Table): Promise<void> {
      const { changes } = await this.census(table)
      await sql('data_blocks').where({ table_id: table.id }).delete()
      await sql.raw(
        `INSERT INTO data_blocks (table_id, block, stripe, row_count, changes)
         SELECT ?, id / ${BLOCK_IDS}, 0, COUNT(*), 1 FROM ?? GROUP BY 2`,
        [table.id, sqlName(table)],
      )
      // The sum of the changes must never decrease.
      await sql('data_blocks').insert({
        table_id: table.id,
        block: NO_BLOCK,
        stripe: 0,
        row_count: 0,
        changes: changes + 1,
      })
    },
  }
}
