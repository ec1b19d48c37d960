import { AppError } from '../../platform/errors.ts'
import { isoOffset } from '../../platform/time/clock.ts'
import { isIdentifier } from '../crm/schema.ts'
import { BELONGING, type Key, PERSONAL, type Personal } from './personal.ts'
import type { ErasuresRepository } from './repository.ts'
import type { Subject } from './types.ts'

/** One row of what is stored about a person. */
export interface ExportedRow {
  table: string
  /** Columns of the row: JSON as it is, times in ISO 8601. */
  row: Record<string, unknown>
}

/** Rows that are read with one statement. */
const AT_ONCE = 200
/** Installs whose rows are read together. */
const INSTALLS = 1_000_000
const TIMES = /(^at|_at|_active|_since)$/

/** Everything that is stored about a person, from the list by which they are erased. */
export function createExport(repo: Pick<ErasuresRepository, 'look' | 'formerInstalls' | 'readRows' | 'belonging'>) {
  function* keysOf({ by }: Personal, subject: Subject, former: readonly number[]): Generator<Key> {
    const { installs, names, person, anonymous } = subject
    if (by === 'former') yield* former
    else if (by === 'name') yield* names
    else if (by === 'user') yield* person === undefined ? anonymous : [person, ...anonymous]
    else for (const { row, installId } of installs) yield by === 'install' ? row : installId
  }

  async function* rowsOf(appId: number, one: Personal, key: Key, name: string): AsyncGenerator<ExportedRow> {
    for (let after: Key[] | undefined; ; ) {
      const rows = await repo.readRows(appId, one, key, { name, after, limit: AT_ONCE })
      for (const row of rows) {
        yield { table: one.table, row: shown(row, one) }
        for (const { table, of, column, json } of BELONGING) {
          if (of !== one.table) continue
          for (const part of await repo.belonging([row.id as number], { table, column })) {
            yield { table, row: shown(part, { json, hidden: ['id'] }) }
          }
        }
      }
      if (rows.length < AT_ONCE) return
      after = one.along.map((column) => rows.at(-1)![column] as Key)
    }
  }

  return {
    /**
     * The rows of a user, table by table; a few hundred are in memory at once, each as it is when it is read. Throws
     * `not_found` before the first one when there is no such user.
     */
    async of(appId: number, identifier: string): Promise<AsyncIterable<ExportedRow>> {
      const subject = isIdentifier(identifier) ? await repo.look(appId, 'user', identifier, INSTALLS) : undefined
      if (subject?.person === undefined) {
        throw new AppError('not_found', `there is no user ${JSON.stringify(identifier)}`)
      }
      const rows = subject.installs.map(({ row }) => row)
      const former = await repo.formerInstalls(appId, identifier, rows, INSTALLS)
      return (async function* () {
        for (const one of PERSONAL.toReversed()) {
          for (const key of keysOf(one, subject, former)) yield* rowsOf(appId, one, key, identifier)
        }
      })()
    },
  }
}

function shown(row: Record<string, unknown>, { json = [], hidden = [] }: Pick<Personal, 'json' | 'hidden'>) {
  return Object.fromEntries(
    Object.entries(row)
      .filter(([column]) => column !== 'app_id' && !hidden.includes(column))
      .map(([column, value]) => [column, valueOf(column, value, json)]),
  )
}

function valueOf(column: string, value: unknown, json: readonly string[]): unknown {
  if (value === null) return null
  if (json.includes(column)) return JSON.parse(value as string) as unknown
  // Zero stands for never.
  if (TIMES.test(column) && typeof value === 'number') return value > 0 ? isoOffset(value) : null
  return value
}
