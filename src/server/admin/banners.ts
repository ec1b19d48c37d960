import { bannerChange, createBanner, newBanner, updateBanner } from '../../domain/links/banners/schema.ts'
import { adminBanner, adminBanners, presentAdminBanner } from '../../present/admin/banners.ts'
import { del, get, patch, post, type Route } from '../routing/route.ts'

const LABELS = {
  heading: 'Get the app',
  body: 'All offers in your pocket',
  acceptAction: 'Open',
  declineAction: 'Later',
}

const ADMIN = { area: 'admin', needs: 'person' } as const
const UNKNOWN = { 404: 'There is no such banner' }

/** Banners on web pages that lead to the app. */
export const adminBannerRoutes: readonly Route[] = [
  get('/v1/apps/:appId/banners', {
    ...ADMIN,
    right: 'see',
    summary: 'List the banners in the order of their creation',
    description: 'An app has 100 at most.',
    returns: adminBanners,
    run: async ({ tx, appId }) => ({ items: (await tx.banners.list(appId)).map(presentAdminBanner), next: null }),
  }),
  post('/v1/apps/:appId/banners', {
    ...ADMIN,
    right: 'campaign',
    summary: 'Create a banner',
    description: 'Browsers that fetched the banners already fetch them again within an hour.',
    takes: 'NewBanner',
    sends: { link: 'spring-sale', labels: LABELS },
    audit: 'banners.create',
    body: createBanner,
    status: 201,
    also: { 409: 'The app has as many banners as it may have' },
    returns: adminBanner,
    run: async ({ tx, appId, body, note }) => {
      const made = presentAdminBanner(await tx.banners.create(appId, newBanner(body)))
      note({ target: made.uuid, after: made })
      return made
    },
  }),
  get('/v1/apps/:appId/banners/:uuid', {
    ...ADMIN,
    right: 'see',
    summary: 'Read a banner',
    description: 'With every default.',
    also: UNKNOWN,
    returns: adminBanner,
    run: async ({ tx, appId, params }) => presentAdminBanner(await tx.banners.get(appId, params.uuid!)),
  }),
  patch('/v1/apps/:appId/banners/:uuid', {
    ...ADMIN,
    right: 'campaign',
    summary: 'Change a banner',
    description: 'An absent part stays as it is; a part that is given is replaced as a whole.',
    takes: 'BannerChange',
    sends: { position: 'top' },
    audit: 'banners.update',
    body: updateBanner,
    also: UNKNOWN,
    returns: adminBanner,
    run: async ({ tx, appId, params, body, note }) => {
      const before = presentAdminBanner(await tx.banners.lock(appId, params.uuid!))
      const after = presentAdminBanner(await tx.banners.update(appId, before.uuid, bannerChange(body)))
      note({ target: before.uuid, before, after })
      return after
    },
  }),
  del('/v1/apps/:appId/banners/:uuid', {
    ...ADMIN,
    right: 'campaign',
    summary: 'Delete a banner',
    description: 'Its link stays.',
    audit: 'banners.delete',
    status: 204,
    also: UNKNOWN,
    run: async ({ tx, appId, params, note }) => {
      const before = presentAdminBanner(await tx.banners.lock(appId, params.uuid!))
      await tx.banners.delete(appId, before.uuid)
      note({ target: before.uuid, before })
    },
  }),
]
