import { api } from '../../api/client.ts'
import { useLoad } from '../../api/load.ts'
import { TextField } from '../../parts/field.tsx'
import { usePaused } from '../../parts/use-paused.ts'
import { Meter } from '../../parts/values.tsx'
import { type Coverage, languageCounts } from '../push/personal/coverage-words.ts'
import { type Picking, withValues } from '../push/personal/insert.tsx'
import { nameOfLanguage } from '../push/personal/languages.ts'
import { errorAt } from '../push/personal/rows.ts'
import { readable } from '../push/personal/template.ts'
import { LanguagesCard, VariantFrame } from '../push/personal/variants.tsx'
import { type Template, textOf } from '../templates/document.ts'
import { PushPart } from './announcement/card.tsx'
import {
  type ComposeForm,
  emptyLanguage,
  inboxPlaceOf,
  isWritten,
  languagesOf,
  placeOf,
  sayingSoFar,
  type Texts,
} from './draft.ts'
import { isLongTag, TagField } from './tag-field.tsx'

interface LanguagesProps {
  form: ComposeForm
  /** Undefined while it is not read. */
  template: Template | undefined
  picking: Picking
  coverage: Coverage | undefined
  recipients: number
}

/** The content in other languages, side by side. */
export function Languages({ form, template, picking, coverage, recipients }: LanguagesProps) {
  const { value: languages, error } = form.field('languages')
  if (template === undefined) return null
  const counts = languageCounts(coverage, recipients, 'person')
  return (
    <LanguagesCard
      tags={languagesOf(form.values.value)}
      counts={counts}
      error={error}
      other="What is written above"
      part={(tag) => (
        <VariantPart
          key={tag}
          language={tag}
          form={form}
          template={template}
          picking={picking}
          count={counts.get(tag)}
        />
      )}
      add={(tag) => form.set({ languages: { ...languages, [tag]: {} } })}
    />
  )
}

interface VariantProps {
  language: string
  form: ComposeForm
  template: Template
  picking: Picking
  count: string | undefined
}

const without = <T,>(all: Readonly<Record<string, T>>, name: string): Record<string, T> =>
  Object.fromEntries(Object.entries(all).filter(([other]) => other !== name))

/** The values of the tags in one language. What is left empty is taken from the default. */
function VariantPart({ language, form, template: { tags, sample }, picking, count }: VariantProps) {
  const draft = form.values.value
  const { languages, inboxLanguages, values } = draft
  const own: Texts = languages[language] ?? {}
  const inLanguage = nameOfLanguage(language)
  const remove = () =>
    form.set({
      languages: without(languages, language),
      inboxLanguages: without(inboxLanguages, language),
      'notification.languages': without(draft['notification.languages'], language),
    })
  const hint = emptyLanguage(draft, language)
  return (
    <VariantFrame
      tag={language}
      count={count}
      error={['languages', 'inbox.languages', 'notification.languages']
        .map((block) => errorAt(form, `${block}.${language}`))
        .find((error) => error !== undefined)}
      remove={remove}
    >
      {tags.map((tag) => (
        <TagField
          key={tag.title}
          tag={tag}
          name={`${tag.title} in ${inLanguage}`}
          value={own[tag.title] ?? ''}
          usual={readable((values[tag.title] ?? '') || textOf(tag.default))}
          isLong={isLongTag(tag, sample)}
          error={errorAt(form, placeOf(tag.title, language))}
          picking={picking}
          onChange={(text) => {
            form.set({ languages: { ...languages, [language]: { ...own, [tag.title]: text } } })
            form.forgive([placeOf(tag.title, language), `languages.${language}`])
          }}
        />
      ))}
      {draft.inboxTitle !== '' && <EntryPart language={language} form={form} picking={picking} />}
      <PushPart language={language} form={form} picking={picking} />
      <Size language={language} form={form} tags={tags} picking={picking} />
      {hint !== undefined && <p class="field-hint">{hint}</p>}
    </VariantFrame>
  )
}

const PAUSE_MS = 600
const PREVIEW = '/admin/v1/apps/{appId}/in-app-messages/preview'
const PARTS = { document: 'Whole message', texts: 'Texts kept for each person' } as const

interface SizeProps extends Pick<VariantProps, 'language' | 'form' | 'picking'> {
  tags: Template['tags']
}

/** The size of the message in one language: of its part that is nearest to its limit. */
function Size({ language, form, tags, picking: { appId } }: SizeProps) {
  const draft = form.values.value
  const body = { ...sayingSoFar(draft), target: { broadcast: true }, presentedWhen: 'never' }
  const said = usePaused(isWritten(tags, draft) ? JSON.stringify(body) : '', PAUSE_MS)
  const answer = useLoad(
    said === ''
      ? null
      : (signal) =>
          api.post(PREVIEW, { path: { appId }, query: { language }, body: JSON.parse(said) as never, signal }),
    [appId, said],
  )
  const size = answer.value.value?.size
  // It takes its room from the beginning.
  return (
    <div class="push-variant-size">
      {size && (
        <Meter
          label={PARTS[size.part]}
          value={size.bytes}
          max={size.limit}
          text={`${size.bytes.toLocaleString()} of ${size.limit.toLocaleString()} bytes`}
        />
      )}
    </div>
  )
}

/** The texts of the inbox entry in one language. */
function EntryPart({ language, form, picking }: Pick<VariantProps, 'language' | 'form' | 'picking'>) {
  const { inboxLanguages, inboxTitle, inboxSubtitle } = form.values.value
  const own: Texts = inboxLanguages[language] ?? {}
  const fields = [
    ['title', 'Title in the inbox', inboxTitle],
    ['subtitle', 'Line below it', inboxSubtitle],
  ] as const
  return fields.map(([field, label, usual]) => {
    const place = inboxPlaceOf(field, language)
    const value = own[field] ?? ''
    const change = (text: string) => {
      form.set({ inboxLanguages: { ...inboxLanguages, [language]: { ...own, [field]: text } } })
      form.forgive([place])
    }
    const name = `${label.toLowerCase()} in ${nameOfLanguage(language)}`
    return (
      <TextField
        key={field}
        label={label}
        value={value}
        placeholder={readable(usual)}
        error={errorAt(form, place)}
        onChange={change}
        {...withValues(picking, { value, label: name, change })}
      />
    )
  })
}
