import { BaseCommand } from '../../kinds/base.ts'

export class TemplatesStarters extends BaseCommand {
  static override summary = 'List the built-in templates to start from'
  static override examples = ['appsvc templates starters', 'appsvc templates starters --json']

  async run(): Promise<void> {
    await this.parse(TemplatesStarters)
    const [{ STARTERS }, { presentStarters }] = await Promise.all([
      import('../../../domain/templates/starters/index.ts'),
      import('../../../present/api/templates.ts'),
    ])
    const starters = presentStarters(STARTERS)
    this.out.value({ starters })
    this.out.table(
      ['STARTER', 'WHAT IT IS', 'TAGS WITHOUT A DEFAULT'],
      starters.map(({ starter, summary, tags }) => [
        starter,
        summary,
        tags.flatMap((tag) => (tag.default === undefined ? [tag.title] : [])).join(', '),
      ]),
      '',
    )
    this.out.note('To create your own: appsvc templates create --app APP --uid UID --starter NAME')
  }
}
