import type { ComponentChildren, ComponentType } from 'preact'
import { useRef } from 'preact/hooks'
import { ChooseMany } from '../parts/choose-many.tsx'
import { DateTimeField } from '../parts/date-field.tsx'
import {
  Checkbox,
  CheckboxGroup,
  NumberField,
  type Option,
  PasswordField,
  RadioGroup,
  SelectField,
  Switch,
  TextArea,
  TextField,
} from '../parts/field.tsx'
import { JsonField } from '../parts/json-field.tsx'
import { PictureField } from '../parts/picture-field.tsx'
import { More } from '../parts/values.tsx'
import { ColorField } from './color-field.tsx'
import { type Bound, type Field, type Group, isFilled, type Kind, type Rows, type Values } from './table.ts'

const CONTROLS = {
  text: TextField,
  area: TextArea,
  password: PasswordField,
  number: NumberField,
  color: ColorField,
  picture: PictureField,
  select: SelectField,
  radio: RadioGroup,
  ticks: CheckboxGroup,
  many: ChooseMany,
  tick: Checkbox,
  switch: Switch,
  json: JsonField,
  instant: DateTimeField,
} satisfies Record<Exclude<Kind, 'own'>, ComponentType<never>>

/** Facts about a field that only its page knows, such as what it offers. A function draws the field; null leaves it out. */
export type Extra =
  | Partial<{
      label: string
      hint: ComponentChildren
      aside: ComponentChildren
      placeholder: string
      options: readonly Option[]
      tags: readonly object[]
      autoFocus: boolean
      isOff: boolean
      value: unknown
      error: string | undefined
      onChange(value: never): void
    }>
  | (() => ComponentChildren)
  | null

interface FieldsProps<V extends object> {
  form: Bound<V>
  rows: Rows
  /** Keyed by the name of the field. */
  extras?: Readonly<Record<string, Extra>>
}

/** The fields of a table, as they stand in a form. */
export function Fields<V extends object>({ form, rows, extras = {} }: FieldsProps<V>) {
  const values = form.values.value as Values
  return rows.map((row) => {
    if (row.when && !row.when(values)) return null
    if ('at' in row) return <One key={row.at} form={form} field={row} extra={extras[row.at]} />
    const inner = <Fields form={form} rows={row.rows} extras={extras} />
    return <Together key={row.label + row.look} {...row} isFilled={isFilled(row.rows, values)} inner={inner} />
  })
}

function Together({
  look,
  label,
  inner,
  isFilled,
}: Omit<Group, 'rows'> & { isFilled: boolean; inner: ComponentChildren }) {
  // A part that somebody has unfolded stays open while they empty it.
  const isOpen = useRef(false)
  isOpen.current ||= isFilled
  if (look === 'halves') return <div class="grid halves">{inner}</div>
  if (look === 'row') return <div class="row">{inner}</div>
  if (look === 'plain') return inner
  if (look === 'more')
    return (
      <More label={label} isOpen={isOpen.current}>
        <div class="stack">{inner}</div>
      </More>
    )
  return (
    <fieldset class="settings-part">
      <legend>{label}</legend>
      {inner}
    </fieldset>
  )
}

interface OneProps<V extends object> {
  form: Bound<V>
  field: Field
  extra: Extra | undefined
}

function One<V extends object>({ form, field, extra }: OneProps<V>) {
  if (extra === null) return null
  if (typeof extra === 'function') return extra()
  if (field.kind === 'own') return null
  const hint = typeof field.hint === 'function' ? field.hint(form.values.value as Values) : field.hint
  const Control = CONTROLS[field.kind] as ComponentType<object>
  return (
    <Control
      {...field}
      {...form.field(field.at as keyof V & string)}
      {...(hint !== undefined && { hint })}
      {...extra}
    />
  )
}
