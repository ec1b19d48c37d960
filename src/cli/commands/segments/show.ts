import { chooseApp } from '../../input/app.ts'
import { BaseCommand, textArg } from '../../kinds/base.ts'
import { printable } from '../../output/output.ts'

export class SegmentsShow extends BaseCommand {
  static override summary = 'Show a segment and its filter'
  static override examples = ['<%= config.bin %> segments show 1 3', '<%= config.bin %> segments show 1 3 --json']
  static override args = {
    app: textArg({ required: true, description: 'id or name' }),
    segment: textArg({ required: true, description: 'id or uuid' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(SegmentsShow)
    const app = await this.open(flags)
    const { id } = await chooseApp(app, args.app)
    const [{ segmentKey }, { presentSegment }, { shortTime }] = await Promise.all([
      import('../../../domain/segments/schema.ts'),
      import('../../../server/present/segments.ts'),
      import('../../output/present.ts'),
    ])
    const segment = await app.segments.get(id, segmentKey(args.segment))
    this.out.value(presentSegment(segment))
    this.out.fields({
      segment: segment.id,
      name: segment.name,
      uuid: segment.uuid,
      created: shortTime(segment.createdAt),
      changed: shortTime(segment.updatedAt),
    })
    this.out.line()
    // JSON.stringify leaves marks that turn text around as they are; line by line, so that the lines stay.
    for (const line of JSON.stringify(segment.filter, null, 2).split('\n')) this.out.line(printable(line))
  }
}
