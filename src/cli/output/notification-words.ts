import { SOURCE, STATUS } from '../../domain/notifications/types.ts'
import type { Schedule } from '../../domain/schedules/schedule.ts'

const STATUS_NAMES = new Map<number, string>(Object.entries(STATUS).map(([name, value]) => [value, name]))

const SOURCE_WORDS: Record<keyof typeof SOURCE, string> = {
  messages: 'messages API',
  push: 'push API',
  legacy: 'push API, legacy form',
  cli: 'command line',
  console: 'console',
  inApp: 'in-app message',
}
const SOURCE_NAMES = new Map<number, string>(
  (Object.keys(SOURCE) as (keyof typeof SOURCE)[]).map((name) => [SOURCE[name], SOURCE_WORDS[name]]),
)

/** The name of a notification's status (docs/decisions/0006-where-the-contract-is-silent.md). */
export function statusName(status: number): string {
  return STATUS_NAMES.get(status) ?? String(status)
}

/** The interface through which a notification was created. */
export function sourceName(source: number): string {
  return SOURCE_NAMES.get(source) ?? String(source)
}

/** `2026-03-02 09:00 local`; `at once` without a schedule. */
export function scheduleInWords(schedule: Schedule | null): string {
  if (schedule === null) return 'at once'
  if (schedule.strategy === 'preferredHour') return 'next preferred hour'
  const { strategy, sendAt } = schedule
  const where = { utc: 'UTC', local: 'local', timezone: '', intelligent: 'preferred hour' }[strategy]
  return `${sendAt} ${'timezone' in schedule ? schedule.timezone : where}`
}

/** The treatment of installs with an unknown time zone, in words. */
export function unknownZonesInWords(count: number, defaultZone: string): string {
  return `${count}, treated as ${defaultZone}`
}
