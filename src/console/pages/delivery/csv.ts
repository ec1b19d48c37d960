import { csvText } from '../../parts/csv.ts'
import { platformName } from '../../parts/platforms.ts'
import type { Report } from './words.ts'

type Cell = string | number
const HEAD = ['part', 'name', 'recipients', 'accepted', 'confirmed', 'opened', 'not reached'] as const

/** The figures of a report as CSV: of all, by platform, by language, and by reason. */
export function csvOf({ title, counts, platforms, languages = [], reasons }: Report): string {
  const { audience, accepted, delivered, opened, failed } = counts
  const rows: Cell[][] = [
    ['all', title, audience, accepted, delivered, opened, failed],
    ...platforms.map((one) => [
      'platform',
      platformName(one.platform),
      one.audience,
      one.accepted,
      one.delivered,
      one.opened,
      one.failed,
    ]),
    ...languages.map((one) => ['language', one.language, '', one.accepted, '', one.opened, '']),
    ...reasons.map(({ outcome, reason, count }) => [`reason: ${outcome}`, reason, count, '', '', '', '']),
  ]
  return csvText([HEAD, ...rows])
}
