import { chooseApp } from '../../input/app.ts'
import { BaseCommand, textArg } from '../../kinds/base.ts'
import { pageFlags, showPage } from '../../kinds/pages.ts'
import { printable } from '../../output/output.ts'

export class SegmentsList extends BaseCommand {
  static override summary = 'List the segments of an app'
  static override examples = ['<%= config.bin %> segments list 1', '<%= config.bin %> segments list 1 --json']
  static override args = { app: textArg({ description: 'id or name' }) }
  static override flags = pageFlags()

  async run(): Promise<void> {
    const { args, flags } = await this.parse(SegmentsList)
    const app = await this.open(flags)
    const { id } = await chooseApp(app, args.app)
    const [{ presentSegment }, { shortTime }] = await Promise.all([
      import('../../../server/present/segments.ts'),
      import('../../output/present.ts'),
    ])
    const { segments, next } = await app.segments.list(id, { after: flags.after, limit: flags.limit })
    this.out.value({ segments: segments.map(presentSegment), next })
    showPage(
      this.out,
      ['ID', 'NAME', 'UUID', 'CHANGED'],
      segments.map((one) => [one.id, printable(one.name), one.uuid, shortTime(one.updatedAt)]),
      {
        after: flags.after,
        next,
        things: 'segments',
        none: 'There are no segments yet: appsvc segments create makes one.',
      },
    )
  }
}
