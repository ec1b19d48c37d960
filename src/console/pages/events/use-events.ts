import { useComputed, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { api } from '../../api/client.ts'
import { useFilledList } from '../../api/load.ts'
import { isShown, type LoggedEvent, queryOf, type Shown } from './words.ts'

const POLL_MS = 3000
/** The pause after a full page: more has come than it shows. */
const CATCH_UP_MS = 200
const MOST_AT_ONCE = 200
const PAGE = 50
/** A page of the interface may be short: it is read on until there is something to show. */
const MOST_ROUNDS = 10
/** New events that the page keeps: the oldest of them go first. */
const MOST_NEW = 500

/** The newest events, and those that come. While `isPaused` the new ones are counted and wait. */
export function useEvents(appId: number, shown: Shown, isPaused: boolean) {
  const { kind, user, install, q } = shown
  const keys = [appId, kind, user, install, q]
  const came = useSignal<readonly LoggedEvent[]>([])
  const waiting = useSignal<readonly LoggedEvent[]>([])
  const place = useRef<string | undefined>(undefined)
  const paused = useRef(isPaused)
  paused.current = isPaused

  const list = useFilledList<LoggedEvent, string>(
    async (before, _, signal) => {
      const page = await api.get('/admin/v1/apps/{appId}/events/latest', {
        path: { appId },
        query: { ...queryOf(shown), limit: PAGE, ...(before !== null && { before }) },
        signal,
      })
      if (before === null) {
        place.current = page.end
        came.value = []
        waiting.value = []
      }
      return { items: page.events, next: page.next }
    },
    { most: PAGE, rounds: MOST_ROUNDS },
    keys,
  )

  const show = () => {
    came.value = [...waiting.peek(), ...came.peek()].slice(0, MOST_NEW)
    waiting.value = []
  }

  useEffect(() => {
    const stop = new AbortController()
    let timer: ReturnType<typeof setTimeout>
    const look = async () => {
      const after = place.current
      let pause = POLL_MS
      if (!document.hidden && after !== undefined) {
        try {
          const query = { ...queryOf({ kind, user: '', install: '', q: '' }), after, limit: MOST_AT_ONCE }
          const page = await api.get('/admin/v1/apps/{appId}/events', { path: { appId }, query, signal: stop.signal })
          // The list was read anew meanwhile.
          if (place.current === after) {
            place.current = page.next
            if (page.events.length === MOST_AT_ONCE) pause = CATCH_UP_MS
            const fresh = page.events.filter((event) => isShown(event, shown)).toReversed()
            waiting.value = [...fresh, ...waiting.peek()].slice(0, MOST_NEW)
            if (!paused.current) show()
          }
        } catch {
          // The server is away, which the frame says, or the sign-in has ended: the next look tells.
        }
      }
      if (!stop.signal.aborted) timer = setTimeout(() => void look(), pause)
    }
    timer = setTimeout(() => void look(), POLL_MS)
    return () => {
      stop.abort()
      clearTimeout(timer)
    }
  }, keys)

  // What was stored while the first page was read may be in both.
  const value = useComputed(() => {
    const listed = list.value.value
    if (listed === undefined) return undefined
    const known = new Set(listed.map(({ id }) => id))
    return [...came.value.filter(({ id }) => !known.has(id)), ...listed]
  })
  return { list: { ...list, value }, waiting: waiting.value.length, show }
}
