import { useRef } from 'preact/hooks'
import { type Loaded, useGet } from '../../api/load.ts'
import { type Picking } from '../push/personal/insert.tsx'
import { whenMissingOf } from '../push/personal/rows.ts'
import { useViewing, type Viewing } from '../push/personal/viewer.tsx'
import type { Tag, Template } from '../templates/document.ts'
import { AnnouncementCard } from './announcement/card.tsx'
import { type Answers, useAnswers } from './answers.ts'
import { type ComposeForm, type Draft, languagesOf, missingTexts, placesOf } from './draft.ts'
import { Languages } from './variants.tsx'
import { What } from './what.tsx'

/** The content of a message while somebody writes it: the form, its template, and answers of the server about it. */
export interface Writing {
  appId: number
  form: ComposeForm
  template: Loaded<Template>
  answers: Answers
  viewing: Viewing
  /** Languages that the message has. */
  tags: readonly string[]
}

/** Options of the form that depend on the tags of the template, which is read later. */
export function useTagOptions() {
  const tags = useRef<readonly Tag[]>([])
  return {
    tags,
    options: {
      names: (draft: Draft) => placesOf(tags.current, draft),
      check: (draft: Draft) => missingTexts(tags.current, draft),
    },
  }
}

export function useWriting(appId: number, form: ComposeForm, known: { current: readonly Tag[] }): Writing {
  const { template: uid } = form.values.value
  const tags = languagesOf(form.values.value)
  const template = useGet('/admin/v1/apps/{appId}/templates/{uid}', uid === '' ? null : { path: { appId, uid } })
  const found = uid === '' ? undefined : template.value.value
  known.current = found?.tags ?? []
  const viewing = useViewing(tags)
  const answers = useAnswers(appId, form, found, viewing)
  return { appId, form, template, answers, viewing, tags }
}

/** The cards of what it says, in all its languages. */
export function Written({ writing: { appId, form, template, answers } }: { writing: Writing }) {
  const { covered } = answers
  const draft = form.values.value
  const picking: Picking = {
    appId,
    given: { meta: undefined, lookups: draft.lookup },
    whenMissing: whenMissingOf(draft),
    personalize: () => form.set({ personalize: true }),
  }
  return (
    <>
      <What appId={appId} form={form} template={template} picking={picking} covered={covered} />
      {draft.template !== '' && <AnnouncementCard appId={appId} form={form} picking={picking} />}
      {draft.template !== '' && (
        <Languages
          form={form}
          template={template.value.value}
          picking={picking}
          coverage={covered.value.value?.personalization}
          recipients={covered.value.value?.recipients ?? 0}
        />
      )}
    </>
  )
}
