import type { Sql } from '../db/connect.ts'
import { isPostgres } from '../db/dialect.ts'

/** Since when (ms) nothing is sent, and why. */
export interface Hold {
  since: number
  reason: string
}

/** What the database knows of itself. */
export interface Instance {
  /** What the master key makes of a constant; null before the first start. */
  keyCheck: string | null
  /** Which file, or which database of PostgreSQL, it was when it was used last; null when it was never used or cannot tell. */
  identity: string | null
  /** What stands in the mark file beside it, and what stood there before; null without such a file. */
  mark: string | null
  previousMark: string | null
  hold: Hold | null
}

interface InstanceRow {
  id: number
  key_check: string | null
  identity: string | null
  mark: string | null
  previous_mark: string | null
  held_at: number | null
  held_reason: string | null
}

export type InstanceRepository = ReturnType<typeof instanceRepository>

const TABLE = 'instance'

/** The one row of `instance`. */
export function instanceRepository(sql: Sql) {
  const row = () => sql<InstanceRow>(TABLE).where({ id: 1 })

  return {
    async read(): Promise<Instance> {
      return toInstance((await row().first())!)
    },

    /** The same, undefined when the schema is older than this table. */
    async readIfThere(): Promise<Instance | undefined> {
      if (!(await sql.schema.hasTable(TABLE))) return undefined
      const found = await row().first()
      return found && toInstance(found)
    },

    /** The same, locked until the transaction ends. */
    async lock(): Promise<Instance> {
      const found = await row()
        .modify((query) => {
          if (isPostgres(sql)) void query.forUpdate()
        })
        .first()
      return toInstance(found)
    },

    /** Undefined while sending is on. Asked by every loop that sends, before it looks for work. */
    async hold(): Promise<Hold | undefined> {
      const found = await row().first('held_at', 'held_reason')
      return found?.held_at == null ? undefined : { since: found.held_at, reason: found.held_reason ?? '' }
    },

    async setHold(hold: Hold | null): Promise<void> {
      await row().update({ held_at: hold?.since ?? null, held_reason: hold?.reason ?? null })
    },

    /** Stores the value unless there is one. Of several at once the first wins. */
    async adoptKeyCheck(value: string): Promise<void> {
      await row().whereNull('key_check').update({ key_check: value })
    },

    async setIdentity(identity: string | null): Promise<void> {
      await row().update({ identity })
    },

    async setMarks({ mark, previousMark }: Pick<Instance, 'mark' | 'previousMark'>): Promise<void> {
      await row().update({ mark, previous_mark: previousMark })
    },
  }
}

function toInstance(row: InstanceRow): Instance {
  return {
    keyCheck: row.key_check,
    identity: row.identity,
    mark: row.mark,
    previousMark: row.previous_mark,
    hold: row.held_at === null ? null : { since: row.held_at, reason: row.held_reason ?? '' },
  }
}
