import { Flags } from '@oclif/core'
import { chooseApp } from '../../input/app.ts'
import { bannerArgs } from '../../input/banner.ts'
import { readJsonFile } from '../../input/files.ts'
import { BaseCommand } from '../../kinds/base.ts'

export class BannersUpdate extends BaseCommand {
  static override summary = 'Change a banner: each part that the file has is replaced, the others stay'
  static override examples = [
    `echo '{"position": "top"}' | <%= config.bin %> banners update 1 1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed --file -`,
  ]
  static override args = bannerArgs
  static override flags = {
    file: Flags.string({ required: true, helpValue: 'FILE', description: 'JSON file; - for standard input' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(BannersUpdate)
    const [{ bannerChange, updateBanner }, { parseJson }, { presentBannerFile }] = await Promise.all([
      import('../../../domain/links/banners/schema.ts'),
      import('../../../platform/parse.ts'),
      import('../../../server/present/device-links.ts'),
    ])
    const change = bannerChange(parseJson(updateBanner, await readJsonFile(this.io, flags.file, '--file')))
    const app = await this.open(flags)
    const { id } = await chooseApp(app, args.app)
    const banner = await app.inTransaction((tx) => tx.banners.update(id, args.uuid, change))
    this.out.value(presentBannerFile(banner))
    this.out.line(`Banner ${banner.uuid} is changed.`)
  }
}
