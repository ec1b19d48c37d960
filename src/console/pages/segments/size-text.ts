import { formatNumber } from '../../parts/numbers.ts'

/** An estimate is not known to the last digit: two that count. */
export function rounded(total: number): number {
  const unit = 10 ** Math.max(0, String(total).length - 2)
  return Math.round(total / unit) * unit
}

/** `1,571`, or `about 51,000` for an estimate. */
export const sizeText = ({ total, isEstimate }: { total: number; isEstimate: boolean }): string =>
  isEstimate ? `about ${formatNumber(rounded(total))}` : formatNumber(total)
