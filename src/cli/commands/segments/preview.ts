import { Flags } from '@oclif/core'
import { AppError } from '../../../platform/errors.ts'
import { chooseApp } from '../../input/app.ts'
import { readCheckedFilter } from '../../input/segment.ts'
import { BaseCommand, textArg } from '../../kinds/base.ts'
import { printable } from '../../output/output.ts'

export class SegmentsPreview extends BaseCommand {
  static override summary = 'Count whom a segment means now, and show the first of them'
  static override description = 'Counts installs that can be reached. With --filter: a filter that is not stored yet.'
  static override examples = [
    '<%= config.bin %> segments preview 1 3',
    '<%= config.bin %> segments preview 1 --filter gold.json',
  ]
  static override args = {
    app: textArg({ required: true, description: 'id or name' }),
    segment: textArg({ description: 'id or uuid' }),
  }
  static override flags = {
    filter: Flags.string({ helpValue: 'FILE', description: 'JSON file with the filter; - for standard input' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(SegmentsPreview)
    if ((args.segment === undefined) === (flags.filter === undefined)) {
      throw new AppError('usage', 'name a segment, or give --filter FILE: one of the two')
    }
    const [{ segmentKey }, { presentSegmentPreview }] = await Promise.all([
      import('../../../domain/segments/schema.ts'),
      import('../../../server/present/segments.ts'),
    ])
    const filter = flags.filter === undefined ? undefined : await readCheckedFilter(this.io, flags.filter)
    const app = await this.open(flags)
    const { id } = await chooseApp(app, args.app)
    const found = filter ? app.segments.previewOf(id, filter) : app.segments.preview(id, segmentKey(args.segment!))
    const preview = presentSegmentPreview(await found)
    this.out.value(preview)
    this.out.fields({ matching: preview.total, ...preview.platforms })
    if (preview.total === 0) return
    this.out.line()
    this.out.table(
      ['INSTALL', 'USER', 'PLATFORM'],
      preview.first.map(({ installId, userId, platform }) => [printable(installId), printable(userId), platform]),
      '',
    )
  }
}
