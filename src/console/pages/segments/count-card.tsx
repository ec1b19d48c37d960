import { ApiError, messageOf } from '../../api/errors.ts'
import { Button } from '../../parts/button.tsx'
import { formatNumber, formatShare } from '../../parts/numbers.ts'
import { platformName } from '../../parts/platforms.ts'
import { Card, Note } from '../../parts/surfaces.tsx'
import { KeyValues, Num } from '../../parts/values.tsx'
import { type Count, type Counting } from './count.ts'
import { rounded, sizeText } from './size-text.ts'

/** Counts the installs that match now, says whether the number is an estimate, and shows some of them. */
export function CountCard({ counting, isReady }: { counting: Counting; isReady: boolean }) {
  const { isBusy, error } = counting
  const count = counting.count.value
  return (
    <Card title="How many" about="Devices that have a push token and allow notifications.">
      <div class="segment-count" aria-busy={isBusy.value}>
        <p role="status" class={`segment-count-number ${isBusy.value ? 'old' : ''}`}>
          {count === undefined || !isReady ? '–' : sizeText(count)}
          <span class="hidden">{isBusy.value ? ' counting' : ' devices'}</span>
        </p>
        {!isReady ? (
          <p class="quiet">Finish the conditions to count.</p>
        ) : error.value !== undefined ? (
          <Trouble error={error.value} counting={counting} />
        ) : isBusy.value ? (
          <p class="quiet">Counting …</p>
        ) : (
          count && <Details count={count} counting={counting} />
        )}
      </div>
    </Card>
  )
}

function Trouble({ error, counting }: { error: unknown; counting: Counting }) {
  const isLate = error instanceof ApiError && error.status === 503
  if (error instanceof ApiError && error.status === 422) return <p class="quiet">Correct what is marked to count.</p>
  return (
    <Note
      tone="warn"
      title={isLate ? 'Counting took too long.' : messageOf(error)}
      actions={
        <Button size="small" onClick={counting.countAll}>
          Count without hurry
        </Button>
      }
    />
  )
}

function Details({ count, counting }: { count: Count; counting: Counting }) {
  const platforms = Object.entries(count.platforms)
  return (
    <>
      {count.isEstimate && count.examined !== null && count.of !== null && (
        <Note
          title={`An estimate: ${formatNumber(count.examined)} of ${formatNumber(count.of)} devices were checked.`}
          actions={
            <Button size="small" onClick={counting.countAll}>
              Count exactly
            </Button>
          }
        />
      )}
      {!count.isEstimate && count.of !== null && count.of > 0 && (
        <p class="quiet">{formatShare(count.total, count.of)} of all devices that pushes reach.</p>
      )}
      {platforms.length > 0 && (
        <KeyValues
          items={platforms.map(([name, number]) => [
            platformName(name),
            <Num key={name} value={count.isEstimate ? rounded(number) : number} />,
          ])}
        />
      )}
      {count.first.length > 0 && (
        <div class="stack tight">
          <h3>Some of them</h3>
          <ul class="segment-sample">
            {count.first.map(({ installId, userId, platform }) => (
              <li key={installId}>
                <span class="mono">{userId}</span> <span class="quiet">{platformName(platform)}</span>
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  )
}
