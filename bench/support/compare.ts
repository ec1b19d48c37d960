import { type Result, rounded, type Spread } from './result.ts'
import type { BenchRow, Run } from './runs.ts'

/** Changes up to this share are noise. */
const NOISE = 0.1

/** A row of two runs. */
export interface Change {
  name: string
  verdict: 'better' | 'worse' | 'gone' | 'new'
  text: string
}

/** The figure of a row that is compared: the ratio to its baseline if there is one, as machines and their load differ. */
interface Figure extends Spread {
  value: number
  unit: string
}

/**
 * The changes from one run to another that are more than noise. Pure. A row changed when it differs by more than a tenth and the
 * spreads of the two do not overlap. Rows that ran once have no spread, and change by their values alone.
 */
export function compareRuns(before: Run, after: Run): Change[] {
  const known = new Map(before.rows.map((row) => [keyOf(row), row]))
  const changes = after.rows.flatMap((row): Change[] => {
    const old = known.get(keyOf(row))
    if (!old) return [{ name: keyOf(row), verdict: 'new', text: `${rounded(row.value)} ${row.unit}` }]
    known.delete(keyOf(row))
    return changeOf(old, row)
  })
  const gone = [...known.keys()].map((name): Change => ({ name, verdict: 'gone', text: 'not in the second run' }))
  return [...changes, ...gone]
}

const keyOf = ({ bench, name }: BenchRow) => `${bench}: ${name}`

function changeOf(old: BenchRow, row: BenchRow): Change[] {
  const [before, after] = figuresOf(old, row)
  const change = after.value / before.value - 1
  const isApart = after.min > before.max || after.max < before.min
  if (!isApart || !(Math.abs(change) > NOISE)) return []
  const isBetter = change > 0 === (betterOf(row) === 'more')
  const percent = `${change > 0 ? '+' : ''}${rounded(change * 100)} %`
  const of = ({ value, min, max, unit }: Figure) => `${rounded(value)}${unit} (${rounded(min)} to ${rounded(max)})`
  return [
    { name: keyOf(row), verdict: isBetter ? 'better' : 'worse', text: `${of(before)} -> ${of(after)}, ${percent}` },
  ]
}

function figuresOf(old: BenchRow, row: BenchRow): [Figure, Figure] {
  const haveBaseline = old.against !== undefined && old.against.name === row.against?.name
  const figure = haveBaseline ? ratioOf : valueOf
  return [figure(old), figure(row)]
}

function valueOf({ value, unit, spread }: Result): Figure {
  return { value, unit: ` ${unit}`, ...(spread ?? { min: value, max: value, runs: 1 }) }
}

function ratioOf({ value, against, spread, ratio }: Result): Figure {
  const unit = ` x ${against!.name}`
  if (ratio) return { ...ratio, unit }
  const { min, max, runs } = spread ?? { min: value, max: value, runs: 1 }
  const base = against!.value
  return { value: value / base, min: min / base, max: max / base, runs, unit }
}

/** Rates are better when there are more; times, memory and shares of them when there is less. */
function betterOf({ better, unit }: Result): 'more' | 'less' {
  return better ?? (unit.endsWith('/s') ? 'more' : 'less')
}

/** The text for people; the last line says how noise is judged. */
export function changesText(before: Run, after: Run, changes: readonly Change[]): string {
  const widths = Math.max(0, ...changes.map(({ name }) => name.length))
  const lines = changes.map(({ name, verdict, text }) => `${verdict.padEnd(6)}  ${name.padEnd(widths)}  ${text}`)
  return [
    `${before.commit} (${before.date}) -> ${after.commit} (${after.date})`,
    ...(lines.length > 0 ? lines : ['nothing changed by more than noise']),
    `changed: by more than ${NOISE * 100} %, and the spreads do not overlap`,
  ].join('\n')
}
