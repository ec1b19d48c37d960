import { AppError } from '../../platform/errors.ts'
import { durationMs } from '../../platform/time/duration.ts'

/** `90s`, `30m`, `24h`, `7d` or `0` -> milliseconds. Throws `usage` for anything else; `flag` names it. */
export function parseDuration(text: string, flag: string): number {
  const ms = durationMs(text)
  if (ms === undefined) {
    throw new AppError(
      'usage',
      `${flag} must be a duration such as 90s, 30m, 24h or 7d (or 0), not ${JSON.stringify(text)}`,
    )
  }
  return ms
}
