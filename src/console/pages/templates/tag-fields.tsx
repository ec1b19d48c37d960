import { Plus, Trash2 } from 'lucide'
import { Fields } from '../../forms/fields.tsx'
import * as row from '../../forms/rows.ts'
import { boundTo } from '../../forms/table.ts'
import { Button, IconButton } from '../../parts/button.tsx'
import { TextField } from '../../parts/field.tsx'
import { Note } from '../../parts/surfaces.tsx'
import { without } from './block-fields.tsx'
import { type Draft, type Tag, textOf, unknownTags } from './document.ts'

const TAG = row.table<Tag>()(
  row.text('title', 'Name', { isAsTyped: true, empty: 'sent' }),
  row.select('type', 'Type', {
    options: row.choices({ text: 'Text', number: 'Number', url: 'Link', image: 'Picture', color: 'Colour' }),
  }),
  row.text('default', 'Default', {
    isAsTyped: true,
    isOptional: true,
    from: (usual) => (usual === undefined ? '' : textOf(usual)),
  }),
  row.tick('required', 'Each message must fill it in', { hint: 'Unless it has a default.' }),
)

interface TagFieldsProps {
  draft: Draft
  change(draft: Draft, what: string): void
  errors: Readonly<Record<string, string>>
  isReadOnly: boolean
}

/** The tags of the template with a sample value for each, which the frame shows and no message sends. */
export function TagFields({ draft, change, errors, isReadOnly }: TagFieldsProps) {
  const { tags, sample } = draft
  const set = (index: number, tag: Tag, what: string) =>
    change({ ...draft, tags: tags.map((one, i) => (i === index ? without(tag) : one)) }, `tag ${index} ${what}`)
  const add = (title: string) => change({ ...draft, tags: [...tags, { title, type: 'text', required: true }] }, '')
  return (
    <div class="stack">
      {unknownTags(draft).map((title) => (
        <Note
          key={title}
          tone="warn"
          title={`The blocks name the tag ${title}, which is not there.`}
          actions={
            !isReadOnly && (
              <Button size="small" onClick={() => add(title)}>
                Add the tag {title}
              </Button>
            )
          }
        />
      ))}
      {tags.length === 0 && <p class="quiet">No tags: every message of this template says the same.</p>}
      {tags.map((tag, i) => (
        <fieldset key={i} class="field stack tight" disabled={isReadOnly}>
          <legend class="choices-legend">{tag.title === '' ? 'New tag' : tag.title}</legend>
          <TextField
            label={`Sample of ${tag.title}`}
            value={textOf(sample[tag.title])}
            onChange={(value) =>
              change(
                { ...draft, sample: without({ ...sample, [tag.title]: value === '' ? undefined : value }) },
                `sample ${i}`,
              )
            }
            error={errors[`sample.${tag.title}`]}
            placeholder={tag.default === undefined ? '' : String(tag.default)}
          />
          <details class="more">
            <summary>More about {tag.title}</summary>
            <div class="stack tight">
              <Fields
                form={boundTo(TAG, tag, (next, place) => set(i, next, place), {
                  title: errors[`tags[${i}].title`],
                  default: errors[`tags[${i}].default`],
                })}
                rows={TAG}
                extras={{
                  title: { label: `Name of tag ${i + 1}` },
                  type: { label: `Type of tag ${i + 1}` },
                  default: { label: `Default of tag ${i + 1}` },
                }}
              />
              <IconButton
                icon={Trash2}
                label={`Remove the tag ${tag.title}`}
                onClick={() => change({ ...draft, tags: tags.filter((_, at) => at !== i) }, '')}
              />
            </div>
          </details>
        </fieldset>
      ))}
      {!isReadOnly && tags.length < 50 && (
        <Button icon={Plus} size="small" onClick={() => add(`Tag ${tags.length + 1}`)}>
          Add a tag
        </Button>
      )}
    </div>
  )
}
