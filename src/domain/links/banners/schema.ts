import { isPlainObject } from '../../../platform/json/json.ts'
import {
  address,
  closedShape,
  decimal,
  type Infer,
  integer,
  judged,
  oneOf,
  text,
} from '../../../platform/values/parse.ts'
import { BOX_COLORS, color, decline, each, label, trigger } from '../../gateways/web/page-parts.schema.ts'
import { MAX_SLUG_LENGTH } from '../make/slug.ts'
import { BANNER_COLORS, BANNER_LABELS, type BannerChange, type BannerDesign, type NewBanner } from './types.ts'

/** The file of a banner. */

/** Default colors. */
const COLORS: BannerDesign['colors'] = { ...BOX_COLORS, ratingFg: '#b26a00' }

const labels = closedShape(each(BANNER_LABELS, label().required()))
const link = text({ max: MAX_SLUG_LENGTH })

const optional = {
  position: oneOf(['top', 'bottom']),
  trigger,
  imageUrl: address(['https', 'http']),
  colors: closedShape(each(BANNER_COLORS, color())),
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

/** A valid `createBanner` body with all defaults. */
export function newBanner(input: Infer<typeof createBanner>): NewBanner {
  return {
    position: 'bottom',
    trigger: { event: 'k.pageViewed' },
    colors: COLORS,
    uiActions: { decline: { type: 'decline' } },
    ...bannerChange(input),
  } as NewBanner
}

/** A valid `updateBanner` body. Each part that is given is complete. */
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
