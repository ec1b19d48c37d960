import type { App } from '../app.ts'
import type { SettingName } from '../platform/config.ts'
import { createSparing } from '../platform/sparing.ts'

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
  const isNew = createSparing()
  return (who) => {
    refusals.set(limit, (refusals.get(limit) ?? 0) + 1)
    refused++
    if (!isNew(remark, clock.monotonic())) return
    log.warn({ limit, who, refused }, remark)
    refused = 0
  }
}
