import type { ClockDoubt } from '../clock.ts'

/**
 * The message for people: how the clock is wrong, what waits, and what to do. `standsFor`: how long the clock has to stand to be believed
 * (ms); undefined when that is not known.
 */
export function doubtSentence({ off, isConfirmed, isStart }: ClockDoubt, standsFor: number | undefined): string {
  const by = `${Math.round(Math.abs(off) / 1000)} s`
  if (isConfirmed) {
    const where = off > 0 ? 'ahead of' : 'behind'
    return `the clock is ${by} ${where} the clock of the database, which is used instead: set both by NTP (timedatectl set-ntp true)`
  }
  const what = isStart
    ? `the clock shows what cannot be: it is ${by} ${off > 0 ? 'after' : 'before'} the time that was known last`
    : `the clock jumped ${by} ${off > 0 ? 'ahead' : 'back'}`
  const goesOn = 'the time goes on from before, scheduled sends wait, and nothing is deleted for its age'
  const remedy = 'correct the clock (timedatectl set-ntp true)'
  const until =
    standsFor === undefined
      ? ''
      : `; if it is right now, wait: it is believed when it has stood for ${Math.round(standsFor / 60_000)} minutes`
  return `${what}: ${goesOn}; ${remedy}${until}`
}
