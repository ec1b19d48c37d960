import { NumberField, SelectField, Switch, TextArea, TextField } from '../../parts/field.tsx'
import { JsonField } from '../../parts/json-field.tsx'
import { Note } from '../../parts/surfaces.tsx'
import { More } from '../../parts/values.tsx'
import { ActionFields } from './action-fields.tsx'
import { ColorField } from './color-field.tsx'
import { type Block, isMixed, plainText, type Tag, withWords } from './document.ts'

interface BlockFieldsProps {
  block: Block
  /** `what` names the field, so that undo takes what is typed into it as one step. */
  change(block: Block, what: string): void
  tags: readonly Tag[]
  /** What is wrong by the dotted path within the block: `src`, `actions[0].data.url`. */
  errors: Readonly<Record<string, string>>
}

const ALIGNMENTS = [
  { value: '', label: 'As usual' },
  { value: 'start', label: 'Start' },
  { value: 'center', label: 'Centre' },
  { value: 'end', label: 'End' },
]

/** Everything about one block, as fields. */
export function BlockFields(props: BlockFieldsProps) {
  const { block, change, tags, errors } = props
  const set = (name: string, value: unknown) => change(without({ ...block, [name]: value }), name)
  const text = (name: string) => ({
    value: typeof block[name] === 'string' ? block[name] : '',
    onChange: (value: string) => set(name, value),
    error: errors[name],
  })
  const optional = (name: string) => ({
    ...text(name),
    onChange: (value: string) => set(name, value === '' ? undefined : value),
    isOptional: true,
  })
  const number = (name: string) => ({
    value: typeof block[name] === 'number' ? block[name] : null,
    onChange: (value: number | null) => set(name, value ?? undefined),
    error: errors[name],
    isOptional: true,
  })
  const isOn = (name: string) => ({
    value: block[name] === true,
    onChange: (on: boolean) => set(name, on || undefined),
  })
  if (block.type === 'image') {
    return (
      <>
        <TextField {...text('src')} label="Address of the picture" isMono hint="Begins with https://, or is a tag." />
        <TextField {...text('alt')} label="Description" hint="Read aloud to people who cannot see it." />
        <NumberField {...number('width')} label="Width" unit="%" min={1} max={100} />
        <NumberField {...number('radius')} label="Round corners" unit="px" min={0} max={64} />
      </>
    )
  }
  if (block.type === 'video') {
    return (
      <>
        <TextField {...text('src')} label="Address of the video" isMono hint="Begins with https://, or is a tag." />
        <TextField {...text('alt')} label="Description" hint="Read aloud to people who cannot see it." />
        <TextField {...optional('poster')} label="Address of the first picture" isMono />
        <TextField {...optional('captions')} label="Address of the captions" isMono />
        <Switch {...isOn('autoplay')} label="Plays by itself" />
        <Switch {...isOn('loop')} label="Begins again at its end" />
        <Switch {...isOn('muted')} label="Without sound" />
      </>
    )
  }
  return (
    <>
      <Words {...props} />
      {block.type === 'button' ? (
        <>
          <ButtonStyle {...props} />
          <ActionFields
            actions={Array.isArray(block['actions']) ? (block['actions'] as never[]) : []}
            onChange={(actions, what) => change({ ...block, actions }, `actions${what}`)}
            errors={errors}
          />
        </>
      ) : (
        <>
          <SelectField
            label="Alignment"
            value={typeof block['align'] === 'string' ? block['align'] : ''}
            onChange={(align) => set('align', align === '' ? undefined : align)}
            options={ALIGNMENTS}
          />
          <NumberField {...number('size')} label="Size" unit="px" min={8} max={72} />
          <ColorField label="Colour" value={block['color']} onChange={(color) => set('color', color)} tags={tags} />
        </>
      )}
    </>
  )
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

function ButtonStyle({ block, change, tags }: BlockFieldsProps) {
  const style = (block['style'] ?? {}) as Record<string, unknown>
  const set = (name: string, value: unknown) => {
    const next = without({ ...style, [name]: value })
    change(without({ ...block, style: Object.keys(next).length === 0 ? undefined : next }), `style.${name}`)
  }
  return (
    <More label="Looks" isOpen>
      <div class="stack">
        <SelectField
          label="Width"
          value={typeof style['size'] === 'string' ? style['size'] : ''}
          onChange={(size) => set('size', size === '' ? undefined : size)}
          options={[
            { value: '', label: 'As usual' },
            { value: 'small', label: 'Small' },
            { value: 'regular', label: 'Regular' },
            { value: 'wide', label: 'Wide' },
          ]}
        />
        <ColorField label="Background" value={style['bg']} onChange={(color) => set('bg', color)} tags={tags} />
        <ColorField label="Text colour" value={style['fg']} onChange={(color) => set('fg', color)} tags={tags} />
        <ColorField label="Border" value={style['border']} onChange={(color) => set('border', color)} tags={tags} />
      </div>
    </More>
  )
}

/** Without the members that are undefined, which JSON leaves out too. */
export function without<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as T
}
