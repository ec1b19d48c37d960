import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { api } from '../../../api/client.ts'
import { Combobox } from '../../../parts/combobox.tsx'
import { SelectField } from '../../../parts/field.tsx'
import { nameOfLanguage } from './languages.ts'
import { inWords, pickedOf } from './template.ts'
import type { Estimate, Rendered } from './types.ts'

/** The person as whom it is shown. */
export interface Viewer {
  /** The identifier, or the install id of one without a user. */
  name: string
  query: { userId: string } | { installId: string }
}

/** The person and the language for which it is shown. */
export interface Viewing {
  /** The person who was chosen. */
  chosen: Signal<Viewer | undefined>
  /** A tag; empty for the person's own language. */
  language: Signal<string>
}

export function useViewing(tags: readonly string[]): Viewing {
  const chosen = useSignal<Viewer | undefined>(undefined)
  const language = useSignal('')
  const isGone = language.value !== '' && !tags.includes(language.value)
  useEffect(() => {
    if (isGone) language.value = ''
  }, [isGone])
  return { chosen, language }
}

const viewerOf = (userId: string | null | undefined, installId: string | undefined): Viewer[] =>
  userId != null
    ? [{ name: userId, query: { userId } }]
    : installId !== undefined
      ? [{ name: installId, query: { installId } }]
      : []

/** The recipients that an estimate names, each user once. */
export const viewersIn = ({ sample }: Pick<Estimate, 'sample'>): Viewer[] => [
  ...new Map(
    sample.flatMap(({ userId, installId }) => viewerOf(userId, installId)).map((one) => [one.name, one]),
  ).values(),
]

/** The result for the person, as far as it is told in words. */
export type Told = Pick<Rendered, 'leftOut' | 'missing' | 'defaults' | 'language'>

interface ChooseProps {
  appId: number
  viewing: Viewing
  /** Recipients, who are offered before somebody types. */
  recipients: readonly Viewer[]
  viewer: Viewer | undefined
  tags: readonly string[]
  rendered: Told | undefined
}

/** Chooses the person as whom it is shown, and says what that person gets. */
export function ChooseViewer({ appId, viewing, recipients, viewer, tags, rendered }: ChooseProps) {
  const find = async (text: string, signal: AbortSignal): Promise<readonly Viewer[]> => {
    if (text.trim() === '') return recipients
    const path = { appId }
    const { items } = await api.get('/admin/v1/apps/{appId}/profiles/suggestions', { path, query: { q: text }, signal })
    return items.flatMap(({ identifier, installId }) => viewerOf(identifier, installId))
  }
  return (
    <div class="stack tight">
      <Combobox
        label="Shown to"
        placeholder={viewer?.name ?? 'Find a person'}
        {...(rendered && viewer && { hint: <Fate rendered={rendered} name={viewer.name} /> })}
        find={find}
        keyOf={({ name }) => name}
        show={({ name }) => name}
        onChoose={(one) => (viewing.chosen.value = one)}
      />
      {tags.length > 0 && (
        <SelectField
          label="Language"
          value={viewing.language.value}
          onChange={(tag) => (viewing.language.value = tag)}
          options={[
            { value: '', label: 'Their own' },
            ...tags.map((tag) => ({ value: tag, label: nameOfLanguage(tag) })),
          ]}
        />
      )}
    </div>
  )
}

const named = (expression: string): string => (pickedOf(expression) ? `the ${inWords(expression)}` : expression)

/** The result for the person in a sentence. */
function Fate({ rendered, name }: { rendered: Told; name: string }) {
  const { leftOut, missing, defaults, language } = rendered
  const lacks = missing.map(named).join(' and ')
  if (leftOut === 'too_large') return <>{name} gets nothing: it is too large.</>
  if (leftOut !== null)
    return (
      <>
        {lacks === ''
          ? `${name} gets nothing: what there is to read is empty.`
          : `${name} gets nothing: ${lacks} is missing.`}
      </>
    )
  const instead = defaults.map(({ expression, text }) => `“${text}” stands for ${named(expression)}`)
  return (
    <>
      As {name} gets it
      {language === null ? '' : `, in ${language === 'default' ? 'the default language' : nameOfLanguage(language)}`}
      {instead.length === 0 ? '.' : `: ${instead.join(', ')}.`}
    </>
  )
}
