import { useSignal } from '@preact/signals'
import { X } from 'lucide'
import { useId } from 'preact/hooks'
import { IconButton } from '../../parts/button.tsx'
import { operatorOf } from '../../parts/operators.ts'
import { Choose } from './choose.tsx'
import { fieldOf, isAttribute, valueKind } from './fields.ts'
import { type Condition, textOf } from './filter.ts'
import type { Suggestions } from './suggestions.ts'

interface ValueProps {
  condition: Condition
  suggestions: Suggestions
  onChange(value: unknown): void
  /** Name of the row, for screen readers. */
  label: string
}

type Scalar = string | number | boolean
interface Choice {
  value: Scalar
  label: string
}

/** The value of a condition, as its field and operator need it. */
export function Value({ condition, suggestions, onChange, label }: ValueProps) {
  const { field, op, value } = condition
  const kind = valueKind(field, op)
  const choices = choicesOf(field, suggestions)
  if (operatorOf(op) === 'in') {
    const list = Array.isArray(value) ? (value as Scalar[]) : []
    return <Values {...{ list, choices, onChange, label }} isNumeric={kind === 'geofence'} isFree={isFree(field)} />
  }
  const only = { label, value, onChange }
  switch (kind) {
    case 'yesNo':
      return <YesNo {...only} />
    case 'days':
      return <NumberInput {...only} unit="days" min={0} />
    case 'number':
      return <NumberInput {...only} />
    case 'date':
      return <DateInput {...only} />
    case 'any':
      return <AnyInput {...only} field={field} choices={choices} suggestions={suggestions} />
    case 'channel':
    case 'geofence':
      return <Listed {...only} choices={choices} what={kind} />
    default:
      return isFree(field) || choices.length === 0 ? (
        <TextInput {...only} choices={choices} placeholder={fieldOf(field)?.placeholder} />
      ) : (
        <Listed {...only} choices={choices} what="value" />
      )
  }
}

/** Tells whether a field takes values beside those that are offered. */
const isFree = (field: string): boolean => {
  const known = fieldOf(field)
  return known?.values === undefined && known?.kind !== 'channel' && known?.kind !== 'geofence'
}

function choicesOf(field: string, suggestions: Suggestions): readonly Choice[] {
  const known = fieldOf(field)
  if (known?.kind === 'channel') return suggestions.channels
  if (known?.kind === 'geofence') return suggestions.geofences
  const values: readonly Scalar[] = isAttribute(field)
    ? (suggestions.attributes.find((one) => one.field === field)?.values ?? [])
    : (known?.values ?? suggestions.fields[field] ?? [])
  return values.map((value) => ({ value, label: String(value) }))
}

interface OneProps {
  label: string
  value: unknown
  onChange(value: unknown): void
}

function TextInput({
  label,
  value,
  onChange,
  choices,
  placeholder,
}: OneProps & { choices: readonly Choice[]; placeholder?: string | undefined }) {
  const id = useId()
  return (
    <>
      <input
        class="input"
        aria-label={label}
        list={choices.length > 0 ? id : undefined}
        value={typeof value === 'string' ? value : ''}
        placeholder={placeholder}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
      {choices.length > 0 && (
        <datalist id={id}>
          {choices.map((one) => (
            <option key={String(one.value)} value={String(one.value)} />
          ))}
        </datalist>
      )}
    </>
  )
}

function NumberInput({ label, value, onChange, unit, min }: OneProps & { unit?: string; min?: number }) {
  return (
    <span class="row">
      <input
        class="input number segment-number"
        aria-label={unit === undefined ? label : `${label} in ${unit}`}
        type="number"
        step="any"
        min={min}
        inputMode="decimal"
        value={typeof value === 'number' ? value : ''}
        onInput={({ currentTarget: { value: text, valueAsNumber } }) =>
          onChange(text === '' || Number.isNaN(valueAsNumber) ? undefined : valueAsNumber)
        }
      />
      {unit !== undefined && <span class="quiet">{unit}</span>}
    </span>
  )
}

/** A day in UTC; an instant with a time, which JSON may have, stays a text. */
function DateInput({ label, value, onChange }: OneProps) {
  const isDay = value === undefined || value === '' || (typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value))
  return (
    <span class="row">
      <input
        class="input"
        aria-label={`${label}, midnight in UTC`}
        {...(isDay ? { type: 'date' as const } : { type: 'text' as const })}
        value={typeof value === 'string' ? value : ''}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
      {isDay && <span class="quiet">UTC</span>}
    </span>
  )
}

