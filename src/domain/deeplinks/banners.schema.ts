import type { FieldErrors } from '../../platform/errors.ts'
import {
  address,
  checked,
  closedShape,
  decimal,
  type Infer,
  integer,
  isPlainObject,
  judged,
  oneOf,
  text,
} from '../../platform/parse.ts'
import {
  BANNER_COLORS,
  BANNER_LABELS,
  BANNER_OPERATORS,
  type BannerChange,
  type BannerDesign,
  type BannerTrigger,
  type NewBanner,
} from './banners.types.ts'
import { LONGEST_SLUG } from './slug.ts'

/** The file of a banner. The SDK puts labels, colours and pictures into other people's pages, so nothing loose gets through. */

const LONGEST_LABEL = 500

/** Colours of a banner that names none: dark on white, with a blue button. */
const COLORS: BannerDesign['colors'] = {
  fg: '#14181f',
  bg: '#ffffff',
  declineActionFg: '#535d6b',
  declineActionBg: '#ffffff',
  acceptActionFg: '#ffffff',
  acceptActionBg: '#1753d8',
  ratingFg: '#b26a00',
}

const COLOR = /^(#[0-9a-f]{3,4}|#[0-9a-f]{6}|#[0-9a-f]{8}|rgba?\(\s*[\d.%]+(\s*[,/]?\s*[\d.%]+){2,3}\s*\))$/i

const color = text({ max: 60 }).test(
  'color',
  'must be a colour such as #1753d8 or rgb(23, 83, 216)',
  (value) => value == null || value === '' || COLOR.test(value),
)

const each = <N extends string, S>(names: readonly N[], schema: S) =>
  Object.fromEntries(names.map((name) => [name, schema])) as Record<N, S>

const filters = checked<NonNullable<BannerTrigger['filters']>>((value) => {
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
  if (!(BANNER_OPERATORS as readonly unknown[]).includes(operator)) {
    return `has the operator ${JSON.stringify(operator)}: use ${BANNER_OPERATORS.join(', ')}`
  }
  const isPlain = (one: unknown) => typeof one === 'string' || typeof one === 'number'
  const isList = operator === 'in' || operator === 'IN'
  if (isList)
    return Array.isArray(value) && value.every(isPlain) ? undefined : 'needs a list of texts or numbers as its value'
  return isPlain(value) ? undefined : 'needs a text or a number as its value'
}

const decline = judged(
  closedShape({
    type: oneOf(['decline', 'remind']).required(),
    delay: closedShape({
      duration: integer({ min: 1, max: 8760 }).required(),
      timeUnit: oneOf(['hours', 'days']).required(),
    }),
  }),
  ({ type, delay }): FieldErrors => {
    if (type === 'remind' && delay === undefined) return { delay: ['is required with type remind'] }
    return type === 'decline' && delay !== undefined ? { delay: ['belongs to type remind only'] } : {}
  },
)

const labels = closedShape(each(BANNER_LABELS, text({ max: LONGEST_LABEL }).required()))
const link = text({ max: LONGEST_SLUG })

const optional = {
  position: oneOf(['top', 'bottom']),
  trigger: closedShape({
    event: text({ max: 255 }).required(),
    afterSeconds: integer({ min: 0, max: 86_400 }),
    filters,
  }),
  imageUrl: address(['https', 'http']),
  colors: closedShape(each(BANNER_COLORS, color)),
  appRating: closedShape({
    rating: decimal().min(0).max(5).required(),
    ratingCount: integer({ min: 0 }).required(),
  }),
  uiActions: closedShape({ decline }),
}

/** A whole banner: the link and the labels are required, everything else has a default. */
export const createBanner = closedShape({ link: link.required(), labels: labels.required(), ...optional }).required()

/** The parts of a banner that change. */
export const updateBanner = judged(closedShape({ link, labels, ...optional }).required(), (change) =>
  Object.keys(change).length === 0 ? { '': ['names nothing to change'] } : {},
)

/** What `createBanner` let through, with every default in place. */
export function newBanner(input: Infer<typeof createBanner>): NewBanner {
  return {
    position: 'bottom',
    trigger: { event: 'k.pageViewed' },
    colors: COLORS,
    uiActions: { decline: { type: 'decline' } },
    ...bannerChange(input),
  } as NewBanner
}

/** What `updateBanner` let through; a part that is given is whole. */
export function bannerChange(input: Infer<typeof updateBanner>): BannerChange {
  const { colors, uiActions, ...rest } = input
  return JSON.parse(
    JSON.stringify({
      ...rest,
      ...(isPlainObject(colors) && { colors: { ...COLORS, ...colors } }),
      ...(isPlainObject(uiActions) && { uiActions: { decline: uiActions.decline ?? { type: 'decline' } } }),
    }),
  ) as BannerChange
}
