import type { FieldErrors } from '../../../platform/errors.ts'
import type { Values } from '../definition/record.ts'
import type { RegistryRepository } from '../definition/registry.repository.ts'
import type { RecordsRepository } from '../store/records.repository.ts'
import type { Table } from '../types.ts'
import { missingMessage, takenMessage } from './refusals.ts'

/** Conflicts between records: references to missing records, and repeated values in unique columns. */
export function conflictsOf(registry: RegistryRepository, repo: RecordsRepository) {
  /**
   * The errors of each record for references to missing records. Records that bring their own `ids` may refer to
   * themselves and to earlier records of the list.
   */
  async function missing(
    table: Table,
    all: readonly Values[],
    ids: readonly (number | undefined)[] = [],
  ): Promise<FieldErrors[]> {
    const errors = all.map((): FieldErrors => ({}))
    for (const column of table.columns) {
      const targets = all.map((values) => values.get(column) as number | null | undefined)
      const given = [...new Set(targets.filter((id) => id !== null && id !== undefined))]
      if (column.references === null || given.length === 0) continue
      const target =
        column.references === table.id ? table : await registry.find(table.appId, { id: column.references })
      const existing = await repo.existing(target!, given)
      targets.forEach((id, i) => {
        if (column.references === table.id && ids[i] !== undefined) existing.add(ids[i])
        if (id !== null && id !== undefined && !existing.has(id))
          errors[i]![column.name] = [missingMessage(target!, id)]
      })
    }
    return errors
  }

  /**
   * The errors of each record for values of unique columns that another record has: one in the table (except those in
   * `except`), or an earlier one in the list (except those that `skip` selects).
   */
  async function taken(
    table: Table,
    all: readonly Values[],
    except: readonly number[],
    skip: (i: number) => boolean = () => false,
  ): Promise<FieldErrors[]> {
    const errors = all.map((): FieldErrors => ({}))
    for (const column of table.columns) {
      if (!column.unique) continue
      const values = all.map((one) => one.get(column))
      const given = [...new Set(values.filter((value) => value !== null && value !== undefined))]
      if (given.length === 0) continue
      const seen = await repo.taken(table, column, given, except)
      values.forEach((value, i) => {
        if (value === null || value === undefined) return
        if (seen.has(value)) errors[i]![column.name] = [takenMessage(column, value)]
        else if (!skip(i)) seen.add(value)
      })
    }
    return errors
  }

  return {
    missing,
    taken,
    takenIds,
    orphans,
  }

  /**
   * The errors of records that refer to an earlier record of the list that will not be stored. `refused` holds the ids
   * of those.
   */
  function orphans(
    table: Table,
    records: readonly { record?: { id?: number | undefined; values: Values } | undefined }[],
    refused: ReadonlySet<number>,
  ): FieldErrors[] {
    const gone = new Set(refused)
    const own = table.columns.filter((column) => column.references === table.id)
    return records.map(({ record }): FieldErrors => {
      const wrong = own.filter((column) => gone.has(record?.values.get(column) as number))
      if (wrong.length > 0 && record?.id !== undefined) gone.add(record.id)
      return Object.fromEntries(
        wrong.map((column) => [column.name, [missingMessage(table, record!.values.get(column) as number)]]),
      )
    })
  }

  async function takenIds(
    table: Table,
    records: readonly { record?: { id?: number | undefined } | undefined }[],
  ): Promise<FieldErrors[]> {
    const seen = await repo.existing(
      table,
      records.flatMap(({ record }) => record?.id ?? []),
    )
    return records.map(({ record }): FieldErrors => {
      const id = record?.id
      if (id !== undefined && seen.has(id)) return { id: [`must be unique: there is a record with ${id}`] }
      if (id !== undefined) seen.add(id)
      return {}
    })
  }
}
