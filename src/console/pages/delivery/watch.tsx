import { useEffect } from 'preact/hooks'
import { api } from '../../api/client.ts'
import { useLive } from '../../api/live.ts'
import { formatNumber, formatShare } from '../../parts/numbers.ts'
import { platformName } from '../../parts/platforms.ts'
import { Reading } from '../../parts/reading.tsx'
import { Card } from '../../parts/surfaces.tsx'
import { Progress as Bar, Stat } from '../../parts/values.tsx'
import { counted, duration, OVER, type Progress } from './words.ts'

/** A send as it goes: how far, how fast, how long still. It follows by itself. */
export function Watch(props: { appId: number; id: number; isScheduled: boolean; onOver(): void }) {
  const { appId, id, isScheduled, onOver } = props
  const live = useLive<Progress>(
    {
      events: `/admin/v1/apps/${appId}/deliveries/${id}/events`,
      event: 'progress',
      read: (signal) => api.get('/admin/v1/apps/{appId}/deliveries/{id}/progress', { path: { appId, id }, signal }),
      isDone: ({ status }) => status >= OVER,
    },
    [appId, id],
  )
  const now = live.value.value
  const isOver = now !== undefined && now.status >= OVER
  useEffect(() => {
    if (isOver) onOver()
  }, [isOver])
  // Until it is due the page says when that is.
  if (isScheduled && (now === undefined || now.counts.audience === 0)) return null
  if (now === undefined) {
    return (
      <Card title="Progress">
        <Reading of={live} />
      </Card>
    )
  }
  const { counts, expected, perSecond, secondsLeft, isFinding, platforms } = now
  const settled = counts.audience - counts.pending
  // One whole for all bars: the parts add up to the bar above them.
  const total = expected ?? counts.audience
  return (
    <Card title="Progress" about={isFinding ? 'Its recipients are still being found.' : undefined}>
      <div class="stack loose">
        {expected === null ? (
          <Bar label="Sent to" text={`${counted(settled, 'recipient')} so far`} />
        ) : (
          <Bar label="Sent to" value={settled} max={expected} />
        )}
        <div class="grid stats">
          <Stat
            label="Speed"
            value={perSecond === null ? '–' : formatNumber(Math.round(perSecond), true)}
            more="recipients a second"
          />
          <Stat
            label="Time left"
            value={secondsLeft === null ? '–' : duration(secondsLeft)}
            more={secondsLeft === null ? 'not known yet' : 'at this speed'}
          />
          <Stat
            label="Opened so far"
            value={formatNumber(now.opened, true)}
            more={`${formatShare(now.opened, counts.accepted)} of the accepted`}
          />
        </div>
        {platforms.length > 1 && (
          <div class="grid halves">
            {platforms.map((one) => (
              <Bar
                key={one.platform}
                label={platformName(one.platform)}
                value={one.audience - one.pending}
                max={total}
                text={formatNumber(one.audience - one.pending)}
              />
            ))}
          </div>
        )}
      </div>
    </Card>
  )
}
