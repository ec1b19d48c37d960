import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { formatNumber } from './numbers.ts'
import { roundTimes } from './round-times.ts'
import { type Column, Table } from './table.tsx'
import { More } from './values.tsx'

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
  /** Instants of the labels, in equal steps: only those at round times are written. */
  instants?: readonly number[]
  series: readonly Series[]
  /** Height of the plot in pixels. */
  height?: number
  /** Writes a value; default: with separators. */
  format?: ((value: number) => string) | undefined
}

const TOP = 8
const BOTTOM = 20
const LABEL_PX = 64
const TICKS = 4
const NARROW = 320
/** The widest bar in pixels: a bar alone is a column, no wall. */
const WIDEST_BAR = 48

/** Bottom and top of a point or bar, in the unit of the values. */
interface Extent {
  from: number
  to: number | null
}

/** The plot in pixels: its edges, the place of a label and of a value, and the width of a label. */
interface Scale {
  left: number
  right: number
  top: number
  bottom: number
  band: number
  ticks: readonly number[]
  x(i: number): number
  y(value: number): number
}

function scaleOf(
  extents: readonly (readonly Extent[])[],
  { labels, format = short }: ChartProps,
  { width, height }: { width: number; height: number },
): Scale {
  const most = niceTop(Math.max(0, ...extents.flatMap((one) => one.map(({ to }) => to ?? 0))))
  const ticks = ticksOf(most)
  const left = Math.max(...ticks.map((tick) => format(tick).length)) * 7 + 8
  const [right, top, bottom] = [width - 4, TOP, height - BOTTOM]
  const band = (right - left) / Math.max(1, labels.length)
  const x = (i: number) => left + band * (i + 0.5)
  const y = (value: number) => bottom - (most === 0 ? 0 : (value / most) * (bottom - top))
  return { left, right, top, bottom, band, ticks, x, y }
}

const short = (value: number): string => formatNumber(value, true)

/** The width of an element, kept up to date. */
function useWidth(box: { current: HTMLElement | null }) {
  const width = useSignal(640)
  useEffect(() => {
    const watch = new ResizeObserver(([entry]) => (width.value = Math.max(NARROW / 2, entry!.contentRect.width)))
    watch.observe(box.current!)
    return () => watch.disconnect()
  }, [])
  return width.value
}

/** A chart as SVG, with the table of its numbers below. */
export function Chart(props: ChartProps) {
  const { title, kind, labels, instants, series, height = 200, format = short } = props
  const exact = props.format ?? formatNumber
  const box = useRef<HTMLDivElement>(null)
  const width = useWidth(box)
  const at = useSignal<number | undefined>(undefined)
  const extents = kind === 'stacked' ? stack(series) : series.map(({ values }) => values.map((to) => ({ from: 0, to })))
  const scale = scaleOf(extents, props, { width, height })
  return (
    <figure class="chart">
      <div ref={box} class="chart-plot" onPointerLeave={() => (at.value = undefined)}>
        <svg
          viewBox={`0 0 ${width} ${height}`}
          height={height}
          role="img"
          aria-label={`${title}. The numbers are in the table below.`}
        >
          <Axes scale={scale} labels={labels} instants={instants} height={height} format={format} />
          {series.map(({ label }, s) =>
            kind === 'bar' || kind === 'stacked' ? (
              <Bars
                key={label}
                extents={extents[s]!}
                scale={scale}
                color={colorOf(s)}
                {...barPlace(kind, scale.band, s, series.length)}
              />
            ) : (
              <Line
                key={label}
                points={extents[s]!.map(({ to }) => to)}
                scale={scale}
                color={colorOf(s)}
                isFilled={kind === 'area'}
              />
            ),
          )}
          {labels.map((label, i) => (
            <rect
              key={label + i}
              class="band"
              x={scale.left + scale.band * i}
              width={scale.band}
              y={scale.top}
              height={scale.bottom - scale.top}
              onPointerEnter={() => (at.value = i)}
            />
          ))}
        </svg>
        {at.value !== undefined && labels[at.value] !== undefined && (
          <Tip
            label={labels[at.value]!}
            series={series}
            index={at.value}
            place={tipPlace(scale.x(at.value), width)}
            format={exact}
          />
        )}
      </div>
      {series.length > 1 && <Legend series={series} />}
      <More label="As a table">
        <Table
          label={title}
          small="scroll"
          rows={labels.map((label, i) => ({ label, i }))}
          keyOf={({ i }) => i}
          columns={columnsOf(series, exact)}
        />
      </More>
    </figure>
  )
}

