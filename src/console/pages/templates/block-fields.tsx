import { Fields } from '../../forms/fields.tsx'
import * as row from '../../forms/rows.ts'
import { boundTo, type Rows, type Values } from '../../forms/table.ts'
import { TextArea } from '../../parts/field.tsx'
import { JsonField } from '../../parts/json-field.tsx'
import { Note } from '../../parts/surfaces.tsx'
import { More } from '../../parts/values.tsx'
import { ActionFields } from './action-fields.tsx'
import { colorExtras } from './color-field.tsx'
import { type Block, isMixed, plainText, type Tag, withWords } from './document.ts'

interface BlockFieldsProps {
  block: Block
  /** `what` names the field, so that undo takes what is typed into it as one step. */
  change(block: Block, what: string): void
  tags: readonly Tag[]
  /** Errors by the dotted path within the block: `src`, `actions[0].data.url`. */
  errors: Readonly<Record<string, string>>
}

/** Text stays as it is while it is typed. */
const kept = { isAsTyped: true, empty: 'sent' } as const
const address = { isAsTyped: true, isMono: true } as const
const source = { ...kept, ...address, hint: 'Begins with https://, or is a tag.' } as const
const alt = row.text('alt', 'Description', { ...kept, hint: 'Read aloud to people who cannot see it.' })
const orUsual = (labels: Readonly<Record<string, string>>) =>
  ({ empty: 'absent', options: row.choices({ '': 'As usual', ...labels }) }) as const
const isOn = { empty: 'absent' } as const

const IMAGE = row.table<Values>()(
  row.text('src', 'Link to the picture', source),
  alt,
  row.number('width', 'Width', { unit: '%', min: 1, max: 100, isOptional: true }),
  row.number('radius', 'Round corners', { unit: 'px', min: 0, max: 64, isOptional: true }),
)
const VIDEO = row.table<Values>()(
  row.text('src', 'Link to the video', source),
  alt,
  row.text('poster', 'Link to the first picture', { ...address, isOptional: true }),
  row.text('captions', 'Link to the captions', { ...address, isOptional: true }),
  row.toggle('autoplay', 'Plays by itself', isOn),
  row.toggle('loop', 'Begins again at its end', isOn),
  row.toggle('muted', 'Without sound', isOn),
)
const WORDS = row.table<Values>()(
  row.select('align', 'Alignment', orUsual({ start: 'Start', center: 'Centre', end: 'End' })),
  row.number('size', 'Size', { unit: 'px', min: 8, max: 72, isOptional: true }),
  row.drawn('color', 'Colour'),
)
const BUTTON = row.table<Values>()(
  row.select('style.size', 'Width', orUsual({ small: 'Small', regular: 'Regular', wide: 'Wide' })),
  row.drawn('style.bg', 'Background'),
  row.drawn('style.fg', 'Text colour'),
  row.drawn('style.border', 'Border'),
)

/** Everything about one block, as fields. */
export function BlockFields(props: BlockFieldsProps) {
  const { block, change, errors } = props
  if (block.type === 'image') return <Some {...props} rows={IMAGE} />
  if (block.type === 'video') return <Some {...props} rows={VIDEO} />
  return (
    <>
      <Words {...props} />
      {block.type === 'button' ? (
        <>
          <More label="Looks" isOpen>
            <div class="stack">
              <Some {...props} rows={BUTTON} />
            </div>
          </More>
          <ActionFields
            actions={Array.isArray(block['actions']) ? (block['actions'] as never[]) : []}
            onChange={(actions, what) => change({ ...block, actions }, `actions${what}`)}
            errors={errors}
          />
        </>
      ) : (
        <Some {...props} rows={WORDS} />
      )}
    </>
  )
}

function Some({ block, change, tags, errors, rows }: BlockFieldsProps & { rows: Rows }) {
  const form = boundTo(rows, block, change, errors)
  return <Fields form={form} rows={rows} extras={colorExtras(rows, form, tags)} />
}

function Words({ block, change, errors }: BlockFieldsProps) {
  const label = block.type === 'button' ? 'Label' : 'Text'
  if (isMixed(block['text'])) {
    return (
      <>
        <Note title="This text has pieces that look different from one another.">
          <p>It is “{plainText(block['text'])}”. Change its pieces below.</p>
        </Note>
        <JsonField
          label="Pieces of the text"
          value={block['text']}
          onChange={(text) => change({ ...block, text }, 'text')}
          error={errors['text']}
        />
      </>
    )
  }
  return (
    <TextArea
      label={label}
      rows={block.type === 'text' ? 4 : 2}
      value={plainText(block['text'])}
      onChange={(words) => change({ ...block, text: withWords(block['text'], words) }, 'text')}
      error={errors['text']}
      hint="{{Title}} stands for the value of the tag Title."
    />
  )
}

/** A copy without the members that are undefined. */
export function without<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as T
}
