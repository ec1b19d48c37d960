import { BaseCommand } from '../../kinds/base.ts'

export class TemplatesStarters extends BaseCommand {
  static override summary = 'List the templates that come with the program, to start from'
  static override examples = ['<%= config.bin %> templates starters', '<%= config.bin %> templates starters --json']

  async run(): Promise<void> {
    await this.parse(TemplatesStarters)
    const [{ STARTERS }, { presentStarters }] = await Promise.all([
      import('../../../domain/templates/starters/index.ts'),
      import('../../../server/present/templates.ts'),
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
    this.out.note('Make one of your own: appsvc templates create APP --uid UID --starter NAME')
  }
}
