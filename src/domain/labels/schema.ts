import { readInstant, WITH_OFFSET } from '../../platform/time/instants.ts'
import { documented, type Infer, instant, integer, list, shape, text } from '../../platform/values/parse.ts'
import { type LabelPeriod, MOST_CHARACTERS, MOST_LABELS } from './types.ts'

const DAY_MS = 86_400_000
/** The period of a report that names none. */
const USUAL_DAYS = 30

const RULE = `must be a word of 1 to ${MOST_CHARACTERS} letters, digits, dots, - and _ that begins with a letter or digit, such as autumn-2026`
const WORD = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._-]*$/u

/**
 * A label as it is stored and looked for: capitals make no other label, and a stored one is that of itself. A capital with a sign may
 * have no character of its own where the small letter has one, so the signs are joined afterwards. Pure.
 */
export const labelOf = (written: string): string => written.normalize('NFC').toLowerCase().normalize('NFC')

function isLabel(written: string): boolean {
  const label = labelOf(written)
  return WORD.test(label) && [...label].length <= MOST_CHARACTERS
}

/** A label as somebody writes it. */
export function labelField() {
  const schema = text().test('label', RULE, (value) => value == null || value === '' || isLabel(value))
  return documented(schema, { maxLength: MOST_CHARACTERS })
}

/** The labels of a request. */
export function labelsField() {
  return list(labelField().required(), { max: MOST_LABELS })
}

/** The labels of a checked request as they are stored, each once and in order; undefined for none. Pure. */
export function labelsOf({ labels }: { labels?: readonly string[] | undefined }): string[] | undefined {
  if (labels === undefined || labels.length === 0) return undefined
  return [...new Set(labels.map(labelOf))].sort()
}

/** Query of the labels in use: `after` is the `next` of the page before, `q` their beginning. */
export const listLabels = shape({
  after: labelField(),
  limit: integer({ min: 1, max: 100 }).default(50),
  q: text({ max: MOST_CHARACTERS }),
})

/** Query of the sums of labels. */
export const reportLabels = shape({
  after: labelField(),
  limit: integer({ min: 1, max: 50 }).default(20),
  label: labelField(),
  createdSince: instant(),
  createdBefore: instant(),
})

/** The period of a checked query; without one the last 30 days. Pure. */
export function periodOf(
  { createdSince, createdBefore }: Pick<Infer<typeof reportLabels>, 'createdSince' | 'createdBefore'>,
  now: number,
): LabelPeriod {
  const at = (given: string | undefined) => (given === undefined ? undefined : readInstant(given, WITH_OFFSET))
  // What is created in this very millisecond is in it.
  const before = at(createdBefore) ?? now + 1
  return { since: at(createdSince) ?? before - USUAL_DAYS * DAY_MS, before }
}
