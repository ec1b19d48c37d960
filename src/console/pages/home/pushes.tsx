import { Chart } from '../../parts/chart.tsx'
import { formatNumber, formatShare } from '../../parts/numbers.ts'
import { Card } from '../../parts/surfaces.tsx'
import { Stat } from '../../parts/values.tsx'
import type { Overview } from '../delivery/words.ts'
import { changeInWords } from './change.ts'

const short = (value: number) => formatNumber(value, true)

/** The pushes of the period: what became of them, beside the period before, and day by day. */
export function Pushes({ overview }: { overview: Overview }) {
  const { days, total, before } = overview
  const sends = total.accepted + total.failed + total.unknown
  return (
    <Card
      title="Sends and opens"
      about={`The last ${days.length} days, in the zone ${overview.zone.replaceAll('_', ' ')}`}
    >
      {sends + total.opened === 0 ? (
        <p class="quiet">Nothing was sent in these days. What you send will show here, day by day.</p>
      ) : (
        <div class="stack loose">
          <Figures total={total} before={before} />
          <p class="quiet">
            {before === null
              ? 'Sends are kept for 90 days, so there is no period before these to compare with.'
              : `Compared with the ${days.length} days before.`}
          </p>
          <Chart
            title={`Pushes accepted and opened, last ${days.length} days`}
            kind="bar"
            labels={days.map(({ day }) =>
              new Date(`${day}T12:00:00`).toLocaleDateString(undefined, { day: 'numeric', month: 'short' }),
            )}
            series={[
              { label: 'Accepted by gateways', values: days.map(({ accepted }) => accepted) },
              { label: 'Opened', values: days.map(({ opened }) => opened) },
            ]}
          />
        </div>
      )}
    </Card>
  )
}

function Figures({ total, before }: Pick<Overview, 'total' | 'before'>) {
  const sends = total.accepted + total.failed + total.unknown
  return (
    <div class="grid stats">
      <Figure label="Accepted by gateways" now={total.accepted} before={before?.accepted} />
      <Figure
        label="Confirmed by the device"
        now={total.delivered}
        before={before?.delivered}
        share={`${formatShare(total.delivered, total.accepted)} of the accepted`}
      />
      <Figure
        label="Opened"
        now={total.opened}
        before={before?.opened}
        share={`${formatShare(total.opened, total.accepted)} of the accepted`}
      />
      <Figure
        label="Not reached"
        now={total.failed}
        before={before?.failed}
        share={`${formatShare(total.failed, sends)} of the sent`}
      />
    </div>
  )
}

interface FigureProps {
  label: string
  now: number
  before: number | undefined
  share?: string
}

function Figure({ label, now, before, share = 'pushes' }: FigureProps) {
  const change = changeInWords(now, before)
  return (
    <Stat
      label={label}
      value={short(now)}
      more={
        <>
          {share}
          {change !== undefined && (
            <>
              <br />
              {change}
            </>
          )}
        </>
      }
    />
  )
}
