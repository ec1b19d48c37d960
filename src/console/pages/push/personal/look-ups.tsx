import { Plus, Trash2 } from 'lucide'
import { Button, IconButton } from '../../../parts/button.tsx'
import { FieldError, SelectField, TextField } from '../../../parts/field.tsx'
import { Failed, Skeleton } from '../../../parts/surfaces.tsx'
import { More } from '../../../parts/values.tsx'
import { type Picking, withValues } from './insert.tsx'
import { type LookUpTable, useTables } from './offered.ts'
import { errorAt, type LookUp, type PersonalForm } from './rows.ts'

/** The most look-ups of a send. */
const MOST = 3

/** Records of data tables that the texts may show. */
export function LookUps({ form, picking }: { form: PersonalForm; picking: Picking }) {
  const { value: all } = form.field('lookup')
  return (
    <More label="Values of a data table" isOpen={all.length > 0}>
      <Editor form={form} picking={picking} />
    </More>
  )
}

function Editor({ form, picking }: { form: PersonalForm; picking: Picking }) {
  const tables = useTables(picking.appId)
  const { value: all, error } = form.field('lookup')
  const found = tables.value.value
  if (tables.error.value !== undefined) return <Failed error={tables.error.value} retry={tables.reload} />
  if (!found) return <Skeleton lines={1} />
  if (found.length === 0 && all.length === 0)
    return <p class="field-hint">This app has no data tables. A text can show what stands in one, such as a price.</p>
  const set = (lookup: readonly LookUp[]) => form.set({ lookup, personalize: true })
  return (
    <div class="stack">
      {all.map((one, i) => (
        <One
          key={i}
          form={form}
          one={one}
          tables={found}
          picking={picking}
          change={(changed) => set(all.map((other, at) => (at === i ? { ...other, ...changed } : other)))}
          remove={() => set(all.filter((_, at) => at !== i))}
        />
      ))}
      <FieldError id="lookup" error={error} />
      {all.length < MOST && (
        <div>
          <Button
            size="small"
            icon={Plus}
            onClick={() => set([...all, { name: freeName(all), table: '', by: 'id', value: '' }])}
          >
            Add a look-up
          </Button>
        </div>
      )}
    </div>
  )
}

/** A name that no look-up has yet. */
function freeName(all: readonly LookUp[]): string {
  const taken = all.map(({ name }) => name)
  return ['record', 'record2', 'record3'].find((name) => !taken.includes(name))!
}

interface OneProps {
  form: PersonalForm
  one: LookUp
  tables: readonly LookUpTable[]
  picking: Picking
  change(changed: Partial<LookUp>): void
  remove(): void
}

function One({ form, one, tables, picking, change, remove }: OneProps) {
  const { name, table, by, value } = one
  const wrong = (field: string) => errorAt(form, `lookup.${name}${field}`)
  const columns = tables.find(({ alias }) => alias === table)?.columns ?? []
  const keys = ['id', ...columns.filter(({ isKey }) => isKey).map((column) => column.name)]
  const listed = (options: readonly string[], chosen: string) =>
    options.includes(chosen) ? options : [...options, chosen]
  // It is looked for before any record is found.
  const before = { ...picking, given: { ...picking.given, lookups: [] } }
  const text = { value, label: 'the value to look for', change: (to: string) => change({ value: to }) }
  return (
    <fieldset class="settings-part">
      <legend>Look-up</legend>
      <div class="grid halves">
        <SelectField
          label="Table"
          value={table}
          error={wrong('.table') ?? wrong('')}
          onChange={(to) => change({ table: to, by: 'id' })}
          options={[
            { value: '', label: 'Choose a table' },
            ...tables.map(({ alias, name: label }) => ({ value: alias, label })),
            ...(table === '' || tables.some(({ alias }) => alias === table) ? [] : [{ value: table, label: table }]),
          ]}
        />
        <SelectField
          label="Its column"
          value={by}
          error={wrong('.by')}
          hint="Only columns with an index."
          onChange={(to) => change({ by: to })}
          options={listed(keys, by).map((key) => ({ value: key, label: key }))}
        />
      </div>
      <TextField
        label="Has this value"
        value={value}
        error={wrong('.value')}
        onChange={text.change}
        {...withValues(before, text, 'Insert the value that names the record, such as an order number.')}
      />
      <div class="push-button-row">
        <TextField
          label="Name of the look-up"
          value={name}
          isMono
          onChange={(to) => change({ name: to.trim() })}
          hint="Its columns are offered under this name where you insert a value."
        />
        <IconButton icon={Trash2} label={`Remove the look-up ${name}`} onClick={remove} />
      </div>
    </fieldset>
  )
}
