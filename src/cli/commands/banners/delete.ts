import { Flags } from '@oclif/core'
import { chooseApp } from '../../input/app.ts'
import { bannerArgs } from '../../input/banner.ts'
import { BaseCommand } from '../../kinds/base.ts'
import { printable } from '../../output/output.ts'

export class BannersDelete extends BaseCommand {
  static override summary = 'Delete a banner'
  static override examples = ['<%= config.bin %> banners delete 1 1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed --yes']
  static override args = bannerArgs
  static override flags = { yes: Flags.boolean({ char: 'y', description: 'do not ask' }) }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(BannersDelete)
    const app = await this.open(flags)
    const { id } = await chooseApp(app, args.app)
    const { uuid, design } = await app.banners.get(id, args.uuid)
    await this.out.confirm(`Delete banner ${uuid} (${printable(design.labels.heading)})?`, flags.yes)
    await app.inTransaction((tx) => tx.banners.delete(id, uuid))
    this.out.value({ uuid, deleted: true })
    this.out.line(`Banner ${uuid} is deleted.`)
  }
}
