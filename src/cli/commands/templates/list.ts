import { chooseApp } from '../../input/app.ts'
import { BaseCommand, textArg } from '../../kinds/base.ts'
import { pageFlags, showPage } from '../../kinds/pages.ts'
import { printable } from '../../output/output.ts'

export class TemplatesList extends BaseCommand {
  static override summary = 'List the templates of an app'
  static override examples = ['<%= config.bin %> templates list 1', '<%= config.bin %> templates list 1 --json']
  static override args = { app: textArg({ description: 'id or name of the app' }) }
  static override flags = pageFlags()

  async run(): Promise<void> {
    const { args, flags } = await this.parse(TemplatesList)
    const app = await this.open(flags)
    const { id } = await chooseApp(app, args.app)
    const [{ presentTemplate }, { shortTime }] = await Promise.all([
      import('../../../server/present/templates.ts'),
      import('../../output/present.ts'),
    ])
    const { templates, next } = await app.templates.list(id, { after: flags.after, limit: flags.limit })
    this.out.value({ templates: templates.map(presentTemplate), next })
    showPage(
      this.out,
      ['UID', 'NAME', 'VERSION', 'CHANGED'],
      templates.map((one) => [one.uid, printable(one.name), one.version, shortTime(one.updatedAt)]),
      {
        after: flags.after,
        next,
        things: 'templates',
        none: 'There are no templates yet: appsvc templates create makes one, and templates starters lists what to start from.',
      },
    )
  }
}
