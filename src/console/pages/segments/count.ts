import { type ReadonlySignal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { type Answer, api } from '../../api/client.ts'
import { isCancelled } from '../../api/errors.ts'
import type { Filter } from './filter.ts'

export type Count = Answer<'/admin/v1/apps/{appId}/segment-counts', 'post'>

/** A pause in typing. */
const PAUSE_MS = 300

export interface Counting {
  /** The last count: of an earlier filter while `isBusy`. */
  count: ReadonlySignal<Count | undefined>
  error: ReadonlySignal<unknown>
  isBusy: ReadonlySignal<boolean>
  /** Checks every install, which may take a minute. */
  countAll(): void
}

/** Counts a filter whenever it rests for a moment, or `again` changes; what was asked before is cancelled. Null counts nothing. */
export function useCount(appId: number, filter: Filter | null, again: unknown): Counting {
  const count = useSignal<Count | undefined>(undefined)
  const error = useSignal<unknown>(undefined)
  const isBusy = useSignal(false)
  const asksAll = useSignal(0)
  const text = filter === null ? '' : JSON.stringify(filter)

  const ask = (isWhole: boolean, pause: number) => {
    const stop = new AbortController()
    isBusy.value = true
    const timer = setTimeout(() => {
      const body = { filter: JSON.parse(text) as Filter, isWhole }
      api.post('/admin/v1/apps/{appId}/segment-counts', { path: { appId }, body, signal: stop.signal }).then(
        (found) => {
          count.value = found
          error.value = undefined
          isBusy.value = false
        },
        (thrown: unknown) => {
          if (isCancelled(thrown)) return
          error.value = thrown
          isBusy.value = false
        },
      )
    }, pause)
    return () => {
      clearTimeout(timer)
      stop.abort()
      isBusy.value = false
    }
  }

  useEffect(() => {
    error.value = undefined
    if (text !== '') return ask(false, PAUSE_MS)
    count.value = undefined
    return undefined
  }, [appId, text, again])
  useEffect(() => (asksAll.value > 0 && text !== '' ? ask(true, 0) : undefined), [asksAll.value])
  useEffect(() => {
    asksAll.value = 0
  }, [text])

  return { count, error, isBusy, countAll: () => void (asksAll.value += 1) }
}
