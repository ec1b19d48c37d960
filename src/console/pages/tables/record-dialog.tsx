import { api, call } from '../../api/client.ts'
import { AsCommand } from '../../parts/code.tsx'
import { SelectField, TextArea, TextField } from '../../parts/field.tsx'
import { Form, useForm } from '../../parts/form.tsx'
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

/** Every column of a record as fields. */
export function RecordDialog({ appId, table: { alias, columns }, row, onDone, onClose }: RecordProps) {
  const initial = Object.fromEntries(
    columns.map((column) => [column.name, textOf(row ? row[column.name] : column.default)]),
  )
  const bodyOf = (values: Record<string, string>) =>
    Object.fromEntries(
      columns
        .filter(({ name }) => row === undefined || values[name] !== initial[name])
        .map(({ name, type }) => [name, valueOf(type, values[name] ?? '')]),
    )
  const form = useForm<Record<string, string>>(initial, {
    // Others may have a dialog open, or change a cell: this one writes what was changed here only.
    edits: row && {
      before: row,
      read: () =>
        api.get('/admin/v1/apps/{appId}/data/{tableAlias}/{id}', { path: { appId, tableAlias: alias, id: row.id } }),
    },
    check: (values) =>
      Object.fromEntries(
        columns.map(({ name, type, required }) => {
          const text = values[name] ?? ''
          if (required && text === '') return [name, 'It must have a value.']
          try {
            valueOf(type, text)
            return [name, undefined]
          } catch (error) {
            return [name, (error as Error).message]
          }
        }),
      ),
    submit: async (values) => {
      const body = bodyOf(values) as never
      const path = { appId, tableAlias: alias }
      if (row) {
        const path = { appId, tableAlias: alias, id: row.id }
        const saved = await api.put('/admin/v1/apps/{appId}/data/{tableAlias}/{id}', { path, body })
        toast('The record is saved.')
        onDone(saved)
      } else {
        await call('post', '/admin/v1/apps/{appId}/data/{tableAlias}', { path, body })
        toast('The record is there.')
        onDone(undefined)
      }
    },
  })
  const shown = (() => {
    try {
      return bodyOf(form.values.value)
    } catch {
      return {}
    }
  })()
  const path = `/admin/v1/apps/${appId}/data/${alias}${row ? `/${row.id}` : ''}`
  return (
    <Dialog title={row ? `Record ${row.id}` : 'New record'} onClose={onClose} isWide>
      <Form
        form={form}
        submitLabel={row ? 'Save the record' : 'Create the record'}
        also={<AsCommand call={{ method: row ? 'PUT' : 'POST', path, body: shown }} />}
      >
        {columns.map((column) => (
          <ValueField key={column.name} column={column} field={form.field(column.name)} />
        ))}
      </Form>
    </Dialog>
  )
}

interface ValueProps {
  column: Column
  field: {
    name?: string | undefined
    value: string | undefined
    onChange(value: string): void
    error?: string | undefined
  }
}

function ValueField({ column: { name, type, required, references }, field }: ValueProps) {
  const { value = '', onChange, error } = field
  const about = references === null ? TYPES[type].about : `The id of a record of ${references}`
  const common = { label: name, value, onChange, error, isOptional: !required, ...(about !== '' && { hint: about }) }
  if (type === 'boolean') {
    const options = [
      ...(required ? [] : [{ value: '', label: '–' }]),
      { value: 'true', label: 'Yes' },
      { value: 'false', label: 'No' },
    ]
    return <SelectField {...common} options={options} />
  }
  if (type === 'text' || type === 'json') return <TextArea {...common} isMono={type === 'json'} />
  return <TextField {...common} isMono={type !== 'string'} />
}
