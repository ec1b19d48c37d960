import { Flags } from '@oclif/core'
import { chooseApp } from '../../input/app.ts'
import { BaseCommand, textArg } from '../../kinds/base.ts'
import { printable } from '../../output/output.ts'

export class SegmentsDelete extends BaseCommand {
  static override summary = 'Delete a segment that no notification waits for'
  static override examples = ['<%= config.bin %> segments delete 1 3', '<%= config.bin %> segments delete 1 3 --yes']
  static override args = {
    app: textArg({ required: true, description: 'id or name' }),
    segment: textArg({ required: true, description: 'id or uuid' }),
  }
  static override flags = { yes: Flags.boolean({ char: 'y', description: 'do not ask' }) }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(SegmentsDelete)
    const app = await this.open(flags)
    const { id: appId } = await chooseApp(app, args.app)
    const { segmentKey } = await import('../../../domain/segments/schema.ts')
    const { id, uuid, name } = await app.segments.get(appId, segmentKey(args.segment))
    await this.out.confirm(`Delete segment ${id} (${printable(name)}) for good?`, flags.yes)
    await app.inTransaction((tx) => tx.segments.delete(appId, { id }))
    this.out.value({ id, uuid, deleted: true })
    this.out.line(`Segment ${id} is deleted.`)
  }
}
