import type { ComponentChildren } from 'preact'
import type { Loaded } from '../api/load.ts'
import { Failed, Skeleton } from './surfaces.tsx'
import { formatNumber, More, Num } from './values.tsx'

/** What every estimate of an audience has. */
interface Estimated {
  recipients: number
  /** Whether all were counted: with `false` there are more. */
  isComplete: boolean
  leftOut: readonly { reason: string; count: number }[]
}

/** How many something reaches, who is left out and why, and some of them. It is read out as it changes. */
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
  /** What follows the number: `device gets it`. */
  one: string
  many: string
  reasonOf(reason: E['leftOut'][number]['reason']): string
  /** The number in parts, below it. */
  parts?: (now: E) => ComponentChildren
  /** A list item for each of some recipients. */
  sampleOf(now: E): readonly ComponentChildren[]
  /** What else there is to say, below the reasons. */
  notes?: (now: E) => ComponentChildren
}) {
  const now = estimate.value.value
  if (estimate.error.value !== undefined) return <Failed error={estimate.error.value} retry={estimate.reload} />
  if (!now) return estimate.isLoading.value ? <Skeleton lines={2} /> : null
  const { recipients, isComplete, leftOut } = now
  const sample = sampleOf(now)
  return (
    <div class="reach" aria-live="polite" aria-busy={estimate.isLoading.value}>
      <p class="reach-total">
        <strong>
          {!isComplete && 'More than '}
          <Num value={recipients} />
        </strong>{' '}
        {recipients === 1 ? one : many}
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
