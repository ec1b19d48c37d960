/** One result of a bench, with a baseline if there is one: ratios differ less between machines than numbers. */
export interface Result {
  name: string
  /** The median of its runs, where it ran more than once. */
  value: number
  /** `pushes/s`, `ms`, `MB` ... */
  unit: string
  /** The baseline that was measured in the same run. */
  against?: { name: string; value: number }
  /** The least and the most of its runs. */
  spread?: Spread
  /** The ratio to the baseline over all runs, where it was measured in each. */
  ratio?: Spread & { value: number }
  /** The direction that is better; without it the unit tells: rates should be more, anything else less. */
  better?: 'more' | 'less'
  /** Remarks that a reader must know about this number. */
  note?: string
}

export interface Spread {
  min: number
  max: number
  runs: number
}

/** Results as aligned columns. */
export function table(results: readonly Result[]): string {
  const rows = results.map(({ name, value, unit, against, spread, note }) => [
    name,
    `${rounded(value)} ${unit}`,
    against ? `${rounded(value / against.value)} x ${against.name} (${rounded(against.value)})` : '',
    spread ? `${rounded(spread.min)} to ${rounded(spread.max)} in ${spread.runs}` : '',
    note ?? '',
  ])
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]!.length)))
  return rows
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Rounds to three significant digits. */
export function rounded(value: number): string {
  if (!Number.isFinite(value)) return '-'
  return Math.abs(value) >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)))
}

/** The percentile of a list: the value that the share `p` (0 to 1) of it does not exceed. */
export function percentile(values: readonly number[], p: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))] ?? Number.NaN
}

/** The one in the middle; of an even number, the mean of the two in the middle. */
export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const half = sorted.length / 2
  return sorted.length % 2 === 1 ? sorted[Math.floor(half)]! : (sorted[half - 1]! + sorted[half]!) / 2
}

export function spreadOf(values: readonly number[]): Spread {
  return { min: Math.min(...values), max: Math.max(...values), runs: values.length }
}
