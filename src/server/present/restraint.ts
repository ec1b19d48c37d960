import type { Restraint } from '../../domain/apps/types.ts'

/** Quiet hours, frequency cap and confirmation as their form takes them; null where there is none. */
export function presentRestraint({ quiet, cap, confirmAbove }: Restraint) {
  return {
    quietHours: quiet && { from: timeOf(quiet.from), to: timeOf(quiet.to) },
    frequencyCap: cap && { count: cap.count, hours: cap.hours },
    confirmAbove,
  }
}

function timeOf(minute: number): string {
  const two = (value: number) => String(value).padStart(2, '0')
  return `${two(Math.floor(minute / 60))}:${two(minute % 60)}`
}
