import { useId } from 'preact/hooks'
import type { Extra } from '../../forms/fields.tsx'
import { type Bound, fieldsOf, type Rows } from '../../forms/table.ts'
import { Checkbox, SelectField } from '../../parts/field.tsx'
import { sideOf } from './colors.ts'
import type { Tag } from './document.ts'

interface ColorFieldProps {
  label: string
  /** A colour, a pair for light and dark, or none. */
  value: unknown
  onChange(value: unknown): void
  /** Tags of type colour can stand for one. */
  tags: readonly Tag[]
}

const START = { light: '#0b6157', dark: '#4cc9b3' }

/** A colour for light and one for dark mode, each by picker, as text, or as a tag. */
function ColorField({ label, value, onChange, tags }: ColorFieldProps) {
  const has = value !== undefined
  const set = (look: 'light' | 'dark', color: string) => {
    const other = look === 'light' ? 'dark' : 'light'
    onChange({ [look]: color, [other]: sideOf(value, other) ?? color })
  }
  return (
    <fieldset class="field">
      <legend class="choices-legend">{label}</legend>
      <Checkbox
        label={`Choose the ${label.toLowerCase()}`}
        value={has}
        onChange={(isOn) => onChange(isOn ? START : undefined)}
      />
      {has && (
        <div class="color-pair">
          {(['light', 'dark'] as const).map((look) => (
            <OneColor
              key={look}
              label={`${label}, ${look}`}
              short={look === 'light' ? 'Light mode' : 'Dark mode'}
              value={sideOf(value, look) ?? ''}
              onChange={(color) => set(look, color)}
              tags={tags}
            />
          ))}
        </div>
      )}
    </fieldset>
  )
}

interface OneProps {
  label: string
  short: string
  value: string
  onChange(value: string): void
  tags: readonly Tag[]
}

function OneColor({ label, short, value, onChange, tags }: OneProps) {
  const id = useId()
  const titles = tags.filter(({ type }) => type === 'color').map(({ title }) => title)
  const tag = titles.find((title) => value.replaceAll(/\s/g, '') === `{{${title}}}`)
  return (
    <div class="stack tight">
      {titles.length > 0 && (
        <SelectField
          label={`${label}: from`}
          value={tag ?? ''}
          onChange={(title) => onChange(title === '' ? START.light : `{{${title}}}`)}
          options={[
            { value: '', label: 'This colour' },
            ...titles.map((title) => ({ value: title, label: `Tag ${title}` })),
          ]}
        />
      )}
      {tag === undefined && (
        <div class="field">
          <div class="field-label">
            <label for={id}>{short}</label>
          </div>
          <div class="color-row">
            <input
              type="color"
              aria-label={`Pick: ${label}`}
              value={/^#[\da-f]{6}/i.test(value) ? value.slice(0, 7) : '#000000'}
              onInput={(event) => onChange(event.currentTarget.value)}
            />
            <input
              id={id}
              aria-label={label}
              class="input mono"
              type="text"
              value={value}
              spellcheck={false}
              onInput={(event) => onChange(event.currentTarget.value)}
            />
          </div>
        </div>
      )}
    </div>
  )
}

/** The colours among the rows, which draw themselves with the tags that can stand for one. */
export function colorExtras(rows: Rows, form: Bound<object>, tags: readonly Tag[]): Record<string, Extra> {
  const { field } = form as Bound<Record<string, unknown>>
  const drawn = fieldsOf(rows).filter(({ kind }) => kind === 'own')
  return Object.fromEntries(
    drawn.map(({ at, label }) => [at, () => <ColorField label={label} {...field(at)} tags={tags} />]),
  )
}
