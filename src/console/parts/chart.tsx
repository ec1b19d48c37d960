import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { type Column, Table } from './table.tsx'
import { formatNumber, More } from './values.tsx'

interface Series {
  label: string
  /** A value for each label of the axis; null where nothing is known. */
  values: readonly (number | null)[]
}

interface ChartProps {
  /** Caption of the chart: "Sends and opens of the last 14 days". */
  title: string
  kind: 'line' | 'area' | 'bar' | 'stacked'
  /** Texts below the plot, from early to late. */
  labels: readonly string[]
  series: readonly Series[]
  /** Height of the plot in pixels. */
  height?: number
  /** Writes a value; default: with separators. */
  format?(value: number): string
}

const TOP = 8
const BOTTOM = 20
const LABEL_PX = 64
const TICKS = 4
const NARROW = 320

/** A chart as SVG, with the table of its numbers below. */
export function Chart({
  title,
  kind,
  labels,
  series,
  height = 200,
  format = (value) => formatNumber(value, true),
}: ChartProps) {
  const box = useRef<HTMLDivElement>(null)
  const width = useSignal(640)
  const at = useSignal<number | undefined>(undefined)
  useEffect(() => {
    const watch = new ResizeObserver(([entry]) => (width.value = Math.max(NARROW / 2, entry!.contentRect.width)))
    watch.observe(box.current!)
    return () => watch.disconnect()
  }, [])

  const stacks = kind === 'stacked' ? stack(series) : series.map(({ values }) => values.map((to) => ({ from: 0, to })))
  const top = niceTop(Math.max(0, ...stacks.flatMap((one) => one.map(({ to }) => to ?? 0))))
  const left = Math.max(...ticksOf(top).map((tick) => format(tick).length)) * 7 + 8
  const plot = { left, right: width.value - 4, top: TOP, bottom: height - BOTTOM }
  const band = (plot.right - plot.left) / Math.max(1, labels.length)
  const x = (i: number) => plot.left + band * (i + 0.5)
  const y = (value: number) => plot.bottom - (top === 0 ? 0 : (value / top) * (plot.bottom - plot.top))
  const every = Math.max(1, Math.ceil((labels.length * LABEL_PX) / (plot.right - plot.left)))
  const isBars = kind === 'bar' || kind === 'stacked'

  const columns: Column<{ label: string; i: number }>[] = [
    { title: 'When', cell: ({ label }) => label },
    ...series.map(({ label, values }) => ({
      title: label,
      isNumeric: true,
      cell: ({ i }: { i: number }) => (values[i] == null ? '–' : formatNumber(values[i])),
    })),
  ]

  return (
    <figure class="chart">
      <div ref={box} class="chart-plot" onPointerLeave={() => (at.value = undefined)}>
        <svg
          viewBox={`0 0 ${width.value} ${height}`}
          height={height}
          role="img"
          aria-label={`${title}. The numbers are in the table below.`}
        >
          {ticksOf(top).map((tick) => (
            <g key={tick}>
              <line class="rule" x1={plot.left} x2={plot.right} y1={y(tick)} y2={y(tick)} />
              <text class="axis" x={plot.left - 8} y={y(tick) + 4} text-anchor="end">
                {format(tick)}
              </text>
            </g>
          ))}
          {labels.map((label, i) =>
            i % every === 0 ? (
              <text key={label + i} class="axis" x={x(i)} y={height - 4} text-anchor="middle">
                {label}
              </text>
            ) : null,
          )}
          {series.map(({ label }, s) => {
            const color = colorOf(s)
            const points = stacks[s]!
            if (!isBars)
              return (
                <Line
                  key={label}
                  points={points.map(({ to }) => to)}
                  {...{ x, y, color }}
                  isFilled={kind === 'area'}
                  floor={plot.bottom}
                />
              )
            const slot = kind === 'bar' ? (band * 0.7) / series.length : band * 0.7
            const offset = kind === 'bar' ? slot * (s - series.length / 2) : -slot / 2
            return points.map(({ from, to }, i) =>
              to === null || to === from ? null : (
                <rect
                  key={`${label}${i}`}
                  x={x(i) + offset + 0.5}
                  width={Math.max(1, slot - 1)}
                  y={y(to)}
                  height={Math.max(1, y(from) - y(to))}
                  rx={Math.min(2, slot / 4)}
                  style={{ fill: color }}
                />
              ),
            )
          })}
          {labels.map((label, i) => (
            <rect
              key={label + i}
              class="band"
              x={plot.left + band * i}
              width={band}
              y={plot.top}
              height={plot.bottom - plot.top}
              onPointerEnter={() => (at.value = i)}
            />
          ))}
        </svg>
        {at.value !== undefined && labels[at.value] !== undefined && (
          <div class="chart-tip" aria-hidden="true" style={tipPlace(x(at.value), width.value)}>
            <strong>{labels[at.value]}</strong>
            {series.map(({ label, values }) => (
              <div key={label}>
                {label}: {values[at.value!] == null ? '–' : formatNumber(values[at.value!]!)}
              </div>
            ))}
          </div>
        )}
      </div>
      {series.length > 1 && (
        <figcaption class="chart-legend">
          {series.map(({ label }, s) => (
            <span key={label}>
              <i style={{ background: colorOf(s) }} />
              {label}
            </span>
          ))}
        </figcaption>
      )}
      <More label="As a table">
        <Table
          label={title}
          small="scroll"
          rows={labels.map((label, i) => ({ label, i }))}
          keyOf={({ i }) => i}
          columns={columns}
        />
      </More>
    </figure>
  )
}

