import { useSignal } from '@preact/signals'
import { useGet } from '../../api/load.ts'
import { Chart } from '../../parts/chart.tsx'
import { SelectField } from '../../parts/field.tsx'
import { PERIODS, type Period } from '../../parts/periods.ts'
import { platformName } from '../../parts/platforms.ts'
import { Card, Failed, Skeleton } from '../../parts/surfaces.tsx'
import { Table } from '../../parts/table.tsx'
import { Num } from '../../parts/values.tsx'
import { routeName } from './words.ts'

const dayWords = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' })

/** Clicks and matches of a link by day, platform and route. */
export function LinkFigures({ appId, linkId }: { appId: number; linkId: number }) {
  const range = useSignal<Period>('30')
  const figures = useGet('/admin/v1/apps/{appId}/link-days', {
    path: { appId },
    query: { days: Number(range.value), linkId },
  })
  const now = figures.value.value
  return (
    <Card
      title="Clicks and app opens"
      about="A click is a visit; an app open is the app asking for the link, with or without a click. Neither names the person. Days are in UTC."
      actions={
        <SelectField
          label="Of the last"
          value={range.value}
          options={PERIODS}
          onChange={(value) => (range.value = value)}
        />
      }
    >
      {figures.error.value !== undefined ? (
        <Failed error={figures.error.value} retry={figures.reload} />
      ) : now === undefined ? (
        <Skeleton lines={8} height={432} />
      ) : now.total.clicks + now.total.matches === 0 ? (
        <p class="quiet">Nobody followed it in these {range.value} days.</p>
      ) : (
        <div class="stack loose">
          <Chart
            title={`Clicks and app opens of the last ${range.value} days`}
            kind="bar"
            labels={now.days.map(({ day }) => dayWords.format(new Date(day)))}
            series={[
              { label: 'Clicks', values: now.days.map(({ clicks }) => clicks) },
              { label: 'App opens', values: now.days.map(({ matches }) => matches) },
            ]}
          />
          <div class="grid halves">
            <Shares
              label="Platform"
              rows={now.platforms.map(({ platform, ...counts }) => ({ name: platformName(platform), ...counts }))}
            />
            <Shares
              label="Route"
              rows={now.routes.map(({ route, ...counts }) => ({ name: routeName(route), ...counts }))}
            />
          </div>
        </div>
      )}
    </Card>
  )
}

function Shares({
  label,
  rows,
}: {
  label: string
  rows: readonly { name: string; clicks: number; matches: number }[]
}) {
  return (
    <Table
      label={`By ${label.toLowerCase()}`}
      small="scroll"
      rows={rows}
      keyOf={({ name }) => name}
      columns={[
        { title: label, cell: ({ name }) => name },
        { title: 'Clicks', cell: ({ clicks }) => <Num value={clicks} />, isNumeric: true },
        { title: 'App opens', cell: ({ matches }) => <Num value={matches} />, isNumeric: true },
      ]}
    />
  )
}
