import { ChevronDown } from 'lucide'
import { Icon } from '../../parts/icon.tsx'

interface Option {
  value: string
  label: string
}

interface ChooseProps {
  /** Text for screen readers: a row has no room for labels. */
  label: string
  value: string
  options?: readonly Option[]
  groups?: readonly { label: string; options: readonly Option[] }[]
  onChange(value: string): void
}

/** A list of the browser in a row of other controls. */
export function Choose({ label, value, options = [], groups = [], onChange }: ChooseProps) {
  return (
    <span class="select">
      <select class="input" aria-label={label} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {options.map(drawn)}
        {groups
          .filter((group) => group.options.length > 0)
          .map((group) => (
            <optgroup key={group.label} label={group.label}>
              {group.options.map(drawn)}
            </optgroup>
          ))}
      </select>
      <Icon of={ChevronDown} size="small" />
    </span>
  )
}

const drawn = (one: Option) => (
  <option key={one.value} value={one.value}>
    {one.label}
  </option>
)
