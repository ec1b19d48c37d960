import type { FieldErrors } from '../../../platform/errors.ts'
import { checked, closedShape, integer, judged, oneOf, text } from '../../../platform/values/parse.ts'

/**
 * Parts that prompts and banners share (docs/reference/device-protocol.md sections 7 and 13). The web SDK puts texts,
 * colours and pictures into other people's pages, so the checks are strict.
 */

const MAX_LABEL = 500
const COLOR = /^(#[0-9a-f]{3,4}|#[0-9a-f]{6}|#[0-9a-f]{8}|rgba?\(\s*[\d.%]+(\s*[,/]?\s*[\d.%]+){2,3}\s*\))$/i
type FilterValue = string | number | boolean | (string | number)[]
const OPERATORS = ['in', 'IN', '=', '>', '<', '>=', '<='] as const

/** Default colours of a box: dark on white with a blue button. */
export const BOX_COLORS = {
  fg: '#14181f',
  bg: '#ffffff',
  declineActionFg: '#535d6b',
  declineActionBg: '#ffffff',
  acceptActionFg: '#ffffff',
  acceptActionBg: '#1753d8',
}

/** A colour as CSS writes it. */
export const color = () =>
  text({ max: 60 }).test(
    'color',
    'must be a colour such as #1753d8 or rgb(23, 83, 216)',
    (value) => value == null || value === '' || COLOR.test(value),
  )

/** Text that people see. */
export const label = () => text({ max: MAX_LABEL })

/** The same schema under each of these names. */
export const each = <N extends string, S>(names: readonly N[], schema: S) =>
  Object.fromEntries(names.map((name) => [name, schema])) as Record<N, S>

const filters = checked<[property: string, operator: string, value: FilterValue][]>((value) => {
  if (!Array.isArray(value) || value.length > 50)
    return { '': ['must be a list of at most 50 [property, operator, value]'] }
  const errors: FieldErrors = {}
  value.forEach((filter: unknown, i) => {
    const wrong = filterProblem(filter)
    if (wrong !== undefined) errors[`[${i}]`] = [wrong]
  })
  return errors
})

function filterProblem(filter: unknown): string | undefined {
  if (!Array.isArray(filter) || filter.length !== 3) return 'must be [property, operator, value]'
  const [property, operator, value] = filter as unknown[]
  if (typeof property !== 'string' || property === '') return 'must begin with the name of a property'
  if (!(OPERATORS as readonly unknown[]).includes(operator)) {
    return `has the operator ${JSON.stringify(operator)}: use ${OPERATORS.join(', ')}`
  }
  const isPlain = (one: unknown) => typeof one === 'string' || typeof one === 'number'
  if (operator === 'in' || operator === 'IN') {
    return Array.isArray(value) && value.every(isPlain) ? undefined : 'needs a list of texts or numbers as its value'
  }
  if (operator === '=') {
    return isPlain(value) || typeof value === 'boolean'
      ? undefined
      : 'needs a text, a number, true or false as its value'
  }
  return isPlain(value) ? undefined : 'needs a text or a number as its value'
}

/** What declining means: never ask again, or ask later. */
export const decline = judged(
  closedShape({
    type: oneOf(['decline', 'remind']).required(),
    delay: closedShape({
      duration: integer({ min: 1, max: 8760 }).required(),
      timeUnit: oneOf(['hours', 'days']).required(),
    }),
  }),
  ({ type, delay }): FieldErrors => {
    if (type === 'remind' && delay === undefined) return { delay: ['is required with type remind'] }
    return type === 'decline' && delay !== undefined ? { delay: ['is allowed with type remind only'] } : {}
  },
)

/** When to show it: the page tracks this event and all filters match. */
export const trigger = closedShape({
  event: text({ max: 255 }).required(),
  afterSeconds: integer({ min: 0, max: 86_400 }),
  filters,
})
