import { api, asked } from '../../api/client.ts'
import * as row from '../../forms/rows.ts'
import { bodyOf, type Field, valuesOf } from '../../forms/table.ts'
import { TableForm, useTable } from '../../forms/table-form.tsx'
import { Dialog, toast } from '../../parts/overlays.tsx'
import { type Column, type DataTable, type Row, TYPES, textOf, valueOf } from './values.ts'

interface RecordProps {
  appId: number
  table: DataTable
  /** The record to change; undefined for a new one. */
  row: Row | undefined
  onDone(row: Row | undefined): void
  onClose(): void
}

const RECORDS = '/admin/v1/apps/{appId}/data/{tableAlias}'
const RECORD = '/admin/v1/apps/{appId}/data/{tableAlias}/{id}'

/** Every column of a record as fields. */
export function RecordDialog({ appId, table: { alias, columns }, row: before, onDone, onClose }: RecordProps) {
  const rows = columns.map(fieldOf)
  const first = valuesOf(rows, before)
  const path = { appId, tableAlias: alias }
  const form = useTable(rows, {
    of: before,
    read: before && (() => api.get(RECORD, { path: { ...path, id: before.id } })),
    // Others may have a dialog open, or change a cell: this one writes what was changed here only.
    call(_, values) {
      const changed = rows.filter(({ at }) => !before || values[at] !== first[at])
      const body = bodyOf(changed, values) as never
      return before
        ? asked('put', RECORD, { path: { ...path, id: before.id }, body })
        : asked('post', RECORDS, { path, body })
    },
    done(saved) {
      toast(before ? 'The record is saved.' : 'The record is there.')
      onDone(before && (saved as Row))
    },
  })
  return (
    <Dialog title={before ? `Record ${before.id}` : 'New record'} onClose={onClose} isWide>
      <TableForm form={form} submitLabel={before ? 'Save the record' : 'Create the record'} />
    </Dialog>
  )
}

/** A value as it is written; what is wrong with it is told by the check. */
function fieldOf({ name, type, required, references, default: usual }: Column): Field<string, string, string> {
  const hint = references === null ? TYPES[type].about : `The id of a record of ${references}`
  const ways = {
    ...(hint !== '' && { hint }),
    first: textOf(usual),
    isAsTyped: true,
    isOptional: !required,
    empty: 'null',
    from: textOf,
    to: (text: string) => tried(type, text).value,
    check: (text: string) => (required && text === '' ? 'It must have a value.' : tried(type, text).problem),
  } as const
  if (type === 'boolean') {
    const choice = row.choices({ ...(!required && { '': '–' }), true: 'Yes', false: 'No' })
    return row.select(name, name, { ...ways, options: choice })
  }
  if (type === 'text' || type === 'json') return row.area(name, name, { ...ways, isMono: type === 'json' })
  return row.text(name, name, { ...ways, isMono: type !== 'string' })
}

function tried(type: Column['type'], text: string): { value?: unknown; problem?: string } {
  try {
    return { value: valueOf(type, text) }
  } catch (error) {
    return { problem: (error as Error).message }
  }
}
