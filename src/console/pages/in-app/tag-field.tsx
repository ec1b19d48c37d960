import { ColorField } from '../../forms/color-field.tsx'
import { type FieldProps, TextArea, TextField } from '../../parts/field.tsx'
import { type Picking, withValues } from '../push/personal/insert.tsx'
import { looksLikeTemplate } from '../push/personal/template.ts'
import { type Tag, textOf } from '../templates/document.ts'
import { MessageFrame } from '../templates/frame.tsx'

interface TagFieldProps extends Pick<FieldProps<string>, 'value' | 'onChange' | 'error' | 'isOptional'> {
  tag: Pick<Tag, 'title' | 'type'>
  /** Name of its text for people who insert a value: "Title in German". */
  name: string
  /** The text that stands while the field is empty. */
  usual: string
  /** Its sample is long: it gets several lines. */
  isLong: boolean
  picking: Picking
}

/** Length of a sample from which a text gets a field of several lines. */
const LONG = 40
/** Tells whether texts of a tag are long, by its sample and its default. */
export const isLongTag = ({ title, default: usual }: Tag, sample: Readonly<Record<string, unknown>>): boolean =>
  Math.max(textOf(sample[title]).length, textOf(usual).length) > LONG

/** The field of a tag: a colour, a picture with its preview, an address, a number or a text. */
export function TagField({ tag: { title, type }, name, usual, isLong, picking, ...field }: TagFieldProps) {
  const { value, onChange } = field
  const same = { ...field, label: title }
  if (type === 'color') return <ColorField {...same} {...(usual !== '' && { hint: `Without one: ${usual}` })} />
  const isAddress = type === 'url' || type === 'image'
  const text = { value, label: name, change: (to: string) => onChange(to), isAddress }
  const filled = { ...same, placeholder: usual, ...withValues(picking, text) }
  if (type === 'image')
    return (
      <div class="tag-picture">
        <TextField {...filled} type="url" placeholder={usual === '' ? 'https://' : usual} />
        <Picture src={value === '' ? usual : value} title={title} />
      </div>
    )
  if (type === 'url') return <TextField {...filled} type="url" placeholder={usual === '' ? 'https://' : usual} />
  if (type === 'number') return <TextField {...filled} inputMode="decimal" />
  return isLong ? <TextArea {...filled} rows={2} /> : <TextField {...filled} />
}

const SCREEN = { width: 240, height: 135, top: 0, bottom: 0 }

/** A picture of another server, drawn by the page of messages, which may load it. */
function Picture({ src, title }: { src: string; title: string }) {
  if (looksLikeTemplate(src) || !/^https?:\/\/[^/]/.test(src)) return null
  return (
    <MessageFrame
      label={`Preview of ${title}`}
      content={{ ver: 1, frame: { type: 'fullscreen', closeButton: 'none', nodes: [{ type: 'image', src, alt: '' }] } }}
      screen={SCREEN}
      width={120}
    />
  )
}
