import type { Json } from './events.ts'

type Plain = string | number | boolean

/** The condition for showing a prompt (docs/reference/device-protocol.md section 7). */
export interface Trigger {
  event: string
  afterSeconds?: number
  filters?: [property: string, operator: string, value: Plain | Plain[]][]
}

/** Tells whether an event of this type and data fulfils the condition: all filters match. */
export function fulfils({ event, filters = [] }: Trigger, type: string, data: Json): boolean {
  return event === type && filters.every(([property, operator, value]) => holds(data[property], operator, value))
}

function holds(given: unknown, operator: string, value: Plain | Plain[]): boolean {
  // An operator compares what is comparable: `<` with a text and a number is false, as is anything with what is not there.
  const [left, right] = [given as number, value as number]
  if (operator === '>') return left > right
  if (operator === '<') return left < right
  if (operator === '>=') return left >= right
  if (operator === '<=') return left <= right
  return [value].flat().some((one) => (operator === '=' ? given === one : resembles(given, one)))
}

/** The same value, or a text that a pattern with `*` covers. */
function resembles(given: unknown, one: Plain): boolean {
  if (typeof given !== 'string' || typeof one !== 'string') return given === one
  const parts = one.split('*').map((part) => part.replace(/[\\^$.+?()[\]{}|]/g, '\\$&'))
  return new RegExp(`^${parts.join('[^]*')}$`).test(given)
}
