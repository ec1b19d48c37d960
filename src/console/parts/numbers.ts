const plain = new Intl.NumberFormat()
const short = new Intl.NumberFormat(undefined, { notation: 'compact', maximumSignificantDigits: 3 })
const LONG = 10_000

/** A number with separators; `isShort` for large ones where there is little room: 1.2M. */
export function formatNumber(value: number, isShort = false): string {
  return isShort && Math.abs(value) >= LONG ? short.format(value) : plain.format(value)
}

/** A share as a percentage; nothing of nothing is a dash. */
export function formatShare(part: number, whole: number): string {
  if (whole === 0) return '–'
  return new Intl.NumberFormat(undefined, {
    style: 'percent',
    maximumFractionDigits: part / whole < 0.1 ? 1 : 0,
  }).format(part / whole)
}
