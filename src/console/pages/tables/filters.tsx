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
  const set = (at: number, changes: Partial<Condition>) => {
    draft.value = draft.value.with(at, { ...draft.value[at]!, ...changes })
  }
  const label = ({ name, indexed }: { name: string; indexed: boolean }) => (indexed ? `${name} (quick)` : name)
  const sorts = fields.flatMap((field) => [
    { value: field.name, label: `${label(field)}, ascending` },
    { value: `-${field.name}`, label: `${label(field)}, descending` },
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
        <Button
          icon={Filter}
          onClick={() => {
            draft.value = [
              ...draft.value,
              { field: fields[1]!.name, operator: operatorsOf(fields[1]!.type)[0]!, value: '' },
            ]
          }}
        >
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
          {draft.value.map((condition, i) => {
            const field = fields.find(({ name }) => name === condition.field) ?? fields[0]!
            return (
              <div key={i} class="grid-filter">
                <SelectField
                  label={`Field ${i + 1}`}
                  value={condition.field}
                  options={fields.map((one) => ({ value: one.name, label: label(one) }))}
                  onChange={(name) => {
                    const { type } = fields.find((one) => one.name === name)!
                    set(i, { field: name, operator: operatorsOf(type)[0]!, value: '' })
                  }}
                />
                <SelectField
                  label={`Condition ${i + 1}`}
                  value={condition.operator}
                  options={operatorsOf(field.type).map((value) => ({
                    value,
                    label: operatorWords(value, field.type === 'datetime'),
                  }))}
                  onChange={(operator) => set(i, { operator })}
                />
                {condition.operator === 'exists' || field.type === 'boolean' ? (
                  <SelectField
                    label={`Value ${i + 1}`}
                    value={condition.value === 'false' ? 'false' : 'true'}
                    options={[
                      { value: 'true', label: 'Yes' },
                      { value: 'false', label: 'No' },
                    ]}
                    onChange={(value) => set(i, { value })}
                  />
                ) : (
                  <TextField label={`Value ${i + 1}`} value={condition.value} onChange={(value) => set(i, { value })} />
                )}
                <IconButton
                  icon={X}
                  label={`Remove filter ${i + 1}`}
                  onClick={() => apply(draft.value.toSpliced(i, 1))}
                />
              </div>
            )
          })}
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
