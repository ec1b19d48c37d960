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
  switch (operator) {
    case 'in':
    case 'IN':
      return [value].flat().some((one) => resembles(given, one))
    case '=':
      return given === value
    case '>':
      return (given as Plain) > (value as Plain)
    case '<':
      return (given as Plain) < (value as Plain)
    case '>=':
      return (given as Plain) >= (value as Plain)
    case '<=':
      return (given as Plain) <= (value as Plain)
  }
  return false
}

/** The same value, or a text that a pattern with `*` covers. */
function resembles(given: unknown, one: Plain): boolean {
  if (typeof given !== 'string' || typeof one !== 'string') return given === one
  const [first, ...others] = one.split('*')
  if (others.length === 0) return given === one
  const last = others.pop()!
  if (!given.startsWith(first!) || !given.endsWith(last) || given.length < first!.length + last.length) return false
  let rest = given.slice(first!.length, given.length - last.length)
  return others.every((part) => {
    const at = rest.indexOf(part)
    rest = rest.slice(at + part.length)
    return at >= 0
  })
}
