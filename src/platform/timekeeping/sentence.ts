import type { ClockDoubt } from '../time/clock.ts'

/** What is wrong with the clock and what waits, and what to do. `standsFor` as for `doubtSentence`. */
export function explainDoubt(
  { off, isConfirmed, isStart }: ClockDoubt,
  standsFor: number | undefined,
): { what: string; remedy: string } {
  const by = `${Math.round(Math.abs(off) / 1000)} s`
  if (isConfirmed) {
    const where = off > 0 ? 'ahead of' : 'behind'
    return {
      what: `the clock is ${by} ${where} the clock of the database, which is used instead`,
      remedy: 'set both by NTP (timedatectl set-ntp true)',
    }
  }
  const what = isStart
    ? `the clock shows what cannot be: it is ${by} ${off > 0 ? 'after' : 'before'} the time that was known last`
    : `the clock jumped ${by} ${off > 0 ? 'ahead' : 'back'}`
  const until =
    standsFor === undefined
      ? ''
      : `; if it is right now, wait: it is believed when it has stood for ${Math.round(standsFor / 60_000)} minutes`
  return {
    what: `${what}: the time goes on from before, scheduled sends wait, and nothing is deleted for its age`,
    remedy: `correct the clock (timedatectl set-ntp true)${until}`,
  }
}

/**
 * The message for people about a clock in doubt. `standsFor`: how long the clock has to stand to be believed (ms); undefined when that is
 * not known.
 */
export function doubtSentence(doubt: ClockDoubt, standsFor: number | undefined): string {
  const { what, remedy } = explainDoubt(doubt, standsFor)
  return `${what}; ${remedy}`
}
