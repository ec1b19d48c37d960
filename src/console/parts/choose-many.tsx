import { X } from 'lucide'
import type { ComponentChildren } from 'preact'
import { IconButton } from './button.tsx'
import { Combobox } from './combobox.tsx'
import { CheckboxGroup, type Option } from './field.tsx'

interface ChooseManyProps {
  name?: string | undefined
  label: string
  hint?: ComponentChildren
  error?: string | undefined
  value: readonly string[]
  onChange(value: readonly string[]): void
  options: readonly Option[]
}

/** Maximum number of options that are shown as boxes; a longer list has a search. */
const LISTED = 12
const FOUND = 8

/**
 * A choice of any number of options: a few are boxes to tick, many are found by a part of their name. A chosen option that is
 * not offered, or no longer, is shown all the same.
 */
export function ChooseMany(props: ChooseManyProps) {
  const { label, hint, error, value, onChange, options } = props
  const missing = value.filter((one) => options.every((option) => option.value !== one))
  const all = [...options, ...missing.map((one) => ({ value: one, label: `${one}, which is not offered` }))]
  if (all.length <= LISTED) return <CheckboxGroup {...props} options={all} />
  const find = async (text: string) => {
    const small = text.trim().toLowerCase()
    return options
      .filter((one) => !value.includes(one.value) && one.label.toLowerCase().includes(small))
      .slice(0, FOUND)
  }
  return (
    <div class="field">
      <Combobox
        label={label}
        hint={hint ?? 'Type a part of the name; the arrow key shows the first ones.'}
        error={error}
        find={find}
        keyOf={(one) => one.value}
        show={(one) => one.label}
        onChoose={(one) => onChange([...value, one.value])}
      />
      {value.length > 0 && (
        <ul class="chosen" aria-label={`Chosen: ${label}`}>
          {all
            .filter((one) => value.includes(one.value))
            .map((one) => (
              <li key={one.value} class="row">
                <span>{one.label}</span>
                <IconButton
                  icon={X}
                  size="small"
                  label={`Remove ${one.label}`}
                  onClick={() => onChange(value.filter((other) => other !== one.value))}
                />
              </li>
            ))}
        </ul>
      )}
    </div>
  )
}
