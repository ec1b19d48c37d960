/**
 * Text that a program for tables would run as a formula, also with full-width signs or after white space (OWASP, "CSV Injection"), and
 * such text with a guard (an apostrophe) before it. Writers add a guard to both, so that readers can remove exactly one.
 */
const FORMULA = /^'*(?:[\t\r\n]|\s*[=+\-@＝＋－＠])/
const GUARDED = /^'+(?:[\t\r\n]|\s*[=+\-@＝＋－＠])/

/** A text as a cell that no program for tables runs. Pure. */
export const guarded = (text: string): string => (FORMULA.test(text) ? `'${text}` : text)

/** What `guarded` made its cell of. Pure. */
export const unguarded = (cell: string): string => (GUARDED.test(cell) ? cell.slice(1) : cell)

/** One record of CSV (RFC 4180) with its line end, for people: texts are guarded. Pure. */
export function writeRecord(cells: readonly (string | number | null)[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`
}

function cellOf(value: string | number | null): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const text = guarded(value)
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
