import { formatNumber } from '../../parts/numbers.ts'

const short = (value: number): string => formatNumber(value, true)

/** "+12, up from 150": a figure beside that of the period before; undefined where that is not known. */
export function changeInWords(now: number, before: number | undefined): string | undefined {
  if (before === undefined) return undefined
  if (now === before) return now === 0 ? 'none before either' : 'as many as before'
  const isMore = now > before
  return `${isMore ? '+' : '−'}${short(Math.abs(now - before))}, ${isMore ? 'up' : 'down'} from ${short(before)}`
}
