import type { AppRules } from '../../domain/apps/types.ts'

/** What an app restrains as its form takes it; null where there is none. */
export function presentRestraint({ quiet, cap, deviceChannels }: AppRules) {
  return {
    quietHours: quiet && { from: timeOf(quiet.from), to: timeOf(quiet.to) },
    frequencyCap: cap && { count: cap.count, hours: cap.hours },
    deviceChannels,
  }
}

function timeOf(minute: number): string {
  const two = (value: number) => String(value).padStart(2, '0')
  return `${two(Math.floor(minute / 60))}:${two(minute % 60)}`
}
