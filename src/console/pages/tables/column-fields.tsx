import { Fields } from '../../forms/fields.tsx'
import * as row from '../../forms/rows.ts'
import { boundTo, type Values, type ValuesOf, valuesOf } from '../../forms/table.ts'
import { type ColumnType, TYPES, valueOf } from './values.ts'

const isReference = ({ type }: Values) => type === 'reference'
/** Long texts and structures have no index. */
const canIndex = ({ type }: Values) => type !== 'text' && type !== 'json'
/** Kept while it is typed. */
const kept = { isAsTyped: true, empty: 'sent' } as const

/** Rows about the rules of a column. */
export const RULES = row.table<Values>()(
  row.tick('required', 'Required'),
  row.tick('unique', 'Unique', { when: canIndex }),
  row.tick('indexed', 'Quick to filter and sort', { when: canIndex }),
)
const COLUMN = row.table<Values>()(
  row.halves(
    row.text('name', 'Name', { ...kept, hint: 'Letters, digits and underscores.', isMono: true }),
    row.select('type', 'Type', {
      first: 'string',
      options: Object.entries(TYPES).map(([value, { label }]) => ({ value, label })),
      hint: ({ type }) => TYPES[type as ColumnType].about || undefined,
    }),
  ),
  row.select('references', 'Table that it refers to', { ...kept, when: isReference }),
  row.text('default', 'Value when none is given', {
    ...kept,
    isOptional: true,
    when: (column) => !isReference(column),
  }),
  row.inLine(...RULES),
)
/** A column while somebody describes it: its default as written, empty for none. */
export type ColumnDraft = ValuesOf<typeof COLUMN>
export const NEW_COLUMN: ColumnDraft = valuesOf(COLUMN)

/** An index that another rule brings along can be neither made nor dropped. */
export const indexOf = ({ type, unique, indexed }: { type: string; unique: boolean; indexed: boolean }) => ({
  value: indexed || unique || type === 'reference',
  isOff: unique || type === 'reference',
})

/** A draft -> a column of the interface. Throws an Error about its default. */
export function columnOf(draft: ColumnDraft) {
  const { name, required, unique, indexed, default: value, references } = draft
  const type = draft.type as ColumnType
  return {
    name: name.trim(),
    type,
    required,
    unique: canIndex(draft) && unique,
    indexed: canIndex(draft) && indexed,
    default: type === 'reference' ? null : (valueOf(type, value) as never),
    references: type === 'reference' ? references : null,
  }
}

interface FieldsProps {
  /** Ending of each label, so that every field has a name of its own: " of column 2". */
  suffix: string
  value: ColumnDraft
  onChange(value: ColumnDraft): void
  /** Names of the tables of the app. */
  tables: readonly string[]
  error?: string | undefined
}

/** Fields of a column: its name, its type and its rules. */
export function ColumnFields({ suffix, value, onChange, tables, error }: FieldsProps) {
  return (
    <div class="stack tight">
      <Fields
        form={boundTo(COLUMN, value, onChange)}
        rows={COLUMN}
        extras={{
          name: { label: `Name${suffix}`, error },
          type: {
            label: `Type${suffix}`,
            onChange: (type: string) =>
              onChange({ ...value, type, references: type === 'reference' ? (tables[0] ?? '') : '' }),
          },
          references: {
            label: `Table that it refers to${suffix}`,
            options: tables.map((name) => ({ value: name, label: name })),
          },
          default: { placeholder: TYPES[value.type as ColumnType].sample },
          indexed: indexOf(value),
        }}
      />
    </div>
  )
}
