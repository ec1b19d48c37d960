import type { Coverage } from '../../domain/notifications/personal/coverage.ts'
import type { CoveredExpression, ReadersCoverage } from '../../domain/personalization/people/coverage.ts'
import { printable } from './output.ts'
import { countOf } from './plural.ts'

/** The coverage of a push or, without `longest`, of an in-app message, as lines for people. */
export function coverageInWords({
  longest,
  ...coverage
}: Omit<ReadersCoverage, 'unknown' | 'languages'> &
  Partial<Pick<ReadersCoverage, 'languages'> & Pick<Coverage, 'longest'>>): string[] {
  const { sampled, expressions, skipped, tooLarge, languages, examples } = coverage
  const of = countOf(sampled, 'recipient')
  return [
    `looked at ${of}`,
    ...expressions.flatMap((one) => expressionInWords(one, sampled, skipped)),
    ...(languages && languages.length > 0
      ? [`  languages: ${languages.map(({ language, count }) => `${language} ${count}`).join(', ')}`]
      : []),
    ...(skipped > 0 ? [`  ${skipped} of ${sampled} get nothing, because a value is missing`] : []),
    ...(tooLarge > 0
      ? [
          `  ${tooLarge} of ${sampled} get nothing, because it is too large${longest === undefined ? '' : ' for their gateway'}`,
        ]
      : []),
    ...(longest ? [`  largest: ${longest.platform}, ${longest.bytes} of ${longest.limit} bytes`] : []),
    ...examples.map(
      ({ userId, title, message }) => `  ${printable(userId ?? '-')}: ${printable(title)} | ${printable(message)}`,
    ),
  ]
}

function expressionInWords(
  { expression, path, missing, defaults, defaultText }: CoveredExpression,
  sampled: number,
  skipped: number,
): string[] {
  const name = printable(path ?? expression)
  const text = defaultText === null ? 'the default' : JSON.stringify(printable(defaultText))
  return [
    ...(defaults > 0 ? [`  ${name} is missing for ${defaults} of ${sampled}: they get ${text}`] : []),
    ...(missing > 0
      ? [`  ${name} is missing for ${missing} of ${sampled}${skipped > 0 ? '' : ': nothing stands there'}`]
      : []),
  ]
}
