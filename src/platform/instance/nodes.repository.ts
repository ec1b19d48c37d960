import type { Sql } from '../db/connect.ts'
import { databaseNow, hasTable, rowsOf, whereAmong } from '../db/dialect.ts'
import { integer, table, text } from '../db/table.ts'

/** The work of a node: it answers HTTP, or it runs the worker threads. */
export type NodeRole = 'http' | 'workers'

/** Facts that a node tells about itself when it starts. */
export interface NodeFacts {
  /** Random, 12 hexadecimal digits. */
  id: string
  host: string
  pid: number
  version: string
  /** The newest schema step that it knows, such as `0101_instance`. */
  schemaStep: string
  /** A short digest of the check value of its master key: the same on all nodes with the same key. */
  keyPrint: string
  roles: NodeRole[]
}

/** A node as it stands in the database. Times are ms of the clock of the database. */
export interface Node extends NodeFacts {
  startedAt: number
  /** Last sign of life of the node. On SQLite nodes give one only at their start and stop. */
  seenAt: number
  /** The time (ms) by which its own clock was ahead of the one of the database; negative when it was behind. */
  clockAhead: number
  /** The time when it stopped as asked; null for a node that runs or was killed. */
  stoppedAt: number | null
}

const NODES = table('nodes', {
  id: text('id'),
  host: text('host'),
  pid: integer('pid'),
  version: text('version'),
  schemaStep: text('schema_step'),
  keyPrint: text('key_print'),
  roles: text('roles').through(
    (stored) => stored.split(',') as NodeRole[],
    (roles) => roles.join(','),
  ),
  startedAt: integer('started_at'),
  seenAt: integer('seen_at'),
  clockAhead: integer('clock_ahead'),
  stoppedAt: integer('stopped_at').orNull,
})

/** A node that was not seen for this long is gone: it has missed two signs of life. */
export const GONE_MS = 30_000
/** The time (ms) for which a node that ended is remembered. */
const KEPT_MS = 7 * 86_400_000
/** The most nodes that ended and are remembered: one that restarts all the time makes a row each time. */
const MOST_ENDED = 200
/** The most rows that are read. */
const MOST = 1000

/** The table of the nodes. It stays small, so that reading all of it is cheap. Tables: docs/reference/schema.md#nodes. */
export function nodesRepository(sql: Sql) {
  const now = databaseNow(sql)

  return {
    /** The clock of the database (ms). */
    async now(): Promise<number> {
      return rowsOf<{ now: number }>(await sql.raw(`SELECT ${now} AS now`))[0]!.now
    },

    /** Tells whether the table exists: when not, an older program made the schema. */
    isThere: (): Promise<boolean> => hasTable(sql, 'nodes'),

    /** Enters a node that starts, or one whose row was lost. */
    async enter(facts: NodeFacts, clockAhead: number): Promise<void> {
      const row = NODES.toRow({ ...facts, clockAhead, stoppedAt: null })
      await sql('nodes').insert({ ...row, started_at: sql.raw(now), seen_at: sql.raw(now) })
    },

    /** A sign of life. Returns the time of the database (ms); undefined when the node has no row any more. */
    async beat(id: string, clockAhead: number): Promise<number | undefined> {
      const rows = await sql('nodes')
        .where({ id })
        .update({ seen_at: sql.raw(now), clock_ahead: clockAhead }, ['seen_at'])
      return (rows as { seen_at: number }[])[0]?.seen_at
    },

    /** The node stops as asked. */
    async leave(id: string): Promise<void> {
      await sql('nodes')
        .where({ id })
        .update({ seen_at: sql.raw(now), stopped_at: sql.raw(now) })
    },

    /** All that are remembered, those seen last first; with `lately` only those seen within `GONE_MS`. */
    async list({ lately = false } = {}): Promise<Node[]> {
      const rows = await NODES.in(sql)
        .modify((query) => {
          if (lately) void query.whereRaw(`seen_at >= ${now} - ?`, [GONE_MS])
        })
        .orderBy([{ column: 'seen_at', order: 'desc' }, 'id'])
        .limit(MOST)
        .select(NODES.names)
      return rows.map(NODES.fromRow)
    },

    /** Forgets nodes that were not seen for a week, and of those that ended the oldest beyond 200. */
    async forget(): Promise<void> {
      await sql('nodes').whereRaw(`seen_at < ${now} - ?`, [KEPT_MS]).delete()
      const beyond = await sql('nodes')
        .whereRaw(`seen_at < ${now} - ?`, [GONE_MS])
        .orderBy([{ column: 'seen_at', order: 'desc' }, 'id'])
        .offset(MOST_ENDED)
        .limit(MOST)
        .select('id')
      if (beyond.length > 0)
        await whereAmong(
          sql('nodes'),
          sql,
          'id',
          beyond.map(({ id }: { id: string }) => id),
        ).delete()
    },
  }
}
