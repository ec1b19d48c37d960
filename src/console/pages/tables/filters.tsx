import { useSignal } from '@preact/signals'
import { Filter, X } from 'lucide'
import { Button, IconButton } from '../../parts/button.tsx'
import { SelectField, TextField } from '../../parts/field.tsx'
import { operatorWords } from '../../parts/operators.ts'
import { Note } from '../../parts/surfaces.tsx'
import { query, setQuery } from '../../state/router.ts'
import { type Condition, type DataTable, fieldsOf, filterOf, operatorsOf } from './values.ts'

/** Reads conditions and order from the address. */
export function askedFor(): { conditions: Condition[]; sortBy: string } {
  const text = query.value.get('filter')
  let conditions: Condition[] = []
  try {
    const read: unknown = text === null ? [] : JSON.parse(text)
    if (Array.isArray(read)) conditions = read as Condition[]
  } catch {
    // An address that somebody cut off: no filter.
  }
  return { conditions, sortBy: query.value.get('sort') ?? 'id' }
}

type Field = ReturnType<typeof fieldsOf>[number]

const labelOf = ({ name, indexed }: Field) => (indexed ? `${name} (quick)` : name)

/** A condition on the field, with its first operator and no value. */
const newCondition = ({ name, type }: Field): Condition => ({ field: name, operator: operatorsOf(type)[0]!, value: '' })

/** Filter and order of a table. Fields with an index are quick, whatever the size of the table. */
export function Filters({ table }: { table: DataTable }) {
  const asked = askedFor()
  const draft = useSignal<Condition[]>(asked.conditions)
  const problem = useSignal<string | undefined>(undefined)
  const fields = fieldsOf(table)
  const apply = (conditions: Condition[]) => {
    problem.value = undefined
    draft.value = conditions
    try {
      filterOf(conditions, table)
    } catch (error) {
      problem.value = (error as Error).message
      return
    }
    setQuery({ filter: conditions.length === 0 ? undefined : JSON.stringify(conditions) })
  }
  const sorts = fields.flatMap((field) => [
    { value: field.name, label: `${labelOf(field)}, ascending` },
    { value: `-${field.name}`, label: `${labelOf(field)}, descending` },
  ])
  return (
    <div class="grid-bar">
      <div class="grid-filter">
        <SelectField
          label="Sort by"
          value={asked.sortBy}
          options={sorts}
          onChange={(value) => setQuery({ sort: value === 'id' ? undefined : value })}
        />
        <Button icon={Filter} onClick={() => (draft.value = [...draft.value, newCondition(fields[1]!)])}>
          Add a filter
        </Button>
      </div>
      {draft.value.length > 0 && (
        <form
          class="stack tight"
          onSubmit={(event) => {
            event.preventDefault()
            apply(draft.value)
          }}
        >
          {draft.value.map((condition, i) => (
            <ConditionRow
              key={i}
              number={i + 1}
              fields={fields}
              condition={condition}
              onChange={(changed) => (draft.value = draft.value.with(i, changed))}
              onRemove={() => apply(draft.value.toSpliced(i, 1))}
            />
          ))}
          <div class="row">
            <Button type="submit" size="small">
              Apply the filter
            </Button>
            <Button size="small" tone="bare" onClick={() => apply([])}>
              Clear
            </Button>
          </div>
          <div role="alert">{problem.value !== undefined && <Note tone="bad" title={problem.value} />}</div>
        </form>
      )}
    </div>
  )
}

interface ConditionProps {
  /** Place in the list, from 1, which tells the labels of the rows apart. */
  number: number
  fields: readonly Field[]
  condition: Condition
  onChange(condition: Condition): void
  onRemove(): void
}

function ConditionRow({ number, fields, condition, onChange, onRemove }: ConditionProps) {
  const field = fields.find(({ name }) => name === condition.field) ?? fields[0]!
  const setValue = (value: string) => onChange({ ...condition, value })
  return (
    <div class="grid-filter">
      <SelectField
        label={`Field ${number}`}
        value={condition.field}
        options={fields.map((one) => ({ value: one.name, label: labelOf(one) }))}
        onChange={(name) => onChange(newCondition(fields.find((one) => one.name === name)!))}
      />
      <SelectField
        label={`Condition ${number}`}
        value={condition.operator}
        options={operatorsOf(field.type).map((value) => ({
          value,
          label: operatorWords(value, field.type === 'datetime'),
        }))}
        onChange={(operator) => onChange({ ...condition, operator })}
      />
      {condition.operator === 'exists' || field.type === 'boolean' ? (
        <SelectField
          label={`Value ${number}`}
          value={condition.value === 'false' ? 'false' : 'true'}
          options={[
            { value: 'true', label: 'Yes' },
            { value: 'false', label: 'No' },
          ]}
          onChange={setValue}
        />
      ) : (
        <TextField label={`Value ${number}`} value={condition.value} onChange={setValue} />
      )}
      <IconButton icon={X} label={`Remove filter ${number}`} onClick={onRemove} />
    </div>
  )
}
