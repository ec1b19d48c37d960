import { useEffect, useRef } from 'preact/hooks'
import { type Answer, api } from '../../api/client.ts'
import { ApiError } from '../../api/errors.ts'
import { type Loaded, useGet, useLoad } from '../../api/load.ts'
import { PLATFORMS } from '../../parts/platforms.ts'
import { usePaused } from '../../parts/use-paused.ts'
import { type Compose, type Estimate, rulesOf, sayingSoFar, targetOf, timeOf } from './draft.ts'
import { isPersonal } from './personal/rows.ts'
import type { Rendered } from './personal/types.ts'
import { type Viewer, type Viewing, viewersIn } from './personal/viewer.tsx'
import type { Payload } from './shown.ts'
import { wrongOf } from './words.ts'

/** A pause in typing after which the server is asked. */
const PAUSE_MS = 350
/** The same before a sample of the audience is rendered. */
const COVERAGE_PAUSE_MS = 900
/** A push that says as little as possible, to learn which gateways the app has. */
const PROBE = { content: { title: '-', message: '-' } }
const PAYLOADS = '/admin/v1/apps/{appId}/notifications/payloads'
const ESTIMATE = '/admin/v1/apps/{appId}/notifications/estimate'

/** Answers of the server about a push while it is written. */
export interface Answers {
  estimate: Loaded<Estimate>
  /** The estimate with a sample of what people get, where that differs between them. */
  covered: Loaded<Estimate>
  /** Requests that would be sent: the last answer stays while the next one comes. */
  drawn: readonly Payload[]
  /** The person as whom they are drawn; undefined where everybody gets the same. */
  viewer: Viewer | undefined
  /** The push as that person gets it. */
  rendered: Rendered | undefined
  /** Reason for which the push cannot be sent as it is. */
  problem: string | undefined
  isWithoutGateway: boolean
  /** True when a second person has to approve the push. */
  isAsked: boolean
}

/** The body of a call from its text. */
const post = (said: string) => JSON.parse(said) as never

/** Asks the server about what is written whenever it rests for a moment, and marks the fields that it complains of. */
export function useAnswers(appId: number, form: Compose, { chosen, language }: Viewing): Answers {
  const path = { appId }
  const draft = form.values.value
  const [target, time] = [targetOf(draft), timeOf(draft)]
  const aim = target && time ? JSON.stringify({ target, ...time, ...rulesOf(draft) }) : ''
  const goal = usePaused(aim, PAUSE_MS)
  const estimate = useLoad(goal === '' ? null : (signal) => api.post(ESTIMATE, { path, body: post(goal), signal }), [
    appId,
    goal,
  ])
  const { 'content.title': title, 'content.message': message, runBackgroundHandler: isSilent } = draft
  const isWritten = isSilent || (title.trim() !== '' && message.trim() !== '')
  const words = isWritten ? JSON.stringify(sayingSoFar(draft)) : ''
  const said = usePaused(words, PAUSE_MS)
  const isVaried = isPersonal(draft)
  // It walks the audience and renders a sample: it waits until nobody writes any more.
  const whole =
    isVaried && aim !== '' && words !== '' ? JSON.stringify({ ...JSON.parse(words), ...JSON.parse(aim) }) : ''
  const asked = usePaused(whole, COVERAGE_PAUSE_MS)
  const covered = useLoad(asked === '' ? null : (signal) => api.post(ESTIMATE, { path, body: post(asked), signal }), [
    appId,
    asked,
  ])
  const viewer = isVaried ? (chosen.value ?? viewersIn(estimate.value.value ?? { sample: [] })[0]) : undefined
  const query = { ...viewer?.query, ...(isVaried && language.value !== '' && { language: language.value }) }
  const payloads = useLoad(
    said === '' ? null : (signal) => api.post(PAYLOADS, { path, query, body: post(said), signal }),
    [appId, said, JSON.stringify(query)],
  )
  useMarks(form, estimate)
  useMarks(form, payloads)
  const last = useLast(payloads, said === '')
  const gateways = useLoad((signal) => api.post(PAYLOADS, { path, body: PROBE, signal }), [appId])
  const second = useGet('/admin/v1/apps/{appId}/second-person', { path })
  const refused = payloads.error.value
  const rendered = isVaried ? last?.rendered : undefined
  // Template texts have a size of their own only for a person; the server refuses what is too large for everybody.
  const tooLong = draft.personalize ? undefined : tooLongFor(last?.items ?? [])
  return {
    estimate,
    covered,
    drawn: drawnOf(last, rendered),
    viewer,
    rendered,
    problem: tooLong ?? (refused === undefined || isOfNobody(refused) ? undefined : wrongOf(refused)),
    isWithoutGateway: gateways.value.value?.items.every(({ configured }) => !configured) ?? false,
    isAsked: second.value.value?.required ?? false,
  }
}

/** The person as whom it is shown is gone: that keeps nobody from sending it. */
const isOfNobody = (error: unknown): boolean => error instanceof ApiError && error.status === 404

type Drawn = Answer<typeof PAYLOADS, 'post'>

/** The requests for the person, or those that everybody gets. */
function drawnOf(last: Drawn | undefined, rendered: Rendered | undefined): readonly Payload[] {
  const items = last?.items ?? []
  if (rendered === undefined) return items
  const isConfigured = (name: string) => items.some(({ platform, configured }) => platform === name && configured)
  return rendered.gateways.map((one) => ({ ...one, configured: isConfigured(one.platform) }))
}

/** The payloads that were read last; none when nothing is written. */
function useLast(payloads: Loaded<Drawn>, isNone: boolean): Drawn | undefined {
  const last = useRef<Drawn | undefined>(undefined)
  if (payloads.value.value) last.current = payloads.value.value
  else if (isNone) last.current = undefined
  return last.current
}

/**
 * Names the gateways for which the push is too long. An app without gateways is told about iOS and Android, which it will most
 * likely have.
 */
function tooLongFor(payloads: readonly Payload[]): string | undefined {
  const isAny = payloads.some(({ configured }) => configured)
  const long = payloads.filter(({ platform, configured, request }) => {
    const counts = isAny ? configured : platform === 'ios' || platform === 'android'
    return counts && request.bytes > request.limit
  })
  if (long.length === 0) return undefined
  return `Too long for ${long.map(({ platform }) => PLATFORMS[platform].name).join(' and ')}: shorten the message or the data.`
}

/** Marks the fields that an estimate or the payloads complain of, while people write. */
function useMarks(form: Compose, asked: Loaded<unknown>): void {
  const marked = useRef<string[]>([])
  const [error, value] = [asked.error.value, asked.value.value]
  useEffect(() => {
    form.forgive(marked.current)
    marked.current = error instanceof ApiError && error.status === 422 ? form.fail(error, { isQuiet: true }) : []
  }, [error, value])
}
