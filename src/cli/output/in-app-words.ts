import { STATUS } from '../../domain/in-app/types.ts'

const STATUS_NAMES = new Map<number, string>(Object.entries(STATUS).map(([name, value]) => [value, name]))

/** The word for an in-app message's status. */
export function inAppStatusName(status: number): string {
  return STATUS_NAMES.get(status) ?? String(status)
}

/** `2 days` or `36 hours`; `never over` for null. */
export function ttlInWords(ttlMs: number | null): string {
  if (ttlMs === null) return 'never over'
  const hours = ttlMs / 3_600_000
  const [count, unit] = hours % 24 === 0 ? [hours / 24, 'day'] : [hours, 'hour']
  return `${count} ${unit}${count === 1 ? '' : 's'} from when a user gets it`
}
