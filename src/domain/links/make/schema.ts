import { readInstant } from '../../../platform/instants.ts'
import { isPlainObject } from '../../../platform/json.ts'
import { address, documented, type Infer, integer, jsonData, list, shape, text } from '../../../platform/parse.ts'
import type { NewLink } from '../types.ts'
import { MAX_SLUG_LENGTH, slugProblem } from './slug.ts'

/** Maximum number of links in one request (set by the contract). */
const MAX_LINKS = 500

/** The problem of a URL to which people are sent, if any. */
export function targetProblem(value: string): string | undefined {
  // URL parsers drop line breaks and add missing slashes. Such a URL would be printed elsewhere in another form than
  // the checked one.
  if (!/^https?:\/\//i.test(value) || /[\s\p{Cc}\\]/u.test(value) || !URL.canParse(value)) {
    return 'must be an absolute http or https URL'
  }
  const { username, password } = new URL(value)
  return username || password
    ? 'must not contain a user name or password: everyone who follows the link would see it'
    : undefined
}

/** A URL to which people are sent. */
const target = address(['http', 'https']).test({
  name: 'target',
  test: (value, context) => {
    const message = value == null || value === '' || !isHttp(value) ? undefined : targetProblem(value)
    return message === undefined || context.createError({ message })
  },
})

/** True when `address` accepts the URL. Otherwise `address` reports the problem, and it is not reported twice. */
function isHttp(value: string): boolean {
  return URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)
}

const slug = documented(
  text({ max: MAX_SLUG_LENGTH }).test({
    name: 'slug',
    test: (value, context) => {
      // `text` reports empty and too long values.
      const message = value == null || value === '' || value.length > MAX_SLUG_LENGTH ? undefined : slugProblem(value)
      return message === undefined || context.createError({ message })
    },
  }),
  {
    description: 'Path of the link: a-z A-Z 0-9 - _ . ~ and / between segments; unique in the app; generated if absent',
  },
)

const expiresAt = documented(
  text({ max: 40 }).test(
    'instant',
    'must be a time in ISO 8601 such as 2026-12-31T23:59:59+01:00',
    (value) => value == null || value === '' || readInstant(value) !== undefined,
  ),
  { description: 'ISO 8601; UTC unless it has an offset' },
)

const link = shape({
  slug,
  linkData: jsonData().required(),
  content: shape({
    title: text({ max: 1000, empty: true }),
    description: text({ max: 5000, empty: true }),
  }),
  desktopWebFallbackUrl: target.defined(),
  mobileWebFallbackUrl: target.defined(),
  reportingMeta: jsonData(),
  expiresAt,
  lookupLimit: integer({ min: 1 }),
}).test({
  name: 'slugs-differ',
  // The parent of an item is the whole list.
  test: (value, context) => {
    const given = slugOf(value)
    const all: unknown = context.parent
    const first = given === undefined || !Array.isArray(all) ? -1 : all.findIndex((item) => slugOf(item) === given)
    if (first < 0 || context.path === `[${first}]`) return true
    return context.createError({
      path: `${context.path}.slug`,
      message: `is given twice: [${first}] has the same slug`,
    })
  },
})

function slugOf(item: unknown): string | undefined {
  return isPlainObject(item) && typeof item.slug === 'string' ? item.slug : undefined
}

/** Body of `POST {links_url}/v1/deep-links`. */
export const createLinks = list(link, { min: 1, max: MAX_LINKS }).required()

/** Converts checked items for the service. */
export function fromLinksForm(items: Infer<typeof createLinks>): NewLink[] {
  return items.map(({ expiresAt: expiry, ...item }) => ({
    ...item,
    expiresAt: expiry === undefined ? undefined : readInstant(expiry),
  }))
}

/** Query of lists: `after` is the `next` of the previous page. */
export const linksPage = shape({
  after: integer({ min: 1 }),
  limit: integer({ min: 1, max: 1000 }).default(50),
})
