import { isPlainObject } from '../../../platform/json/json.ts'
import { readInstant } from '../../../platform/time/instants.ts'
import {
  address,
  documented,
  flag,
  type Infer,
  integer,
  jsonData,
  list,
  present,
  shape,
  text,
} from '../../../platform/values/parse.ts'
import type { LinkChange, NewLink } from '../types.ts'
import { MAX_SLUG_LENGTH, slugProblem, withoutSlash } from './slug.ts'

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
  text({ max: MAX_SLUG_LENGTH + 1 }).test({
    name: 'slug',
    test: (value, context) => {
      // `text` reports empty and too long values.
      const isTold = value == null || value === '' || value.length > MAX_SLUG_LENGTH + 1
      const message = isTold ? undefined : slugProblem(withoutSlash(value))
      return message === undefined || context.createError({ message })
    },
  }),
  {
    description:
      'Path of the link: a-z A-Z 0-9 - _ . ~ and / between segments; unique in the app; generated if absent. A slash at the beginning counts for nothing',
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

const content = shape({
  title: text({ max: 1000, empty: true }),
  description: text({ max: 5000, empty: true }),
})

/** The picture of the card that chats show. */
const picture = address(['https', 'http'])

const link = shape({
  slug,
  linkData: jsonData().required(),
  content,
  pictureUrl: picture,
  desktopWebFallbackUrl: target.defined(),
  mobileWebFallbackUrl: target.defined(),
  reportingMeta: jsonData(),
  expiresAt,
  lookupLimit: integer({ min: 1 }),
  isEnabled: flag(),
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
  return isPlainObject(item) && typeof item.slug === 'string' ? withoutSlash(item.slug) : undefined
}

/** Body of `POST {links_url}/v1/deep-links`. */
export const createLinks = list(link, { min: 1, max: MAX_LINKS }).required()

/** Converts checked items for the service. */
export function fromLinksForm(items: Infer<typeof createLinks>): NewLink[] {
  return items.map(({ expiresAt: expiry, ...item }) => ({
    ...item,
    slug: item.slug === undefined ? undefined : withoutSlash(item.slug),
    expiresAt: expiry === undefined ? undefined : readInstant(expiry),
  }))
}

/** Body of `PATCH {links_url}/v1/deep-links/{id}`: absent fields are left unchanged, null clears. */
export const changeLink = shape({
  // A slash at the beginning counts for nothing.
  slug: text({ max: MAX_SLUG_LENGTH + 1 }),
  linkData: jsonData(),
  content: content.nullable(),
  pictureUrl: picture.nullable(),
  desktopWebFallbackUrl: target,
  mobileWebFallbackUrl: target,
  reportingMeta: jsonData().nullable(),
  expiresAt: expiresAt.nullable(),
  lookupLimit: integer({ min: 1 }).nullable(),
  isEnabled: flag(),
}).required()

/** Converts a checked change for the service. Other members of a link's record are left out. */
export function fromLinkChange(given: Infer<typeof changeLink>): LinkChange {
  const { slug, linkData, content, pictureUrl, desktopWebFallbackUrl, mobileWebFallbackUrl, reportingMeta } = given
  const { lookupLimit, isEnabled, expiresAt: expiry } = given
  const expiresAt = typeof expiry === 'string' ? readInstant(expiry) : expiry
  return present({
    slug,
    linkData,
    content,
    pictureUrl,
    desktopWebFallbackUrl,
    mobileWebFallbackUrl,
    reportingMeta,
    expiresAt,
    lookupLimit,
    isEnabled,
  })
}

/** Query of lists: `after` is the `next` of the previous page. */
export const linksPage = shape({
  after: integer({ min: 1 }),
  limit: integer({ min: 1, max: 1000 }).default(50),
})
