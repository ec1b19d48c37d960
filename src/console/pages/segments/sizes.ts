import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { type Answer, api } from '../../api/client.ts'
import { isCancelled } from '../../api/errors.ts'

export type Segment = Answer<'/admin/v1/apps/{appId}/segments'>['segments'][number]
type CountedSize = NonNullable<Segment['size']>

/** Segments of a list that are counted by themselves because nobody has counted them. */
const COUNTED_BY_ITSELF = 10

/** Sizes that were counted since the list was read, and the segment that is counted at the moment. */
export interface Sizes {
  of(segment: Segment): CountedSize | null
  isCounting(id: number): boolean
  /** Tells whether the last count of a segment failed. */
  hasFailed(id: number): boolean
  count(id: number): Promise<void>
}

/** Counts the segments of a list that have no size, one after the other and never before the list is shown. */
export function useSizes(appId: number, segments: readonly Segment[], canCount: boolean): Sizes {
  const found = useSignal<ReadonlyMap<number, CountedSize | 'failed' | 'counting'>>(new Map())
  const set = (id: number, what: CountedSize | 'failed' | 'counting') =>
    (found.value = new Map(found.peek()).set(id, what))
  const count = async (id: number, signal?: AbortSignal) => {
    set(id, 'counting')
    try {
      const path = { appId, id: String(id) }
      const ask = { path, body: { isWhole: false }, ...(signal && { signal }) }
      const { size } = await api.post('/admin/v1/apps/{appId}/segments/{id}/count', ask)
      set(id, size ?? 'failed')
    } catch (error) {
      if (!isCancelled(error)) set(id, 'failed')
    }
  }
  const missing = segments.filter(({ size }) => size === null).slice(0, COUNTED_BY_ITSELF)
  const wanted = canCount ? missing.map(({ id }) => id).join(',') : ''
  useEffect(() => {
    const stop = new AbortController()
    const all = async () => {
      for (const id of wanted.split(',').map(Number)) {
        if (stop.signal.aborted) return
        if (!found.peek().has(id)) await count(id, stop.signal)
      }
    }
    if (wanted !== '') void all()
    return () => stop.abort()
  }, [appId, wanted])
  const at = (id: number) => found.value.get(id)
  return {
    of({ id, size }) {
      const now = at(id)
      return typeof now === 'object' ? now : size
    },
    isCounting: (id) => at(id) === 'counting',
    hasFailed: (id) => at(id) === 'failed',
    count,
  }
}
