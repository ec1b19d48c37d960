import { useEffect, useRef } from 'preact/hooks'
import { type Answer, api } from '../../api/client.ts'
import { ApiError, messageOf } from '../../api/errors.ts'
import { type Loaded, useLoad } from '../../api/load.ts'
import { usePaused } from '../../parts/use-paused.ts'
import { targetOf } from '../push/audience.ts'
import { isPersonal } from '../push/personal/rows.ts'
import type { Told, Viewer, Viewing } from '../push/personal/viewer.tsx'
import type { Shown } from '../push/shown.ts'
import type { Doc, Template } from '../templates/document.ts'
import { type ComposeForm, isWritten, rulesOf, sayingSoFar } from './draft.ts'

const ESTIMATE = '/admin/v1/apps/{appId}/in-app-messages/estimate'
const PREVIEW = '/admin/v1/apps/{appId}/in-app-messages/preview'
export type Estimate = Answer<typeof ESTIMATE, 'post'>

/** A pause in typing after which the server is asked. */
const PAUSE_MS = 350
/** The same before a sample of the audience is rendered. */
const COVERAGE_PAUSE_MS = 900

/** Answers of the server about a message while it is written. */
export interface Answers {
  estimate: Loaded<Estimate>
  /** The estimate with a sample of what people get, where that differs between them. */
  covered: Loaded<Estimate>
  /** The people who are offered to look through the eyes of. */
  recipients: readonly Viewer[]
  /** The person as whom it is drawn; undefined where everybody gets the same. */
  viewer: Viewer | undefined
  /** The document for that person; null: they get nothing. Undefined while it is not known. */
  drawn: Doc | null | undefined
  told: Told | undefined
  /** The push that announces it, as that person gets it; undefined where there is none. */
  pushed: Shown | undefined
  /** Reason for which the message cannot be sent as it is. */
  problem: string | undefined
}

const post = (said: string) => JSON.parse(said) as never

/** Asks the server about what is written whenever it rests for a moment, and marks the fields that it complains of. */
export function useAnswers(
  appId: number,
  form: ComposeForm,
  template: Template | undefined,
  { chosen, language }: Viewing,
): Answers {
  const path = { appId }
  const draft = form.values.value
  const target = targetOf(draft)
  const goal = usePaused(target ? JSON.stringify({ target, ...rulesOf(draft) }) : '', PAUSE_MS)
  const estimate = useLoad(goal === '' ? null : (signal) => api.post(ESTIMATE, { path, body: post(goal), signal }), [
    appId,
    goal,
  ])
  const isVaried = isPersonal(draft)
  const words = isWritten(template?.tags, draft) ? sayingSoFar(draft) : undefined
  // It walks the audience and renders a sample: it waits until nobody writes any more.
  const whole = isVaried && target && words ? JSON.stringify({ ...words, target, ...rulesOf(draft) }) : ''
  const asked = usePaused(whole, COVERAGE_PAUSE_MS)
  const covered = useLoad(asked === '' ? null : (signal) => api.post(ESTIMATE, { path, body: post(asked), signal }), [
    appId,
    asked,
  ])
  const recipients = (estimate.value.value?.sample ?? []).map((name) => ({ name, query: { userId: name } }))
  const viewer = isVaried ? (chosen.value ?? recipients[0]) : undefined
  const query = { ...viewer?.query, ...(isVaried && language.value !== '' && { language: language.value }) }
  const said = usePaused(
    words ? JSON.stringify({ ...words, target: { broadcast: true }, presentedWhen: 'never' }) : '',
    PAUSE_MS,
  )
  const preview = useLoad(
    said === '' ? null : (signal) => api.post(PREVIEW, { path, query, body: post(said), signal }),
    [appId, said, JSON.stringify(query)],
  )
  useMarks(form, estimate)
  useMarks(form, preview)
  const shown = useLast(preview, said === '')
  const refused = preview.error.value
  return {
    estimate,
    covered,
    recipients,
    viewer,
    drawn: isVaried ? (shown?.content as Doc | null | undefined) : undefined,
    pushed: pushedOf(shown),
    told: isVaried && shown && viewer ? toldOf(shown) : undefined,
    problem: refused === undefined || isOfNobody(refused) ? undefined : problemOf(refused),
  }
}

type Preview = Answer<typeof PREVIEW, 'post'>

const pushedOf = (shown: Preview | undefined): Shown | undefined => {
  const push = shown?.notification
  return push
    ? { title: push.title, message: push.message, picture: push.pictureUrl ?? undefined, buttons: [] }
    : undefined
}

const toldOf = ({ content, tooLarge, missing, defaults, language }: Preview): Told => ({
  leftOut: content !== null ? null : tooLarge ? 'too_large' : 'missing_value',
  missing,
  defaults,
  language,
})

/** A sentence for an error; errors of fields stand beside them. */
const problemOf = (error: unknown): string =>
  error instanceof ApiError && error.status === 422 ? 'Mend what is marked beside its field.' : messageOf(error)

/** The person as whom it is shown is gone: that keeps nobody from sending it. */
const isOfNobody = (error: unknown): boolean => error instanceof ApiError && error.status === 404

/** The answer that was read last; none when nothing is written. */
function useLast<T>(loaded: Loaded<T>, isNone: boolean): T | undefined {
  const last = useRef<T | undefined>(undefined)
  if (loaded.value.value) last.current = loaded.value.value
  else if (isNone) last.current = undefined
  return last.current
}

/** Marks the fields that an answer complains of, while people write. */
function useMarks(form: ComposeForm, asked: Loaded<unknown>): void {
  const marked = useRef<string[]>([])
  const [error, value] = [asked.error.value, asked.value.value]
  useEffect(() => {
    form.forgive(marked.current)
    marked.current = error instanceof ApiError && error.status === 422 ? form.fail(error, { isQuiet: true }) : []
  }, [error, value])
}
