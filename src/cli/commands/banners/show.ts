import { bannerArgs } from '../../input/args.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { shortTime } from '../../output/present.ts'

export const BannersShow = appCommand({
  summary: 'Show a banner, including default values',
  examples: ['appsvc banners show --app 1 1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed'],
  args: bannerArgs,
  async work({ program, appId, args, out }) {
    const { presentBannerFile } = await import('../../../present/device/device-links.ts')
    const banner = await program.banners.get(appId, args.uuid)
    const { uuid, link, ...design } = presentBannerFile(banner)
    out.value({ uuid, link, ...design })
    out.fields({
      banner: uuid,
      link,
      created: shortTime(banner.createdAt),
      changed: shortTime(banner.updatedAt),
    })
    out.line()
    out.document(design)
  },
})
