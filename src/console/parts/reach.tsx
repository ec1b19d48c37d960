import type { ComponentChildren } from 'preact'
import type { Loaded } from '../api/load.ts'
import { formatNumber } from './numbers.ts'
import { Failed, Skeleton } from './surfaces.tsx'
import { More, Num } from './values.tsx'

/** Members that every estimate of an audience has. */
interface Estimated {
  recipients: number
  /** False when the number is a lower bound. */
  isComplete: boolean
  leftOut: readonly { reason: string; count: number }[]
}

/**
 * Counts the recipients of a send and those left out, with reasons and a sample. Screen readers are told when the number
 * changes.
 */
export function Reach<E extends Estimated>({
  estimate,
  one,
  many,
  reasonOf,
  parts,
  sampleOf,
  notes,
}: {
  estimate: Loaded<E>
  /** Words behind the number 1: `device gets it`. */
  one: string
  many: string
  reasonOf(reason: E['leftOut'][number]['reason']): string
  /** The number in parts, below it. */
  parts?: (now: E) => ComponentChildren
  /** A list item for each of some recipients. */
  sampleOf(now: E): readonly ComponentChildren[]
  /** Content below the reasons. */
  notes?: (now: E) => ComponentChildren
}) {
  const now = estimate.value.value
  if (estimate.error.value !== undefined) return <Failed error={estimate.error.value} retry={estimate.reload} />
  const isCounting = estimate.isLoading.value
  if (!now) return isCounting ? <Skeleton lines={2} /> : null
  const { recipients, isComplete, leftOut } = now
  const sample = sampleOf(now)
  return (
    <div class="reach" aria-live="polite" aria-busy={isCounting}>
      <p class={`reach-total ${isCounting ? 'old' : ''}`}>
        <strong>
          {!isComplete && 'More than '}
          <Num value={recipients} />
        </strong>{' '}
        {recipients === 1 ? one : many}
        {isCounting && <span class="quiet small-text"> Counting …</span>}
      </p>
      {parts?.(now)}
      {leftOut.length > 0 && (
        <div>
          <h3>Left out</h3>
          <ul class="reach-reasons">
            {leftOut.map(({ reason, count }) => (
              <li key={reason}>
                <span class="number">{formatNumber(count)}</span> {reasonOf(reason)}
              </li>
            ))}
          </ul>
        </div>
      )}
      {notes?.(now)}
      {sample.length > 0 && (
        <More label={sample.length === 1 ? 'Who that is' : `${sample.length} of them`}>
          <ul class="reach-sample">{sample}</ul>
        </More>
      )}
    </div>
  )
}
