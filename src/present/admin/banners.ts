import type { Banner } from '../../domain/links/banners/types.ts'
import { isoOffset } from '../../platform/time/clock.ts'
import { bannerFileActions, bannerLooks, presentBannerFile } from '../device/device-links.ts'
import { answerOf, integer, list, nullable, object, string, time, told } from '../schema.ts'
import { ALWAYS_NULL, CREATED, UI_ACTIONS, UPDATED, UUID } from '../words.ts'

/** The file of a banner, and when it was made. */
export function presentAdminBanner(banner: Banner) {
  return { ...presentBannerFile(banner), created: isoOffset(banner.createdAt), updated: isoOffset(banner.updatedAt) }
}

export const adminBanner = answerOf<typeof presentAdminBanner>(
  'BannerFile',
  'A banner as its file has it, with every default.',
  {
    uuid: told(string, UUID),
    link: told(string, 'Slug of the link that it opens.', 'spring-sale'),
    ...bannerLooks,
    uiActions: told(bannerFileActions, UI_ACTIONS),
    created: told(time, CREATED),
    updated: told(time, UPDATED),
  },
)
export const adminBanners = object('BannerFiles', 'All banners of the app.', {
  items: told(list(adminBanner), 'The banners.'),
  next: told(nullable(integer), ALWAYS_NULL),
})
