import { query, setQuery } from '../state/router.ts'
import { type Extra, Fields } from './fields.tsx'
import type { Rows } from './table.ts'

/** Choices of what a list shows, which stand in the address by the names of their rows. */
export function Filters({ rows, extras = {} }: { rows: Rows; extras?: Readonly<Record<string, Extra>> }) {
  const values = Object.fromEntries(query.value)
  const field = (name: string) => ({
    name,
    value: values[name] ?? '',
    onChange: (value: string) => setQuery({ [name]: value }),
  })
  return (
    <div class="row filters">
      <Fields form={{ values: { value: values }, field }} rows={rows} extras={extras} />
    </div>
  )
}
