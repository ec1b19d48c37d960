import { useEffect, useRef } from 'preact/hooks'
import { type Answer, api } from '../../api/client.ts'
import { ApiError } from '../../api/errors.ts'
import { type Loaded, useGet, useLoad } from '../../api/load.ts'
import { PLATFORMS } from '../../parts/platforms.ts'
import { usePaused } from '../../parts/use-paused.ts'
import { type Compose, type Estimate, rulesOf, sayingOf, targetOf, timeOf } from './draft.ts'
import type { Payload } from './shown.ts'
import { wrongOf } from './words.ts'

/** A pause in typing after which the server is asked. */
const PAUSE_MS = 350
/** A push that says as little as possible, to learn which gateways the app has. */
const PROBE = { content: { title: '-', message: '-' } }
const PAYLOADS = '/admin/v1/apps/{appId}/notifications/payloads'
const ESTIMATE = '/admin/v1/apps/{appId}/notifications/estimate'

/** Answers of the server about a push while it is written. */
export interface Answers {
  estimate: Loaded<Estimate>
  /** Requests that would be sent: the last answer stays while the next one comes. */
  drawn: readonly Payload[]
  /** Reason for which the push cannot be sent as it is. */
  problem: string | undefined
  isWithoutGateway: boolean
  /** True when a second person has to approve the push. */
  isAsked: boolean
}

/** Asks the server about what is written whenever it rests for a moment, and marks the fields that it complains of. */
export function useAnswers(appId: number, form: Compose): Answers {
  const path = { appId }
  const draft = form.values.value
  const [target, time] = [targetOf(draft), timeOf(draft)]
  const goal = usePaused(target && time ? JSON.stringify({ target, ...time, ...rulesOf(draft) }) : '', PAUSE_MS)
  const estimate = useLoad(
    goal === '' ? null : (signal) => api.post(ESTIMATE, { path, body: JSON.parse(goal) as never, signal }),
    [appId, goal],
  )
  const { 'content.title': title, 'content.message': message, runBackgroundHandler: isSilent } = draft
  const isWritten = isSilent || (title.trim() !== '' && message.trim() !== '')
  const said = usePaused(isWritten ? JSON.stringify(sayingOf(draft)) : '', PAUSE_MS)
  const payloads = useLoad(
    said === '' ? null : (signal) => api.post(PAYLOADS, { path, body: JSON.parse(said) as never, signal }),
    [appId, said],
  )
  useMarks(form, estimate)
  useMarks(form, payloads)
  const drawn = useLast(payloads, said === '')
  const gateways = useLoad((signal) => api.post(PAYLOADS, { path, body: PROBE, signal }), [appId])
  const second = useGet('/admin/v1/apps/{appId}/second-person', { path })
  const refused = payloads.error.value
  return {
    estimate,
    drawn,
    problem: tooLongFor(drawn) ?? (refused === undefined ? undefined : wrongOf(refused)),
    isWithoutGateway: gateways.value.value?.items.every(({ configured }) => !configured) ?? false,
    isAsked: second.value.value?.required ?? false,
  }
}

/** The payloads that were read last; none when nothing is written. */
function useLast(payloads: Loaded<Answer<typeof PAYLOADS, 'post'>>, isNone: boolean): readonly Payload[] {
  const last = useRef<readonly Payload[]>([])
  if (payloads.value.value) last.current = payloads.value.value.items
  else if (isNone) last.current = []
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
