const UNITS = [
  [2 ** 40, 'TiB'],
  [2 ** 30, 'GiB'],
] as const

/** A number of bytes for people: whole MiB, and from 1 GiB on with one decimal. `round`: where the sentence needs the other side. */
export function sizeOf(bytes: number, round: (value: number) => number = Math.round): string {
  for (const [unit, name] of UNITS) if (bytes >= unit) return `${round((bytes / unit) * 10) / 10} ${name}`
  return `${round(bytes / 2 ** 20)} MiB`
}
