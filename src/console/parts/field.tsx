import { useSignal } from '@preact/signals'
import { ChevronDown, CircleAlert, Eye, EyeOff, type IconNode, Search } from 'lucide'
import type { ComponentChildren, InputHTMLAttributes } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { IconButton } from './button.tsx'
import { Icon } from './icon.tsx'

/** Properties of every field. `form.field('name')` gives the first four. */
export interface FieldProps<T> {
  /** Path of the field in the interface, as errors name it: `content.title`. */
  name?: string | undefined
  value: T
  onChange(value: T): void
  /** Error of the value; it stands beside the field and is told to screen readers. */
  error?: string | undefined
  label: string
  /** Advice for writing the value, below the field, in at most one sentence. */
  hint?: ComponentChildren
  /** Marks it as one that may stay empty. */
  isOptional?: boolean
  isOff?: boolean
  /** A control beside the label. */
  aside?: ComponentChildren
}

interface FrameProps extends Pick<FieldProps<unknown>, 'label' | 'hint' | 'error' | 'isOptional' | 'aside'> {
  id: string
  children: ComponentChildren
}

/** Label, hint and error around a control; the control takes `describe(id, props)`. */
export function FieldFrame({ id, label, hint, error, isOptional, aside, children }: FrameProps) {
  return (
    <div class="field">
      <div class="field-label">
        <label for={id}>{label}</label>
        {isOptional && <span class="optional">optional</span>}
        {aside}
      </div>
      {children}
      {hint !== undefined && (
        <p class="field-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      <FieldError id={id} error={error} />
    </div>
  )
}

export function FieldError({ id, error }: { id: string; error: string | undefined }) {
  if (error === undefined || error === '') return null
  return (
    <p class="field-error" id={`${id}-error`}>
      <Icon of={CircleAlert} size="small" />
      <span>{error}</span>
    </p>
  )
}

/** Attributes that tie a control to its hint and its error. */
export function describe(id: string, { hint, error }: Pick<FieldProps<unknown>, 'hint' | 'error'>) {
  const ids = [hint !== undefined && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ')
  return {
    id,
    ...(ids !== '' && { 'aria-describedby': ids }),
    ...(error && { 'aria-invalid': 'true' as const }),
  }
}

type InputType = 'text' | 'email' | 'url' | 'tel' | 'search'

/** The types of inputs are told apart by roles that we do not set. */
const typeOf = (type: InputType | 'password') => ({ type }) as { type: 'text' }

interface TextProps extends FieldProps<string> {
  type?: InputType
  placeholder?: string
  autoComplete?: string
  autoFocus?: boolean
  inputMode?: 'numeric' | 'decimal' | 'email' | 'url'
  maxLength?: number
  icon?: IconNode
  isMono?: boolean
}

/** A text of one line. */
export function TextField(props: TextProps) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (props.autoFocus) input.current?.focus()
  }, [])
  return (
    <FieldFrame {...props} id={id}>
      <div class="affixed">
        {props.icon && <Icon of={props.icon} />}
        <input
          {...describe(id, props)}
          ref={input}
          class={`input ${props.isMono ? 'mono' : ''}`}
          name={props.name}
          {...typeOf(props.type ?? 'text')}
          // A dialog that opens gives the focus to the field that has this; without one, to its first button.
          autofocus={props.autoFocus ?? false}
          value={props.value}
          disabled={props.isOff}
          placeholder={props.placeholder}
          autocomplete={props.autoComplete ?? 'off'}
          inputMode={props.inputMode}
          maxLength={props.maxLength}
          spellcheck={props.type === undefined && !props.isMono}
          onInput={(event) => props.onChange(event.currentTarget.value)}
        />
      </div>
    </FieldFrame>
  )
}

