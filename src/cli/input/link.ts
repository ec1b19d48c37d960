import type { DeepLink, LinkPlace } from '../../domain/links/types.ts'
import { AppError } from '../../platform/errors.ts'
import type { Program } from '../../program.ts'
import { shortTime } from '../output/present.ts'

/** The link with this URL, slug or id. A slug made of digits takes precedence over an id. Throws `not_found`. */
export async function chooseLink(program: Program, place: LinkPlace, ref: string): Promise<DeepLink> {
  const found = await program.links.search(place.appId, ref)
  if (found) return found
  if (/^[1-9]\d{0,15}$/.test(ref)) return program.links.get(place.appId, Number(ref))
  throw new AppError('not_found', `there is no deep link ${JSON.stringify(ref)} (appsvc links list)`)
}

/** The limits of a link, as `links show` and `links update` print them: the app opens so far and their limit, and the end. */
export const limitsOf = ({ lookups, lookupLimit, expiresAt }: DeepLink) => ({
  'app opens': lookupLimit === null ? lookups : `${lookups} of ${lookupLimit}`,
  expires: expiresAt === null ? 'never' : shortTime(expiresAt),
})

/** Field of a deep link -> flag of `links create` and `links update`, for `inFlagNames`. One flag gives both addresses what they lack. */
export function linkFlagNames({ desktop, mobile }: { desktop?: string | undefined; mobile?: string | undefined }) {
  return {
    desktopWebFallbackUrl: desktop === undefined ? 'fallback' : 'desktop',
    mobileWebFallbackUrl: mobile === undefined ? 'fallback' : 'mobile',
    linkData: 'data',
    slug: 'slug',
    'content.title': 'title',
    'content.description': 'description',
    pictureUrl: 'picture',
    reportingMeta: 'meta',
    expiresAt: 'expires',
    lookupLimit: 'lookups',
  }
}
