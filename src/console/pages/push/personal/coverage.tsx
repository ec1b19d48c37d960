import { ApiError } from '../../../api/errors.ts'
import type { Loaded } from '../../../api/load.ts'
import { Failed, Note, Skeleton } from '../../../parts/surfaces.tsx'
import { More } from '../../../parts/values.tsx'
import { type Coverage, coverageLines, languageCounts, sampleLine, type Unit } from './coverage-words.ts'
import { nameOfLanguage } from './languages.ts'

/** Members of the estimate of a push and of an in-app message. */
interface Covered {
  personalization?: Coverage | undefined
  recipients: number
  warnings?: string[] | undefined
}

interface CoverageProps {
  estimate: Loaded<Covered>
  whenMissing: 'skip' | 'empty'
  unit?: Unit
}

/** The words while the answer may be missing, or that of an earlier text: somebody may confirm the push meanwhile. */
const COUNTING = 'Still counting who gets what…'

/** Tells what recipients get who lack a value, how many get which language, and what some of them read. */
export function CoverageOf({ estimate, whenMissing, unit = 'device' }: CoverageProps) {
  const now = estimate.value.value
  const error = estimate.error.value
  // What is wrong with a text stands beside its field.
  if (error instanceof ApiError && error.status === 422) return null
  if (error !== undefined) return <Failed error={error} retry={estimate.reload} />
  const isCounting = estimate.isLoading.value
  if (!now) {
    return isCounting ? (
      <div class="push-coverage" aria-live="polite" aria-busy="true">
        <p class="quiet">{COUNTING}</p>
        <Skeleton lines={2} />
      </div>
    ) : null
  }
  const { personalization: coverage, recipients, warnings = [] } = now
  return (
    <div class="push-coverage" aria-live="polite" aria-busy={isCounting}>
      {isCounting && <p class="quiet">{COUNTING}</p>}
      {warnings.map((warning) => (
        <Note key={warning} tone="warn" title={`${warning.charAt(0).toUpperCase()}${warning.slice(1)}.`} />
      ))}
      {coverage && <Counted coverage={coverage} recipients={recipients} whenMissing={whenMissing} unit={unit} />}
    </div>
  )
}

interface CountedProps {
  coverage: Coverage
  recipients: number
  whenMissing: 'skip' | 'empty'
  unit: Unit
}

function Counted({ coverage, recipients, whenMissing, unit }: CountedProps) {
  const { expressions, examples, sampled } = coverage
  const lines = coverageLines(coverage, recipients, whenMissing)
  const languages = [...languageCounts(coverage, recipients, unit)]
  const sample = sampleLine(coverage, recipients, unit)
  return (
    <>
      {lines.length > 0 && (
        <ul class="push-coverage-lines">
          {lines.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
      {lines.length === 0 && expressions.length > 0 && sampled > 0 && <p>Everybody has every value.</p>}
      {languages.length > 0 && (
        <p>{languages.map(([language, count]) => `${nameOfLanguage(language)}: ${count}`).join(', ')}</p>
      )}
      {sample !== undefined && <p class="quiet small-text">{sample}</p>}
      {examples.length > 0 && (
        <More label={examples.length === 1 ? 'What one of them gets' : `What ${examples.length} of them get`}>
          <ul class="reach-sample">
            {examples.map(({ userId, title, message }, i) => (
              <li key={i}>
                <strong>{userId ?? 'No user'}</strong>
                <span>
                  {title} <span class="quiet">{message}</span>
                </span>
              </li>
            ))}
          </ul>
        </More>
      )}
    </>
  )
}
