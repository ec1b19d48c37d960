import { AppError } from '../../platform/errors.ts'

const UNITS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const MAX_DAYS = 3650

/** `90s`, `30m`, `24h`, `7d` or `0` -> milliseconds. Throws `usage` for anything else; `flag` names it. */
export function parseDuration(text: string, flag: string): number {
  const match = /^(\d{1,9})([smhd])$/.exec(text)
  const ms = text === '0' ? 0 : match ? Number(match[1]) * UNITS[match[2]!]! : Number.NaN
  if (!(ms <= MAX_DAYS * 86_400_000)) {
    throw new AppError(
      'usage',
      `${flag} must be a duration such as 90s, 30m, 24h or 7d (or 0), not ${JSON.stringify(text)}`,
    )
  }
  return ms
}
