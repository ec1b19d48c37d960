import { Flags } from '@oclif/core'
import { chooseApp } from '../../input/app.ts'
import { readJsonFile } from '../../input/files.ts'
import { BaseCommand, textArg } from '../../kinds/base.ts'

export class BannersCreate extends BaseCommand {
  static override summary = 'Make a banner that leads from web pages to the app'
  static override description =
    'The file holds the slug of a link, the labels and how the banner looks; docs/links.md explains every field.'
  static override examples = [
    '<%= config.bin %> banners create 1 --file banner.json',
    `echo '{"link": "spring", "labels": {"heading": "Better in the app", "body": "All of it, offline too", "acceptAction": "Get it", "declineAction": "Not now"}}' | <%= config.bin %> banners create 1 --file -`,
  ]
  static override args = { app: textArg({ required: true, description: 'id or name of the app' }) }
  static override flags = {
    file: Flags.string({ required: true, helpValue: 'FILE', description: 'JSON file; - for standard input' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(BannersCreate)
    const [{ createBanner, newBanner }, { parseJson }, { presentBannerFile }] = await Promise.all([
      import('../../../domain/links/banners/schema.ts'),
      import('../../../platform/parse.ts'),
      import('../../../server/present/device-links.ts'),
    ])
    const input = newBanner(parseJson(createBanner, await readJsonFile(this.io, flags.file, '--file')))
    const app = await this.open(flags)
    const { id } = await chooseApp(app, args.app)
    const banner = await app.inTransaction((tx) => tx.banners.create(id, input))
    this.out.value(presentBannerFile(banner))
    this.out.fields({ banner: banner.uuid, link: banner.slug })
    this.out.note('Browsers that have asked for banners already ask again within an hour.')
  }
}
