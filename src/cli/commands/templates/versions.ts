import { chooseApp } from '../../input/app.ts'
import { templateArgs } from '../../input/template.ts'
import { BaseCommand } from '../../kinds/base.ts'
import { pageFlags, showPage } from '../../kinds/pages.ts'

export class TemplatesVersions extends BaseCommand {
  static override summary = 'List the versions of a template'
  static override examples = ['<%= config.bin %> templates versions 1 welcome']
  static override args = templateArgs
  static override flags = pageFlags()

  async run(): Promise<void> {
    const { args, flags } = await this.parse(TemplatesVersions)
    const app = await this.open(flags)
    const { id } = await chooseApp(app, args.app)
    const [{ presentVersionLine }, { shortTime }] = await Promise.all([
      import('../../../server/present/templates.ts'),
      import('../../output/present.ts'),
    ])
    const { versions, next } = await app.templates.versions(id, args.uid, { after: flags.after, limit: flags.limit })
    this.out.value({ versions: versions.map(presentVersionLine), next })
    showPage(
      this.out,
      ['VERSION', 'MADE'],
      versions.map((one) => [one.version, shortTime(one.createdAt)]),
      { after: flags.after, next, things: 'versions', none: '' },
    )
  }
}
