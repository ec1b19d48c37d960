import { useGet } from '../api/load.ts'
import { Button } from '../parts/button.tsx'
import { formatNumber } from '../parts/numbers.ts'
import { query } from '../state/router.ts'
import type { Extra } from './fields.tsx'
import * as row from './rows.ts'
import { listOf } from './table.ts'

const useLabels = (appId: number, q: string) =>
  useGet('/admin/v1/apps/{appId}/labels', { path: { appId }, query: { limit: 12, ...(q !== '' && { q }) } }).value.value
    ?.labels ?? []

/** The offer of the field of labels: those in use that begin like the last one. */
export function useLabelHint(appId: number, written: string, change: (written: string) => void): Extra {
  const all = listOf(written, /,/)
  const last = written.trimEnd().endsWith(',') ? '' : (all.at(-1) ?? '')
  const inUse = useLabels(appId, last.toLowerCase().slice(0, 40)).filter((one) => !all.includes(one))
  const before = last === '' ? all : all.slice(0, -1)
  return {
    hint: (
      <>
        Lists and reports find it by these words.{' '}
        {inUse.map((one) => (
          <Button key={one} size="small" onClick={() => change([...before, one, ''].join(', '))}>
            {one}
          </Button>
        ))}
      </>
    ),
  }
}

/** The order of a list of sends; it stands in the address. */
export const ORDER = (orders: Readonly<Record<string, string>>) =>
  row.select('order', 'Order', { options: row.choices({ '': 'Newest first', ...orders }) })

/** The label by which a list is filtered; it stands in the address. */
export const LABEL = row.select('label', 'Label')

/** The chosen label, and what its filter offers: nothing where no label is in use. */
export function useLabelFilter(appId: number): { label: string; extra: Extra } {
  const label = query.value.get('label') ?? ''
  const inUse = useLabels(appId, '')
  const all = label === '' || inUse.includes(label) ? inUse : [label, ...inUse]
  const options = [{ value: '', label: 'Every label' }, ...all.map((one) => ({ value: one, label: one }))]
  return { label, extra: all.length > 0 ? { options } : null }
}

/** Sums of the sends of the last 30 days that carry a label. */
export function LabelSums({ appId, label }: { appId: number; label: string }) {
  const path = '/admin/v1/apps/{appId}/labels/report'
  const sums = useGet(path, { path: { appId }, query: { label } }).value.value?.labels[0]
  if (!sums) return null
  const { pushes, messages, isWhole } = sums
  return (
    <p class="quiet">
      {isWhole ? 'The last 30 days. ' : 'The newest 500 of the last 30 days. '}
      Pushes: {formatNumber(pushes.sends)}, accepted: {formatNumber(pushes.accepted)}, opened:{' '}
      {formatNumber(pushes.opened)}. In-app messages: {formatNumber(messages.sends)}, recipients:{' '}
      {formatNumber(messages.recipients)}, shown: {formatNumber(messages.shown)}.
    </p>
  )
}
