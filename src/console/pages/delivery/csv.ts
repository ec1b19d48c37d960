import { platformName } from '../../parts/platforms.ts'
import type { Report } from './words.ts'

type Cell = string | number
const HEAD = ['part', 'name', 'recipients', 'accepted', 'confirmed', 'opened', 'not reached'] as const

/** The rule of src/platform/text/csv-text.ts, whose records these are: a browser has nothing of the server. A test holds them equal. */
const FORMULA = /^'*(?:[\t\r\n]|\s*[=+\-@＝＋－＠])/

/** A text that a program for tables would run gets an apostrophe. */
function cellOf(value: Cell): string {
  if (typeof value === 'number') return String(value)
  const text = FORMULA.test(value) ? `'${value}` : value
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

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
  return [HEAD, ...rows].map((row) => `${row.map(cellOf).join(',')}\r\n`).join('')
}