function YesNo({ label, value, onChange }: OneProps) {
  return (
    <Choose
      label={label}
      value={value === undefined ? '' : textOf(value)}
      options={[
        ...(value === undefined ? [{ value: '', label: 'Choose' }] : []),
        { value: 'true', label: 'yes' },
        { value: 'false', label: 'no' },
      ]}
      onChange={(next) => onChange(next === '' ? undefined : next === 'true')}
    />
  )
}

function Listed({ label, value, onChange, choices, what }: OneProps & { choices: readonly Choice[]; what: string }) {
  const isKnown = choices.some((one) => one.value === value)
  return (
    <Choose
      label={label}
      value={value === undefined ? '' : textOf(value)}
      options={[
        ...(value === undefined
          ? [{ value: '', label: choices.length > 0 ? `Choose a ${what}` : `There is no ${what} yet` }]
          : []),
        ...(value !== undefined && !isKnown ? [{ value: textOf(value), label: textOf(value) }] : []),
        ...choices.map((one) => ({ value: String(one.value), label: one.label })),
      ]}
      onChange={(next) => onChange(choices.find((one) => String(one.value) === next)?.value)}
    />
  )
}

type Kind = 'text' | 'number' | 'boolean'

/** An attribute is of a type: the text 10 is not the number 10. */
function AnyInput(props: OneProps & { field: string; choices: readonly Choice[]; suggestions: Suggestions }) {
  const { label, value, onChange, field, choices, suggestions } = props
  const [usual] = suggestions.attributes.find((one) => one.field === field)?.kinds ?? []
  const chosen = useSignal<Kind | undefined>(undefined)
  const kind: Kind =
    value === undefined || value === ''
      ? (chosen.value ?? (usual === 'number' || usual === 'boolean' ? usual : 'text'))
      : typeof value === 'number' || typeof value === 'boolean'
        ? (typeof value as Kind)
        : 'text'
  return (
    <>
      <Choose
        label={`Type of ${label}`}
        value={kind}
        options={[
          { value: 'text', label: 'text' },
          { value: 'number', label: 'number' },
          { value: 'boolean', label: 'yes or no' },
        ]}
        onChange={(next) => {
          chosen.value = next as Kind
          onChange(as(next as Kind, value))
        }}
      />
      {kind === 'number' ? (
        <NumberInput {...{ label, value, onChange }} />
      ) : kind === 'boolean' ? (
        <YesNo {...{ label, value, onChange }} />
      ) : (
        <TextInput {...{ label, value, onChange, choices }} />
      )}
    </>
  )
}

/** The same value as another type, where there is one. */
function as(kind: Kind, value: unknown): unknown {
  if (kind === 'number')
    return typeof value === 'string' && value.trim() !== '' && !Number.isNaN(Number(value)) ? Number(value) : undefined
  if (kind === 'boolean') return undefined
  return value === undefined ? undefined : textOf(value)
}

interface ValuesProps {
  label: string
  list: readonly Scalar[]
  choices: readonly Choice[]
  isNumeric: boolean
  isFree: boolean
  onChange(list: unknown): void
}

/** Several values: each can be taken out; one more is written, or chosen. */
function Values({ label, list, choices, isNumeric, isFree, onChange }: ValuesProps) {
  const text = useSignal('')
  const left = choices.filter(({ value }) => !list.includes(value))
  const add = (given: string) => {
    text.value = ''
    if (given.trim() === '') return
    const known = choices.find(({ value }) => String(value) === given)?.value
    const next = known ?? (isNumeric || list.some((one) => typeof one === 'number') ? Number(given) : given)
    if (!list.includes(next)) onChange([...list, next])
  }
  return (
    <span class="segment-values">
      {list.map((one) => (
        <span key={String(one)} class="segment-chip">
          {choices.find(({ value }) => value === one)?.label ?? String(one)}
          <IconButton
            icon={X}
            label={`Remove ${String(one)}`}
            size="small"
            onClick={() => onChange(list.filter((other) => other !== one))}
          />
        </span>
      ))}
      {isFree ? (
        <span
          class="segment-add"
          onKeyDown={(event) => {
            if (event.key !== 'Enter' && event.key !== ',') return
            event.preventDefault()
            add(text.peek())
          }}
          onFocusOut={() => add(text.peek())}
        >
          <TextInput
            label={`Add to ${label}`}
            value={text.value}
            choices={left}
            placeholder="Write one, press Enter"
            onChange={(next) => (text.value = String(next))}
          />
        </span>
      ) : (
        <Choose
          label={`Add to ${label}`}
          value=""
          options={[
            { value: '', label: 'Add one' },
            ...left.map(({ value, label: name }) => ({ value: String(value), label: name })),
          ]}
          onChange={add}
        />
      )}
    </span>
  )
}
