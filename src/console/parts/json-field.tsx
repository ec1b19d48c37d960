import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { type FieldProps, TextArea } from './field.tsx'
import { unkeptNumber, unkeptWords } from './json-text.ts'

/** The error of a JSON text and its place; undefined when it is right. `text` as people write it. */
function jsonProblem(text: string): string | undefined {
  try {
    JSON.parse(text)
    const number = unkeptNumber(text)
    return number === undefined ? undefined : unkeptWords(number)
  } catch (error) {
    const message = (error as Error).message
    const at = /line (\d+) column (\d+)/.exec(message)
    if (at) return `Line ${at[1]}, column ${at[2]}: ${wordsOf(message)}`
    const position = /position (\d+)/.exec(message)?.[1]
    const offset = position === undefined ? text.length : Number(position)
    const before = text.slice(0, offset).split('\n')
    return `Line ${before.length}, column ${before.at(-1)!.length + 1}: ${wordsOf(message)}`
  }
}

const wordsOf = (message: string): string =>
  message
    .replace(/^JSON\.parse: /, '')
    .replace(/,? (?:in JSON )?at (?:position|line) .*$/, '')
    .replace(/, "?[\s\S]* is not valid JSON$/, '')

interface JsonProps extends FieldProps<unknown> {
  rows?: number
}

/** Any JSON value, written as text. While the text is wrong the value stays, and the field says where it is wrong. */
export function JsonField(props: JsonProps) {
  const text = useSignal(written(props.value))
  const problem = useSignal<string | undefined>(undefined)
  useEffect(() => {
    // Somebody else changed the value, such as a form that was reset.
    if (problem.peek() === undefined && written(parsed(text.peek())) !== written(props.value)) {
      text.value = written(props.value)
    }
  }, [props.value])
  return (
    <TextArea
      {...props}
      isMono
      rows={props.rows ?? 6}
      value={text.value}
      error={problem.value ?? props.error}
      onChange={(next) => {
        text.value = next
        problem.value = next.trim() === '' ? undefined : jsonProblem(next)
        if (problem.value === undefined) props.onChange(parsed(next))
      }}
    />
  )
}

const written = (value: unknown): string => (value === undefined ? '' : JSON.stringify(value, null, 2))

function parsed(text: string): unknown {
  try {
    return text.trim() === '' ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}
