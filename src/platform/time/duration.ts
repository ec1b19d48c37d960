const UNITS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const MAX_DAYS = 3650

/** `90s`, `30m`, `24h`, `7d` or `0` -> milliseconds; undefined for anything else, and for more than ten years. */
export function durationMs(text: string): number | undefined {
  const match = /^(\d{1,9})([smhd])$/.exec(text)
  const ms = text === '0' ? 0 : match ? Number(match[1]) * UNITS[match[2]!]! : Number.NaN
  return ms <= MAX_DAYS * 86_400_000 ? ms : undefined
}