/** A password, with a button that shows it. */
export function PasswordField(props: FieldProps<string> & { autoComplete: 'current-password' | 'new-password' }) {
  const id = useId()
  const isShown = useSignal(false)
  return (
    <FieldFrame {...props} id={id}>
      <div class="affixed ends">
        <input
          {...describe(id, props)}
          class="input"
          name={props.name}
          {...typeOf(isShown.value ? 'text' : 'password')}
          value={props.value}
          autocomplete={props.autoComplete}
          onInput={(event) => props.onChange(event.currentTarget.value)}
        />
        <IconButton
          icon={isShown.value ? EyeOff : Eye}
          label={isShown.value ? 'Hide the password' : 'Show the password'}
          size="small"
          onClick={() => (isShown.value = !isShown.value)}
        />
      </div>
    </FieldFrame>
  )
}

/** Several lines of text. */
export function TextArea(props: FieldProps<string> & { rows?: number; placeholder?: string; isMono?: boolean }) {
  const id = useId()
  return (
    <FieldFrame {...props} id={id}>
      <textarea
        {...describe(id, props)}
        class={`input ${props.isMono ? 'mono' : ''}`}
        name={props.name}
        rows={props.rows ?? 3}
        value={props.value}
        disabled={props.isOff}
        placeholder={props.placeholder}
        spellcheck={!props.isMono}
        onInput={(event) => props.onChange(event.currentTarget.value)}
      />
    </FieldFrame>
  )
}

interface NumberProps extends FieldProps<number | null> {
  min?: number
  max?: number
  step?: number
  /** Unit, shown behind the field: `seconds`, `%`. */
  unit?: string
}

/** A number, or null while the field is empty. */
export function NumberField(props: NumberProps) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  // While people type, the text is theirs: "13.40" on the way to "13.405" would become "13.4".
  const show = () => {
    if (input.current) input.current.value = String(props.value ?? '')
  }
  useEffect(() => {
    if (document.activeElement !== input.current) show()
  }, [props.value])
  return (
    <FieldFrame {...props} id={id}>
      <div class="row">
        <input
          {...describe(id, props)}
          ref={input}
          onBlur={show}
          class="input number"
          style={{ maxInlineSize: '160px' }}
          name={props.name}
          type="number"
          inputMode="decimal"
          disabled={props.isOff}
          min={props.min}
          max={props.max}
          step={props.step ?? 1}
          onInput={(event) => {
            const { value, valueAsNumber } = event.currentTarget
            props.onChange(value === '' || Number.isNaN(valueAsNumber) ? null : valueAsNumber)
          }}
        />
        {props.unit && <span class="quiet">{props.unit}</span>}
      </div>
    </FieldFrame>
  )
}

export interface Option<T extends string = string> {
  value: T
  label: string
  /** Explanation of the option, shown where there is room. */
  about?: string
  /** Label of the options that stand together in a list; those of a group follow each other. */
  group?: string
}

/** A choice of one, as the list that browsers have. */
export function SelectField<T extends string>(props: FieldProps<T> & { options: readonly Option<T>[] }) {
  const id = useId()
  return (
    <FieldFrame {...props} id={id}>
      <span class="select">
        <select
          {...describe(id, props)}
          class="input"
          name={props.name}
          value={props.value}
          disabled={props.isOff}
          onChange={(event) => props.onChange(event.currentTarget.value as T)}
        >
          {inGroups(props.options).map(([group, options]) => {
            const inner = options.map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))
            return group === undefined ? (
              inner
            ) : (
              <optgroup key={group} label={group}>
                {inner}
              </optgroup>
            )
          })}
        </select>
        <Icon of={ChevronDown} size="small" />
      </span>
    </FieldFrame>
  )
}

function inGroups<T extends string>(options: readonly Option<T>[]): [group: string | undefined, Option<T>[]][] {
  const groups: [string | undefined, Option<T>[]][] = []
  for (const option of options) {
    const last = groups.at(-1)
    if (last && last[0] === option.group) last[1].push(option)
    else groups.push([option.group, [option]])
  }
  return groups
}

