/** Cells that programs for tables would take for a formula; they begin like one. */
const FORMULA = /^[=+\-@\t\r]/

/**
 * One record of CSV (RFC 4180) with its line end. A cell that begins like a formula gets an apostrophe in front, because
 * programs for tables would run it (OWASP, "CSV Injection"). Pure.
 */
export function writeRecord(cells: readonly (string | number | null)[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`
}

function cellOf(value: string | number | null): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const text = FORMULA.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
