import type { App } from '../../app.ts'
import type { DeepLink, LinkSite } from '../../domain/links/types.ts'
import { AppError } from '../../platform/errors.ts'
import { textArg } from '../kinds/base.ts'

/** The arguments of commands about one link. */
export const linkArgs = {
  app: textArg({ required: true, description: 'id or name of the app' }),
  link: textArg({ required: true, description: 'id, slug or address of the link' }),
}

/**
 * The link that a person means: by its address, its slug, or its id. A slug of digits comes before an id. Throws `not_found`.
 */
export async function chooseLink(app: App, site: LinkSite, ref: string): Promise<DeepLink> {
  const base = `${app.links.baseOf(site)}/`
  const { readSlug } = await import('../../domain/links/make/slug.ts')
  const slug = readSlug(ref.startsWith(base) ? ref.slice(base.length) : ref)
  const found = slug === undefined ? undefined : await app.links.find(site.appId, slug)
  if (found) return found
  if (/^[1-9]\d{0,15}$/.test(ref)) return app.links.get(site.appId, Number(ref))
  throw new AppError('not_found', `there is no deep link ${JSON.stringify(ref)}: appsvc links list shows them`)
}
