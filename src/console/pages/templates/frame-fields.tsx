import { Fields } from '../../forms/fields.tsx'
import * as row from '../../forms/rows.ts'
import { boundTo, type Values } from '../../forms/table.ts'
import { colorExtras } from './color-field.tsx'
import type { Doc, Layer, Tag } from './document.ts'

interface FrameFieldsProps {
  doc: Doc
  change(doc: Doc, what: string): void
  tags: readonly Tag[]
  errors: Readonly<Record<string, string>>
}

const orUsual = (labels: Readonly<Record<string, string>>) =>
  ({ empty: 'absent', options: row.choices({ '': 'As usual', ...labels }) }) as const
/** The color of a background that is one color, or none. */
const groundOf = (layers: readonly Layer[]): Layer | undefined =>
  layers[0]?.type === 'color' && layers.length === 1 ? layers[0] : undefined
const isPlain = ({ layers }: Values) => (layers as Layer[]).length === 0 || groundOf(layers as Layer[]) !== undefined

const FRAME = row.table<Values>()(
  row.select('frame.type', 'Shape', {
    options: row.choices({ fullscreen: 'Whole screen', inset: 'Card at an edge', alert: 'Box in the middle' }),
  }),
  row.select(
    'frame.stackingGravity',
    'Place of the blocks',
    orUsual({ centered: 'Middle', 'top-down': 'Top', 'bottom-up': 'Bottom' }),
  ),
  row.select(
    'frame.closeButton',
    'Close button',
    orUsual({ 'top-right': 'At the end', 'top-left': 'At the start', none: 'None' }),
  ),
  row.select('frame.animation', 'Animation', orUsual({ fade: 'Fade', slide: 'Slide', none: 'None' })),
  row.drawn('ground', 'Background', {
    path: 'frame.backgroundLayers',
    when: isPlain,
    from: (layers) => groundOf((layers ?? []) as Layer[])?.['color'],
    to: (color) => (color === undefined ? undefined : [{ type: 'color', color }]),
  }),
  row.drawn('defaults.fontColor', 'Text colour'),
  row.number('defaults.font.size', 'Text size', { unit: 'px', min: 10, max: 40, isOptional: true }),
  row.select('defaults.dir', 'Direction of the text', {
    first: 'auto',
    options: row.choices({ auto: 'By its language', ltr: 'Left to right', rtl: 'Right to left' }),
  }),
  row.where(
    (values) => !isPlain(values),
    row.more('Background layers', [
      row.json('layers', 'Layers', {
        path: 'frame.backgroundLayers',
        hint: 'The bottom one first: colours, gradients, pictures, videos.',
        first: [],
      }),
    ]),
  ),
)

/** Fields of the frame: its shape, its background, and the default look of text. */
export function FrameFields({ doc, change, tags, errors }: FrameFieldsProps) {
  const form = boundTo(FRAME, doc, change, errors)
  return <Fields form={form} rows={FRAME} extras={colorExtras(FRAME, form, tags)} />
}