/** A switch whose change takes effect at once. */
export function Switch(props: FieldProps<boolean>) {
  const id = useId()
  return (
    <div class="field">
      <label class="switch" for={id}>
        <span>
          <strong id={`${id}-name`}>{props.label}</strong>
          {props.hint !== undefined && (
            <span class="field-hint" id={`${id}-hint`} style={{ display: 'block' }}>
              {props.hint}
            </span>
          )}
        </span>
        <input
          {...describe(id, props)}
          type="checkbox"
          role="switch"
          // Without the hint, which describes it.
          aria-labelledby={`${id}-name`}
          name={props.name}
          checked={props.value}
          disabled={props.isOff}
          onChange={(event) => props.onChange(event.currentTarget.checked)}
        />
      </label>
      <FieldError id={id} error={props.error} />
    </div>
  )
}

/** A box to tick: "I understand". */
export function Checkbox(props: FieldProps<boolean>) {
  const id = useId()
  return (
    <div class="field">
      <label class="choice" for={id}>
        <input
          {...describe(id, props)}
          type="checkbox"
          name={props.name}
          checked={props.value}
          disabled={props.isOff}
          onChange={(event) => props.onChange(event.currentTarget.checked)}
        />
        <span class="choice-text">
          {props.label}
          {props.hint !== undefined && <span id={`${id}-hint`}>{props.hint}</span>}
        </span>
      </label>
      <FieldError id={id} error={props.error} />
    </div>
  )
}

interface GroupProps<T extends string, V> extends FieldProps<V> {
  options: readonly Option<T>[]
  /** Draws the options as boxes with room for `about`. */
  look?: 'cards'
}

/** Any of a few. */
export function CheckboxGroup<T extends string>(props: GroupProps<T, readonly T[]>) {
  return (
    <Choices
      {...props}
      type="checkbox"
      isChosen={(value) => props.value.includes(value)}
      choose={(value, isOn) =>
        props.onChange(isOn ? [...props.value, value] : props.value.filter((one) => one !== value))
      }
    />
  )
}

/** A choice of one, with all options in sight. An empty value chooses none. */
export function RadioGroup<T extends string>(props: GroupProps<T, T | ''>) {
  return (
    <Choices
      {...props}
      type="radio"
      isChosen={(value) => props.value === value}
      choose={(value) => props.onChange(value)}
    />
  )
}

interface ChoicesProps<T extends string> extends Omit<GroupProps<T, never>, 'value' | 'onChange'> {
  type: 'checkbox' | 'radio'
  isChosen(value: T): boolean
  choose(value: T, isOn: boolean): void
}

function Choices<T extends string>(props: ChoicesProps<T>) {
  const id = useId()
  const { id: _, ...described } = describe(id, props)
  return (
    <fieldset class="field" {...described} id={id} tabIndex={-1}>
      <legend class="choices-legend">{props.label}</legend>
      <div class={`choices ${props.look ?? ''}`}>
        {props.options.map(({ value, label, about }) => (
          <label key={value} class="choice">
            <input
              type={props.type}
              name={id}
              value={value}
              checked={props.isChosen(value)}
              disabled={props.isOff}
              onChange={(event) => props.choose(value, event.currentTarget.checked)}
            />
            <span class="choice-text">
              {label}
              {about !== undefined && <span>{about}</span>}
            </span>
          </label>
        ))}
      </div>
      {props.hint !== undefined && (
        <p class="field-hint" id={`${id}-hint`}>
          {props.hint}
        </p>
      )}
      <FieldError id={id} error={props.error} />
    </fieldset>
  )
}

interface SearchProps {
  value: string
  onChange(value: string): void
  /** Name for screen readers, and the placeholder: "Search users". */
  label: string
  onKeyDown?: InputHTMLAttributes['onKeyDown']
}

/** The search of a page; "/" puts the cursor here. */
export function SearchField({ value, onChange, label, onKeyDown }: SearchProps) {
  return (
    <div class="affixed" style={{ flex: '1 1 240px', maxInlineSize: '400px' }}>
      <Icon of={Search} />
      <input
        class="input"
        type="search"
        aria-label={label}
        placeholder={label}
        value={value}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => onChange(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
    </div>
  )
}
