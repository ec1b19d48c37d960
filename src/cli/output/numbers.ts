/** Names of columns and fields whose numbers name something: people copy them. */
const NAMING = new Set(
  'id app process port line status notification message version webhook series server install segment geofence channel import person'.split(
    ' ',
  ),
)

/** A number for people, with separators between its thousands. */
export function grouped(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 20 })
}

/** A number below the head of a column, or beside the name of a field: with separators, unless it names something. */
export function groupedUnder(name: string, value: number): string {
  return NAMING.has(name.toLowerCase()) ? String(value) : grouped(value)
}
