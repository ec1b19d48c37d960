import { chooseApp } from '../../input/app.ts'
import { BaseCommand, textArg } from '../../kinds/base.ts'
import { printable } from '../../output/output.ts'

export class BannersList extends BaseCommand {
  static override summary = 'List the banners of an app'
  static override examples = ['<%= config.bin %> banners list 1', '<%= config.bin %> banners list 1 --json']
  static override args = { app: textArg({ description: 'id or name of the app' }) }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(BannersList)
    const app = await this.open(flags)
    const { id } = await chooseApp(app, args.app)
    const [{ presentBannerFile }, { shortTime }] = await Promise.all([
      import('../../../server/present/device-links.ts'),
      import('../../output/present.ts'),
    ])
    const banners = await app.banners.list(id)
    this.out.value({ banners: banners.map(presentBannerFile) })
    this.out.table(
      ['UUID', 'LINK', 'HEADING', 'POSITION', 'CHANGED'],
      banners.map(({ uuid, slug, design, updatedAt }) => [
        uuid,
        slug,
        printable(design.labels.heading),
        design.position,
        shortTime(updatedAt),
      ]),
      'There are no banners yet: appsvc banners create makes one.',
    )
  }
}
