import { Checkbox, SelectField, TextField } from '../../parts/field.tsx'
import { type ColumnType, TYPES, valueOf } from './values.ts'

/** A column while somebody describes it. */
export interface ColumnDraft {
  name: string
  type: ColumnType
  required: boolean
  unique: boolean
  indexed: boolean
  /** As written; empty for none. */
  default: string
  references: string
}

export const NEW_COLUMN: ColumnDraft = {
  name: '',
  type: 'string',
  required: false,
  unique: false,
  indexed: false,
  default: '',
  references: '',
}

const TYPE_OPTIONS = (Object.entries(TYPES) as [ColumnType, (typeof TYPES)[ColumnType]][]).map(
  ([value, { label }]) => ({
    value,
    label,
  }),
)

/** A draft -> a column of the interface. Throws an Error about its default. */
export function columnOf({ name, type, required, unique, indexed, default: value, references }: ColumnDraft) {
  const canIndex = type !== 'text' && type !== 'json'
  return {
    name: name.trim(),
    type,
    required,
    unique: canIndex && unique,
    indexed: canIndex && indexed,
    default: type === 'reference' ? null : (valueOf(type, value) as never),
    references: type === 'reference' ? references : null,
  }
}

interface FieldsProps {
  /** In labels, so that each has a name of its own: "of column 2". */
  suffix: string
  value: ColumnDraft
  onChange(value: ColumnDraft): void
  /** Names of the tables of the app. */
  tables: readonly string[]
  error?: string | undefined
}

/** What a column is called and may hold. */
export function ColumnFields({ suffix, value, onChange, tables, error }: FieldsProps) {
  const set = (changes: Partial<ColumnDraft>) => onChange({ ...value, ...changes })
  const canIndex = value.type !== 'text' && value.type !== 'json'
  return (
    <div class="stack tight">
      <div class="grid halves">
        <TextField
          label={`Name${suffix}`}
          hint="Letters, digits and underscores."
          isMono
          value={value.name}
          error={error}
          onChange={(name) => set({ name })}
        />
        <SelectField
          label={`Type${suffix}`}
          {...(TYPES[value.type].about !== '' && { hint: TYPES[value.type].about })}
          value={value.type}
          options={TYPE_OPTIONS}
          onChange={(type) => set({ type, references: type === 'reference' ? (tables[0] ?? '') : '' })}
        />
      </div>
      {value.type === 'reference' && (
        <SelectField
          label={`Table that it refers to${suffix}`}
          value={value.references}
          options={tables.map((name) => ({ value: name, label: name }))}
          onChange={(references) => set({ references })}
        />
      )}
      {value.type !== 'reference' && (
        <TextField
          label="Value when none is given"
          isOptional
          value={value.default}
          placeholder={TYPES[value.type].sample}
          onChange={(text) => set({ default: text })}
        />
      )}
      <div class="row">
        <Checkbox label="Required" value={value.required} onChange={(required) => set({ required })} />
        {canIndex && (
          <>
            <Checkbox label="Unique" value={value.unique} onChange={(unique) => set({ unique })} />
            <Checkbox
              label="Quick to filter and sort"
              value={value.indexed || value.unique || value.type === 'reference'}
              isOff={value.unique || value.type === 'reference'}
              onChange={(indexed) => set({ indexed })}
            />
          </>
        )}
      </div>
    </div>
  )
}
