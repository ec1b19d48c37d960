import { Flags } from '@oclif/core'
import { AppError } from '../../../platform/errors.ts'
import { chooseApp } from '../../input/app.ts'
import { readJsonFile } from '../../input/files.ts'
import { BaseCommand, textArg } from '../../kinds/base.ts'
import { printable } from '../../output/output.ts'

export class SegmentsUpdate extends BaseCommand {
  static override summary = 'Change the name or the filter of a segment'
  static override description = 'Notifications that wait for their time go to whom the new filter means then.'
  static override examples = [
    '<%= config.bin %> segments update 1 3 --filter gold.json',
    '<%= config.bin %> segments update 1 3 --name "Gold members"',
  ]
  static override args = {
    app: textArg({ required: true, description: 'id or name' }),
    segment: textArg({ required: true, description: 'id or uuid' }),
  }
  static override flags = {
    name: Flags.string({ helpValue: 'NAME', description: 'what people call it' }),
    filter: Flags.string({ helpValue: 'FILE', description: 'JSON file with the filter; - for standard input' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(SegmentsUpdate)
    if (flags.name === undefined && flags.filter === undefined) {
      throw new AppError('usage', 'there is nothing to change: give --name, --filter or both')
    }
    const [{ segmentKey, updateSegment }, { parseJson }, { presentSegment }] = await Promise.all([
      import('../../../domain/segments/schema.ts'),
      import('../../../platform/parse.ts'),
      import('../../../server/present/segments.ts'),
    ])
    const change = parseJson(updateSegment, {
      ...(flags.name !== undefined && { name: flags.name }),
      ...(flags.filter !== undefined && { filter: await readJsonFile(this.io, flags.filter, '--filter') }),
    })
    const app = await this.open(flags)
    const { id } = await chooseApp(app, args.app)
    const segment = await app.inTransaction((tx) => tx.segments.update(id, segmentKey(args.segment), change))
    this.out.value(presentSegment(segment))
    this.out.line(`Segment ${segment.id} (${printable(segment.name)}) is changed.`)
  }
}
