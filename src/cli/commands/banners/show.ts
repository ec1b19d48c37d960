import { chooseApp } from '../../input/app.ts'
import { bannerArgs } from '../../input/banner.ts'
import { BaseCommand } from '../../kinds/base.ts'
import { printable } from '../../output/output.ts'

export class BannersShow extends BaseCommand {
  static override summary = 'Show a banner with every default'
  static override examples = ['<%= config.bin %> banners show 1 1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed']
  static override args = bannerArgs

  async run(): Promise<void> {
    const { args, flags } = await this.parse(BannersShow)
    const app = await this.open(flags)
    const { id } = await chooseApp(app, args.app)
    const [{ presentBannerFile }, { shortTime }] = await Promise.all([
      import('../../../server/present/device-links.ts'),
      import('../../output/present.ts'),
    ])
    const banner = await app.banners.get(id, args.uuid)
    const { uuid, link, ...design } = presentBannerFile(banner)
    this.out.value({ uuid, link, ...design })
    this.out.fields({
      banner: uuid,
      link,
      created: shortTime(banner.createdAt),
      changed: shortTime(banner.updatedAt),
    })
    this.out.line()
    for (const line of JSON.stringify(design, null, 2).split('\n')) this.out.line(printable(line))
  }
}
