import type { Banner } from '../../domain/links/banners/types.ts'
import { isoOffset } from '../../platform/time/clock.ts'
import { bannerFileActions, bannerLooks, presentBannerFile } from '../device/device-links.ts'
import { answerOf, integer, list, nullable, object, string, time } from '../schema.ts'

/** The file of a banner, and when it was made. */
export function presentAdminBanner(banner: Banner) {
  return { ...presentBannerFile(banner), created: isoOffset(banner.createdAt), updated: isoOffset(banner.updatedAt) }
}

export const adminBanner = answerOf<typeof presentAdminBanner>('BannerFile', {
  uuid: string,
  link: string,
  ...bannerLooks,
  uiActions: bannerFileActions,
  created: time,
  updated: time,
})
export const adminBanners = object({ items: list(adminBanner), next: nullable(integer) }, 'BannerFiles')
