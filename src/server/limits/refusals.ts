import type { SettingName } from '../../platform/config/settings.ts'
import { createSparing } from '../../platform/log/sparing.ts'
import type { Program } from '../../program.ts'

/** Settings that limit connections, answers and wrong keys. */
export const DOOR_LIMITS = [
  'limits.wrongKeys',
  'http.maxConnections',
  'http.maxPerAddress',
  'http.writeTimeout',
  'http.answerBytes',
] as const satisfies SettingName[]

/** Counts refusals by a limit for metrics, and logs them from time to time; the log line names the latest caller. */
export function refusalNotes(
  { clock, log, refusals }: Pick<Program['kernel'], 'clock' | 'log' | 'refusals'>,
  limit: SettingName,
  remark: string,
): (who: string) => void {
  let refused = 0
  const isNew = createSparing()
  return (who) => {
    refusals.set(limit, (refusals.get(limit) ?? 0) + 1)
    refused++
    if (!isNew(remark, clock.monotonic())) return
    log.warn({ limit, who, refused }, remark)
    refused = 0
  }
}
