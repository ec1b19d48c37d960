import { ChartLine } from 'lucide'
import { useGet } from '../../api/load.ts'
import { Chart } from '../../parts/chart.tsx'
import { SelectField } from '../../parts/field.tsx'
import { formatShare } from '../../parts/numbers.ts'
import { Reading } from '../../parts/reading.tsx'
import { Card, Empty } from '../../parts/surfaces.tsx'
import { formatBytes } from '../../parts/values.tsx'
import { viewerZone } from '../../parts/zones.ts'
import { query, setQuery } from '../../state/router.ts'
import {
  type Course,
  LOAD_PERIODS,
  type LoadPeriod,
  labelsOf,
  loadPeriodOf,
  type Point,
  perMinute,
  shortSeconds,
  spansOf,
} from './course.ts'

interface ChartRow {
  title: string
  about: string
  kind: 'line' | 'area' | 'bar'
  series: readonly { label: string; of(point: Point, spanSeconds: number): number | null }[]
  format?(value: number): string
}

const percent = (value: number) => formatShare(Math.round(value), 100)

const CHARTS: readonly ChartRow[] = [
  {
    title: 'Calls',
    about: 'Answered in a minute, on average.',
    kind: 'line',
    series: [
      { label: 'Devices', of: ({ deviceCalls }, span) => perMinute(deviceCalls, span) },
      { label: 'Servers', of: ({ serverCalls }, span) => perMinute(serverCalls, span) },
    ],
  },
  {
    title: 'Pushes',
    about: 'Devices in a minute, on average.',
    kind: 'line',
    series: [
      { label: 'Accepted by the gateway', of: ({ accepted }, span) => perMinute(accepted, span) },
      { label: 'Refused', of: ({ failed }, span) => perMinute(failed, span) },
    ],
  },
  {
    title: 'Queue',
    about: 'How long the longest wait of a push was.',
    kind: 'area',
    series: [{ label: 'Longest wait', of: ({ queueSeconds }) => queueSeconds }],
    format: shortSeconds,
  },
  {
    title: 'Errors',
    about: 'Calls that failed on the side of this server.',
    kind: 'bar',
    series: [{ label: 'Errors', of: ({ errors }) => errors }],
  },
  {
    title: 'Processor',
    about: 'Share of all processors of the machine.',
    kind: 'area',
    series: [{ label: 'Used', of: ({ processorShare }) => Math.round(processorShare * 1000) / 10 }],
    format: percent,
  },
  {
    title: 'Memory',
    about: 'Of the server, at the most.',
    kind: 'area',
    series: [{ label: 'Memory', of: ({ memoryBytes }) => memoryBytes }],
    format: formatBytes,
  },
  {
    title: 'Database',
    about: 'Its size.',
    kind: 'area',
    series: [{ label: 'Size', of: ({ databaseBytes }) => databaseBytes }],
    format: formatBytes,
  },
  {
    title: 'Free disk space',
    about: 'Where the database is.',
    kind: 'area',
    series: [{ label: 'Free', of: ({ diskFreeBytes }) => diskFreeBytes }],
    format: formatBytes,
  },
]

/** Charts of the load in a period. */
export function Charts() {
  const period = loadPeriodOf(query.value.get('period'))
  const load = useGet('/admin/v1/load', { query: { period } })
  return (
    <section class="stack" aria-label="Load">
      <div class="row spread">
        <div>
          <h2>Load</h2>
          <p class="quiet">Time zone: {viewerZone()}</p>
        </div>
        <SelectField
          name="period"
          label="Show"
          value={period}
          options={LOAD_PERIODS}
          onChange={(value) => setQuery({ period: value })}
        />
      </div>
      <Reading of={load} lines={8}>
        {(course) =>
          course.points.length === 0 ? (
            <Card>
              <Empty icon={ChartLine} title="Nothing recorded yet">
                A server that runs records its load once a minute. The first figures are here soon.
              </Empty>
            </Card>
          ) : (
            <Drawn course={course} period={period} />
          )
        }
      </Reading>
    </section>
  )
}

function Drawn({ course, period }: { course: Course; period: LoadPeriod }) {
  const spans = spansOf(course)
  const instants = spans.map(({ at }) => at)
  const labels = labelsOf(instants, period)
  const drawn = CHARTS.map((row) => ({
    ...row,
    series: row.series.map(({ label, of }) => ({
      label,
      values: spans.map(({ point }) => (point === undefined ? null : of(point, course.spanSeconds))),
    })),
  })).filter(({ series }) => series.some(({ values }) => values.some((value) => value !== null)))
  return (
    <div class="grid halves">
      {drawn.map(({ title, about, kind, series, format }) => (
        <Card key={title} title={title} about={about}>
          <Chart
            title={`${title}: ${about}`}
            kind={kind}
            labels={labels}
            instants={instants}
            series={series}
            height={160}
            format={format}
          />
        </Card>
      ))}
    </div>
  )
}
