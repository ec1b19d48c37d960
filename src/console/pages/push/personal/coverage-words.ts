import { wordsOf } from './template.ts'
import type { Estimate } from './types.ts'

type OfPush = NonNullable<Estimate['personalization']>
/** Counts of a sample, of a push or an in-app message. */
export type Coverage = Omit<OfPush, 'longest'>
/** The unit of the counts: pushes go to devices, in-app messages to people. */
export type Unit = 'device' | 'person'
const MANY: Record<Unit, string> = { device: 'devices', person: 'people' }

/** Digits of a number that was reckoned from a sample. */
const DIGITS = 3
const plain = (count: number): string => new Intl.NumberFormat().format(count)

/** Writes counts of a sample as counts of all recipients. */
function scaleOf({ sampled }: Coverage, recipients: number): (count: number) => string {
  const all = Math.max(recipients, sampled)
  if (sampled === 0 || sampled >= all) return plain
  return (count) => `about ${plain(Number(((count / sampled) * all).toPrecision(DIGITS)))}`
}

/** The value in words; an expression that begins with a text stays as it is written. */
const nameOf = ({ expression, path }: Coverage['expressions'][number]): string =>
  path === null ? expression : `the ${wordsOf(path)}`

/**
 * Sentences about those who lack a value, for a number of recipients: “For about 1,240 of 48,000 the first name is missing:
 * they get “Good news”.” Empty when everybody has everything.
 */
export function coverageLines(coverage: Coverage, recipients: number, whenMissing: 'skip' | 'empty'): string[] {
  const { expressions, skipped, tooLarge, sampled } = coverage
  const scaled = scaleOf(coverage, recipients)
  const all = plain(Math.max(recipients, sampled))
  const lines: string[] = []
  for (const one of expressions) {
    const { defaults, defaultText, missing } = one
    if (defaults > 0) {
      const instead = defaultText === null ? 'another text' : `“${defaultText}”`
      lines.push(`For ${scaled(defaults)} of ${all} ${nameOf(one)} is missing: they get ${instead}.`)
    }
    if (missing > 0) {
      const effect = whenMissing === 'skip' ? 'they get nothing' : 'nothing stands in its place'
      lines.push(`For ${scaled(missing)} of ${all} ${nameOf(one)} is missing: ${effect}.`)
    }
  }
  const counted = expressions.reduce((most, { missing }) => Math.max(most, missing), 0)
  // One sentence says it already where a single value is missing.
  if (skipped > 0 && (whenMissing === 'empty' || skipped !== counted))
    lines.push(
      `In all ${scaled(skipped)} of ${all} get nothing: a value is missing, or what they would read ends empty.`,
    )
  if (tooLarge > 0) lines.push(`For ${scaled(tooLarge)} of ${all} it is too large: they get nothing.`)
  return lines
}

/** The sentence about the sample behind the counts; undefined where all recipients were looked at. */
export function sampleLine({ sampled }: Coverage, recipients: number, unit: Unit = 'device'): string | undefined {
  if (sampled >= recipients) return undefined
  return sampled === 0 ? 'Nobody was looked at yet.' : `Reckoned from a sample of ${plain(sampled)} ${MANY[unit]}.`
}

/** The number of recipients of each language in words, by its tag or `default`: “about 640 devices”. */
export function languageCounts(
  coverage: Coverage | undefined,
  recipients: number,
  unit: Unit = 'device',
): ReadonlyMap<string, string> {
  if (coverage?.languages === undefined) return new Map()
  const scaled = scaleOf(coverage, recipients)
  return new Map(
    coverage.languages.map(({ language, count }) => {
      const text = scaled(count)
      return [language, `${text} ${text === '1' ? unit : MANY[unit]}`]
    }),
  )
}
