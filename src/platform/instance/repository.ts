import type { Sql } from '../db/connect.ts'
import { hasTable, isPostgres } from '../db/dialect.ts'
import { preparedPlan } from '../db/prepared.ts'
import { type Row, table, text } from '../db/table.ts'

/** The time (ms) since which sending is held, and the reason. */
export interface Hold {
  since: number
  reason: string
}

/** Facts that the database stores about itself. */
export interface Instance {
  /** A MAC of a constant under the master key, to recognize a wrong key; null before the first start. */
  keyCheck: string | null
  /** The sealed pepper (platform/crypto/vault.ts); null while it is the one that comes from the master key. */
  pepper: string | null
  /** The identity of the file or PostgreSQL database at its last use; null when it was never used or the identity is unknown. */
  identity: string | null
  /** The current and the previous content of the mark file next to it; null without a mark file. */
  mark: string | null
  previousMark: string | null
  /** The release of the time zone rules by which due times are planned; null before the first start that notes it. */
  zoneRules: string | null
  hold: Hold | null
}

const INSTANCE = table('instance', {
  keyCheck: text('key_check').orNull,
  pepper: text('pepper').orNull,
  identity: text('identity').orNull,
  mark: text('mark').orNull,
  previousMark: text('previous_mark').orNull,
  zoneRules: text('zone_rules').orNull,
})

type InstanceRow = Row<typeof INSTANCE> & { id: number; held_at: number | null; held_reason: string | null }

export type InstanceRepository = ReturnType<typeof instanceRepository>

const TABLE = 'instance'

const HOLD = preparedPlan<Record<string, never>, Pick<InstanceRow, 'held_at' | 'held_reason'>>(
  `SELECT held_at, held_reason FROM ${TABLE} WHERE id = 1`,
  {},
)

/** The one row of `instance`. Tables: docs/reference/schema.md#instance. */
export function instanceRepository(sql: Sql) {
  const row = () => sql<InstanceRow>(TABLE).where({ id: 1 })

  return {
    async read(): Promise<Instance> {
      return toInstance((await row().first())!)
    },

    /** `read`, or undefined when the schema is older than this table. */
    async readIfThere(): Promise<Instance | undefined> {
      if (!(await hasTable(sql, TABLE))) return undefined
      const found = await row().first()
      return found && toInstance(found)
    },

    /** `read` with the row locked until the transaction ends. */
    async lock(): Promise<Instance> {
      const found = await row()
        .modify((query) => {
          if (isPostgres(sql)) void query.forUpdate()
        })
        .first()
      return toInstance(found)
    },

    /** The hold; undefined when sending is on. Every sending loop asks before it looks for work. */
    async hold(): Promise<Hold | undefined> {
      const found = await HOLD.first(sql, {})
      return (found && toHold(found)) ?? undefined
    },

    async setZoneRules(release: string): Promise<void> {
      await row().update({ zone_rules: release } as object)
    },

    async setHold(hold: Hold | null): Promise<void> {
      await row().update({ held_at: hold?.since ?? null, held_reason: hold?.reason ?? null })
    },

    /** Stores the value unless there is one already. When several processes do this at once, the first wins. */
    async adoptKeyCheck(value: string): Promise<void> {
      await row().whereNull('key_check').update({ key_check: value })
    },

    /** Makes another master key the one of this database. */
    async setKey(key: Pick<Instance, 'pepper'> & { keyCheck: string }): Promise<void> {
      await row().update(INSTANCE.toRow(key))
    },

    async setIdentity(identity: string | null): Promise<void> {
      await row().update({ identity })
    },

    async setMarks(marks: Pick<Instance, 'mark' | 'previousMark'>): Promise<void> {
      await row().update(INSTANCE.toRow(marks))
    },
  }
}

/** Tells whether nothing is sent from this database until it is released. */
export const isHeldIn = (sql: Sql) => async (): Promise<boolean> => (await instanceRepository(sql).hold()) !== undefined

const toHold = (row: Pick<InstanceRow, 'held_at' | 'held_reason'>): Hold | null =>
  row.held_at === null ? null : { since: row.held_at, reason: row.held_reason ?? '' }

const toInstance = (row: InstanceRow): Instance => ({ ...INSTANCE.fromRow(row), hold: toHold(row) })
