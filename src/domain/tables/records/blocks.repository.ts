import type { Sql } from '../../../platform/db/connect.ts'
import { isPostgres, rowsOf } from '../../../platform/db/dialect.ts'
import { BLOCK_IDS, blockOf } from '../../crm/directory.ts'
import { sqlName } from '../definition/names.ts'
import type { Table } from '../types.ts'

/** What the blocks of a table say: where its records are, and how often anything in it changed. */
export interface Census {
  blocks: { block: number; listed: number }[]
  total: number
  /** Grows with every change, and a change is seen with its growth. */
  changes: number
}

/** Connections of PostgreSQL count in stripes, so that one that commits holds up only those few that share its stripe. */
const STRIPES = 16

/** No record is in this block: it counts the changes of the whole table. */
const NO_BLOCK = -1

export type BlocksRepository = ReturnType<typeof blocksRepository>

/** Counts of records by blocks of ids, kept by every write in the write's own transaction. */
export function blocksRepository(sql: Sql) {
  const stripe = () => (isPostgres(sql) ? sql.raw(`pg_backend_pid() % ${STRIPES}`) : sql.raw('0'))

  return {
    /** Counts records that came (`step` 1), went (-1) or changed (0). */
    async record(table: Table, ids: readonly number[], step: 1 | 0 | -1): Promise<void> {
      const counts = new Map<number, number>()
      for (const id of ids) counts.set(blockOf(id), (counts.get(blockOf(id)) ?? 0) + step)
      // In one order everywhere, or two transactions could wait for each other.
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

    /** Notes that the table was altered: what is known of the order of its records may not hold under the new names. */
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

    /** Counts all records anew, for a table that somebody wrote to behind our back. */
    async recount(table: Table): Promise<void> {
      const { changes } = await this.census(table)
      await sql('data_blocks').where({ table_id: table.id }).delete()
      await sql.raw(
        `INSERT INTO data_blocks (table_id, block, stripe, row_count, changes)
         SELECT ?, id / ${BLOCK_IDS}, 0, COUNT(*), 1 FROM ?? GROUP BY 2`,
        [table.id, sqlName(table)],
      )
      // It keeps the sum of the changes growing.
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
