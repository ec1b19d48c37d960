import type { App } from '../app.ts'
import type { SettingName } from '../platform/config.ts'

/** The log speaks of each limit at most so often. */
const LOG_EVERY_MS = 60_000

/** Settings that connections and wrong keys are refused by. */
export const DOOR_LIMITS = [
  'limits.wrongKeys',
  'http.maxConnections',
  'http.maxPerAddress',
  'http.writeTimeout',
  'http.answerBytes',
] as const satisfies SettingName[]

/** Counts what a limit refused, for metrics, and tells the log once in a while; `who` is the one of that moment. */
export function refusalNotes(
  { clock, log, refusals }: Pick<App['kernel'], 'clock' | 'log' | 'refusals'>,
  limit: SettingName,
  remark: string,
): (who: string) => void {
  let refused = 0
  let silentUntil = -Infinity
  return (who) => {
    refusals.set(limit, (refusals.get(limit) ?? 0) + 1)
    refused++
    const now = clock.monotonic()
    if (now < silentUntil) return
    log.warn({ limit, who, refused }, remark)
    refused = 0
    silentUntil = now + LOG_EVERY_MS
  }
}
