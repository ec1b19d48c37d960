import { Note } from '../../parts/surfaces.tsx'
import { Copyable, KeyValues, Time } from '../../parts/values.tsx'
import { type Fact, labelOf, valuesOf } from './words.ts'

interface FactsProps {
  facts: readonly Fact[]
  ends: string | null
}

/** Facts of a credential, and when it ends. */
export function Facts({ facts, ends }: FactsProps) {
  return (
    <KeyValues
      items={[
        ...facts.map(
          (fact) =>
            [
              labelOf(fact),
              fact.name === 'publicKey' ? (
                <Copyable key={fact.name} text={fact.values[0] ?? ''} />
              ) : (
                <span key={fact.name} style={{ overflowWrap: 'anywhere' }}>
                  {valuesOf(fact)}
                </span>
              ),
            ] as const,
        ),
        ['Valid until', ends === null ? undefined : <Time key="ends" at={ends} isExact />] as const,
      ]}
    />
  )
}

export function Warnings({ warnings }: { warnings: readonly string[] }) {
  if (warnings.length === 0) return null
  return (
    <div class="stack tight">
      {warnings.map((text) => (
        <Note key={text} tone="warn" title={sentence(text)} />
      ))}
    </div>
  )
}

/** The server writes findings without a capital and a stop. */
export function sentence(text: string): string {
  const first = text.charAt(0).toUpperCase() + text.slice(1)
  return /[.!?]$/.test(first) ? first : `${first}.`
}
