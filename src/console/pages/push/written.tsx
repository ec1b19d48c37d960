import { currentApp } from '../../state/session.ts'
import { type Answers, useAnswers } from './answers.ts'
import type { Compose } from './draft.ts'
import type { Picking } from './personal/insert.tsx'
import { isPersonal, metaNames, whenMissingOf } from './personal/rows.ts'
import { Languages } from './personal/variants.tsx'
import { ChooseViewer, useViewing, type Viewing, viewersIn } from './personal/viewer.tsx'
import { Preview } from './preview.tsx'
import { What } from './what.tsx'

/** The content of a push while somebody writes it: the form, and answers of the server about it. */
interface Writing {
  appId: number
  form: Compose
  answers: Answers
  viewing: Viewing
  /** Languages that the push has. */
  tags: readonly string[]
}

export function useWriting(appId: number, form: Compose): Writing {
  const tags = Object.keys(form.values.value['content.languages'])
  const viewing = useViewing(tags)
  const answers = useAnswers(appId, form, viewing)
  return { appId, form, answers, viewing, tags }
}

interface WrittenProps {
  writing: Writing
  /** Leaves out the rules by which it is sent. */
  isOnlySaying?: boolean
}

/** The cards of what it says, in all its languages. */
export function Written({ writing: { appId, form, answers }, isOnlySaying = false }: WrittenProps) {
  const { covered } = answers
  const picking = pickingOf(appId, form)
  return (
    <>
      <What appId={appId} form={form} picking={picking} covered={covered} isOnlySaying={isOnlySaying} />
      <Languages
        form={form}
        picking={picking}
        coverage={covered.value.value?.personalization}
        recipients={covered.value.value?.recipients ?? 0}
      />
    </>
  )
}

/** Facts of the form that the pickers of values need. */
function pickingOf(appId: number, form: Compose): Picking {
  const draft = form.values.value
  return {
    appId,
    given: { meta: metaNames(draft.userMeta), lookups: draft.lookup },
    whenMissing: whenMissingOf(draft),
    personalize: () => form.set({ personalize: true }),
  }
}

/** The card of how it looks: for everybody, or as a person who can be chosen. */
export function Looks({ writing: { appId, form, answers, viewing, tags } }: { writing: Writing }) {
  const { estimate, viewer, rendered, drawn, problem } = answers
  const recipients = viewersIn(estimate.value.value ?? { sample: [] })
  return (
    <Preview
      payloads={drawn}
      app={currentApp.value?.name ?? 'App'}
      problem={problem}
      isLeftOut={rendered?.leftOut != null}
    >
      {isPersonal(form.values.value) && (
        <ChooseViewer
          appId={appId}
          viewing={viewing}
          recipients={recipients}
          viewer={viewer}
          tags={tags}
          rendered={rendered}
        />
      )}
    </Preview>
  )
}
