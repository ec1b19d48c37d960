import type { Restraint } from '../../domain/apps/types.ts'

/** Quiet hours and frequency cap as their form takes them; null where there is none. */
export function presentRestraint({ quiet, cap }: Restraint) {
  return {
    quietHours: quiet && { from: timeOf(quiet.from), to: timeOf(quiet.to) },
    frequencyCap: cap && { count: cap.count, hours: cap.hours },
  }
}

function timeOf(minute: number): string {
  const two = (value: number) => String(value).padStart(2, '0')
  return `${two(Math.floor(minute / 60))}:${two(minute % 60)}`
}
