import { Flags } from '@oclif/core'
import { chooseApp } from '../../app-ref.ts'
import { BaseCommand, textArg } from '../../base.ts'
import { printable } from '../../output.ts'

export class SegmentsList extends BaseCommand {
  static override summary = 'List the segments of an app'
  static override examples = ['<%= config.bin %> segments list 1', '<%= config.bin %> segments list 1 --json']
  static override args = { app: textArg({ description: 'id or name' }) }
  static override flags = {
    after: Flags.integer({ min: 1, helpValue: 'NEXT', description: 'go on where the page before ended (its next)' }),
    limit: Flags.integer({ default: 50, min: 1, max: 1000, helpValue: 'N', description: 'how many' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(SegmentsList)
    const app = await this.open(flags)
    const { id } = await chooseApp(app, args.app)
    const [{ presentSegment }, { shortTime }] = await Promise.all([
      import('../../../server/present/segments.ts'),
      import('../../present.ts'),
    ])
    const { segments, next } = await app.segments.list(id, { after: flags.after, limit: flags.limit })
    this.out.value({ segments: segments.map(presentSegment), next })
    this.out.table(
      ['ID', 'NAME', 'UUID', 'CHANGED'],
      segments.map((one) => [one.id, printable(one.name), one.uuid, shortTime(one.updatedAt)]),
      flags.after === undefined
        ? 'There are no segments yet: appsvc segments create makes one.'
        : 'There are no more segments.',
    )
    if (next !== null) this.out.note(`there are more: --after ${next}`)
  }
}