const COLORS = 5
const colorOf = (series: number): string => `var(--series-${(series % COLORS) + 1})`

function tipPlace(x: number, width: number) {
  return x > width / 2 ? { right: `${width - x + 12}px` } : { left: `${x + 12}px` }
}

interface LineProps {
  points: readonly (number | null)[]
  x(i: number): number
  y(value: number): number
  color: string
  isFilled: boolean
  floor: number
}

/** A line with gaps where nothing is known; a point alone is a dot. */
function Line({ points, x, y, color, isFilled, floor }: LineProps) {
  const runs: { i: number; value: number }[][] = []
  for (const [i, value] of points.entries()) {
    if (value === null) continue
    if (i === 0 || points[i - 1] === null) runs.push([])
    runs.at(-1)!.push({ i, value })
  }
  return (
    <g>
      {runs.map((run) => {
        const path = run
          .map(({ i, value }, k) => `${k === 0 ? 'M' : 'L'}${x(i).toFixed(1)} ${y(value).toFixed(1)}`)
          .join('')
        const { i: start } = run[0]!
        if (run.length === 1)
          return <circle key={start} cx={x(start)} cy={y(run[0]!.value)} r={3} style={{ fill: color }} />
        return (
          <g key={start}>
            {isFilled && (
              <path
                d={`${path}L${x(run.at(-1)!.i)} ${floor}L${x(start)} ${floor}Z`}
                style={{ fill: color, opacity: 0.14 }}
              />
            )}
            <path class="line" d={path} style={{ stroke: color }} />
          </g>
        )
      })}
    </g>
  )
}

function stack(series: readonly Series[]): { from: number; to: number | null }[][] {
  const floor: number[] = []
  return series.map(({ values }) =>
    values.map((value, i) => {
      const from = floor[i] ?? 0
      floor[i] = from + (value ?? 0)
      return { from, to: value === null ? null : floor[i] }
    }),
  )
}

/** The next round number that is divided well. */
function niceTop(max: number): number {
  if (max === 0) return TICKS
  const step = 10 ** Math.floor(Math.log10(max / TICKS))
  const nice = [1, 2, 2.5, 5, 10].find((factor) => factor * step * TICKS >= max) ?? 10
  return Math.max(TICKS, nice * step * TICKS)
}

const ticksOf = (top: number): number[] => Array.from({ length: TICKS + 1 }, (_, i) => (top / TICKS) * i)
