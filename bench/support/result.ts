/** One result of a bench, with a baseline if there is one: ratios differ less between machines than numbers. */
export interface Result {
  name: string
  value: number
  /** `pushes/s`, `ms`, `MB` ... */
  unit: string
  /** The baseline that was measured in the same run. */
  against?: { name: string; value: number }
  /** What a reader must know about this number. */
  note?: string
}

/** Results as aligned columns. */
export function table(results: readonly Result[]): string {
  const rows = results.map(({ name, value, unit, against, note }) => [
    name,
    `${rounded(value)} ${unit}`,
    against ? `${rounded(value / against.value)} x ${against.name} (${rounded(against.value)})` : '',
    note ?? '',
  ])
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]!.length)))
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
function rounded(value: number): string {
  if (!Number.isFinite(value)) return '-'
  return Math.abs(value) >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)))
}

/** The percentile of a list: the value that the share `p` (0 to 1) of it does not exceed. */
export function percentile(values: readonly number[], p: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))] ?? Number.NaN
}