interface AxesProps {
  scale: Scale
  labels: readonly string[]
  instants: readonly number[] | undefined
  height: number
  format(value: number): string
}

/** Lines with their values, and as many of the labels as have room. */
function Axes({ scale: { left, right, ticks, x, y }, labels, instants, height, format }: AxesProps) {
  const every = Math.max(1, Math.ceil((labels.length * LABEL_PX) / (right - left)))
  const isWritten = instants ? roundTimes(instants, every) : (i: number) => i % every === 0
  return (
    <>
      {ticks.map((tick) => (
        <g key={tick}>
          <line class="rule" x1={left} x2={right} y1={y(tick)} y2={y(tick)} />
          <text class="axis" x={left - 8} y={y(tick) + 4} text-anchor="end">
            {format(tick)}
          </text>
        </g>
      ))}
      {labels.map((label, i) =>
        isWritten(i) ? (
          <text key={label + i} class="axis" x={x(i)} y={height - 4} text-anchor="middle">
            {label}
          </text>
        ) : null,
      )}
    </>
  )
}

/** Width of a bar, and its distance from the middle of its label: bars of several series stand side by side, or on each other. */
function barPlace(kind: 'bar' | 'stacked', band: number, index: number, count: number) {
  const slot = Math.min(WIDEST_BAR, kind === 'bar' ? (band * 0.7) / count : band * 0.7)
  return { slot, offset: kind === 'bar' ? slot * (index - count / 2) : -slot / 2 }
}

interface BarsProps {
  extents: readonly Extent[]
  scale: Scale
  slot: number
  offset: number
  color: string
}

function Bars({ extents, scale: { x, y }, slot, offset, color }: BarsProps) {
  return (
    <>
      {extents.map(({ from, to }, i) =>
        to === null || to === from ? null : (
          <rect
            key={i}
            x={x(i) + offset + 0.5}
            width={Math.max(1, slot - 1)}
            y={y(to)}
            height={Math.max(1, y(from) - y(to))}
            rx={Math.min(2, slot / 4)}
            style={{ fill: color }}
          />
        ),
      )}
    </>
  )
}

interface TipProps {
  label: string
  series: readonly Series[]
  index: number
  place: ReturnType<typeof tipPlace>
  format(value: number): string
}

/** The values at the pointer. */
function Tip({ label, series, index, place, format }: TipProps) {
  return (
    <div class="chart-tip" aria-hidden="true" style={place}>
      <strong>{label}</strong>
      {series.map(({ label, values }) => (
        <div key={label}>
          {label}: {written(values[index], format)}
        </div>
      ))}
    </div>
  )
}

function Legend({ series }: { series: readonly Series[] }) {
  return (
    <figcaption class="chart-legend">
      {series.map(({ label }, s) => (
        <span key={label}>
          <i style={{ background: colorOf(s) }} />
          {label}
        </span>
      ))}
    </figcaption>
  )
}

const written = (value: number | null | undefined, format: (value: number) => string): string =>
  value == null ? '–' : format(value)

const columnsOf = (
  series: readonly Series[],
  format: (value: number) => string,
): Column<{ label: string; i: number }>[] => [
  { title: 'When', cell: ({ label }) => label },
  ...series.map(({ label, values }) => ({
    title: label,
    isNumeric: true,
    cell: ({ i }: { i: number }) => written(values[i], format),
  })),
]

const COLORS = 5
const colorOf = (series: number): string => `var(--series-${(series % COLORS) + 1})`

function tipPlace(x: number, width: number) {
  return x > width / 2 ? { right: `${width - x + 12}px` } : { left: `${x + 12}px` }
}

interface LineProps {
  points: readonly (number | null)[]
  scale: Scale
  color: string
  isFilled: boolean
}

/** A line with gaps where nothing is known; a point alone is a dot. */
function Line({ points, scale: { x, y, bottom }, color, isFilled }: LineProps) {
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
                d={`${path}L${x(run.at(-1)!.i)} ${bottom}L${x(start)} ${bottom}Z`}
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

function stack(series: readonly Series[]): Extent[][] {
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
