import { NumberField, SelectField } from '../../parts/field.tsx'
import { JsonField } from '../../parts/json-field.tsx'
import { More } from '../../parts/values.tsx'
import { without } from './block-fields.tsx'
import { ColorField } from './color-field.tsx'
import type { Doc, Tag } from './document.ts'

const CHOICES = {
  type: {
    label: 'Shape',
    values: { fullscreen: 'Whole screen', inset: 'Card at an edge', alert: 'Box in the middle' },
  },
  stackingGravity: {
    label: 'Place of the blocks',
    values: { '': 'As usual', centered: 'Middle', 'top-down': 'Top', 'bottom-up': 'Bottom' },
  },
  closeButton: {
    label: 'Close button',
    values: { '': 'As usual', 'top-right': 'At the end', 'top-left': 'At the start', none: 'None' },
  },
  animation: { label: 'Animation', values: { '': 'As usual', fade: 'Fade', slide: 'Slide', none: 'None' } },
} as const

interface FrameFieldsProps {
  doc: Doc
  change(doc: Doc, what: string): void
  tags: readonly Tag[]
  errors: Readonly<Record<string, string>>
}

/** What is around the blocks: the shape, the background, and how text looks that says nothing else. */
export function FrameFields({ doc, change, tags, errors }: FrameFieldsProps) {
  const frame = doc.frame as Doc['frame'] & Record<string, unknown>
  const layers = frame.backgroundLayers ?? []
  const setFrame = (name: string, value: unknown) =>
    change({ ...doc, frame: without({ ...frame, [name]: value }) }, name)
  const defaults = (doc.defaults ?? {}) as Record<string, unknown>
  const font = (defaults['font'] ?? {}) as Record<string, unknown>
  const setDefaults = (name: string, value: unknown) =>
    change({ ...doc, defaults: without({ ...defaults, [name]: value }) }, name)
  const ground = layers[0]?.type === 'color' && layers.length === 1 ? layers[0] : undefined
  return (
    <>
      {Object.entries(CHOICES).map(([name, { label, values }]) => (
        <SelectField
          key={name}
          label={label}
          value={typeof frame[name] === 'string' ? frame[name] : ''}
          onChange={(value) => setFrame(name, value === '' ? undefined : value)}
          options={Object.entries(values).map(([value, words]) => ({ value, label: words as string }))}
          error={errors[`frame.${name}`]}
        />
      ))}
      {(ground || layers.length === 0) && (
        <ColorField
          label="Background"
          value={ground?.['color']}
          onChange={(color) =>
            setFrame('backgroundLayers', color === undefined ? undefined : [{ type: 'color', color }])
          }
          tags={tags}
        />
      )}
      <ColorField
        label="Text colour"
        value={defaults['fontColor']}
        onChange={(color) => setDefaults('fontColor', color)}
        tags={tags}
      />
      <NumberField
        label="Text size"
        unit="px"
        min={10}
        max={40}
        isOptional
        value={typeof font['size'] === 'number' ? font['size'] : null}
        onChange={(size) => setDefaults('font', without({ ...font, size: size ?? undefined }))}
      />
      <SelectField
        label="Direction of the text"
        value={typeof defaults['dir'] === 'string' ? defaults['dir'] : 'auto'}
        onChange={(dir) => setDefaults('dir', dir)}
        options={[
          { value: 'auto', label: 'By its language' },
          { value: 'ltr', label: 'Left to right' },
          { value: 'rtl', label: 'Right to left' },
        ]}
      />
      {!ground && layers.length > 0 && (
        <More label="Background layers" isOpen>
          <JsonField
            label="Layers"
            hint="The bottom one first: colours, gradients, pictures, videos."
            value={layers}
            onChange={(next) => setFrame('backgroundLayers', next)}
          />
        </More>
      )}
    </>
  )
}
