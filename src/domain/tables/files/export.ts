import { showValue } from '../definition/columns.ts'
import { showInstant } from '../definition/instants.ts'
import { OWN_FIELDS } from '../definition/names.ts'
import type { RecordsService } from '../records/records.service.ts'
import type { Table, TableRecord } from '../types.ts'
import { csvLine } from './csv.ts'

const PAGE = 1000

/**
 * All records of a table as CSV, in the order of their ids: the header first, then a text for each record. Columns that appear
 * meanwhile are left out, and those that go are empty. Throws `not_found`.
 */
export async function* exportCsv(records: Pick<RecordsService, 'behind'>, table: Table): AsyncGenerator<string> {
  const [id, ...times] = OWN_FIELDS
  const head = [id!, ...table.columns, ...times]
  yield csvLine(
    head.map(({ name }) => ({ value: name, type: 'string' })),
    true,
  )
  for (let from: number | undefined = 0; from !== undefined; ) {
    const page: Awaited<ReturnType<RecordsService['behind']>> = await records.behind(
      table.appId,
      table.alias,
      from,
      PAGE,
    )
    for await (const record of page.records) {
      const shown = valuesOf(page.table, record)
      yield csvLine(
        head.map(({ name, type }) => ({ value: shown.get(name) ?? null, type })),
        false,
      )
    }
    from = page.last
  }
}

function valuesOf({ columns }: Table, { id, createdAt, updatedAt, values }: TableRecord): Map<string, unknown> {
  return new Map<string, unknown>([
    ['id', id],
    ...columns.map((column) => [column.name, showValue(column.type, values.get(column) ?? null)] as const),
    ['createdAt', showInstant(createdAt)],
    ['updatedAt', showInstant(updatedAt)],
  ])
}
