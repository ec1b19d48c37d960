import { chooseApp } from '../../input/app.ts'
import { channelArgs } from '../../input/channel.ts'
import { BaseCommand, textArg } from '../../kinds/base.ts'
import { pageFlags, showPage } from '../../kinds/pages.ts'

export class ChannelsImports extends BaseCommand {
  static override summary =
    'Show the subscriber files of a channel and how far they are; with an id, the lines that name nobody'
  static override examples = [
    '<%= config.bin %> channels imports 1 news',
    '<%= config.bin %> channels imports 1 news 53561251-4c7f-45a9-935a-8c2f6f3c2d78',
  ]
  static override args = { ...channelArgs, id: textArg({ description: 'id of one file' }) }
  static override flags = pageFlags({ limit: 20 })

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ChannelsImports)
    const app = await this.open(flags)
    const chosen = await chooseApp(app, args.app)
    const [{ presentImport, presentImportReport }, { shortTime }] = await Promise.all([
      import('../../../server/present/channels.ts'),
      import('../../output/present.ts'),
    ])
    const channel = await app.channels.get(chosen.id, { uuid: args.uuid })
    if (args.id !== undefined) {
      const one = await app.channelImports.get(channel, args.id)
      this.out.value(presentImportReport(one))
      const { id, state, error, total, applied, unknown } = one
      this.out.fields({
        id,
        state,
        error: error ?? undefined,
        lines: total,
        applied,
        unknown,
        created: shortTime(one.createdAt),
      })
      this.out.line()
      const lines = one.unknownLines.map(({ line, identifier }) => [line, identifier])
      this.out.table(['LINE', 'NOBODY'], lines, 'Every line so far names a user.')
      if (unknown > lines.length) this.out.note(`the first ${lines.length} of ${unknown} are kept`)
      return
    }
    const { imports, next } = await app.channelImports.list(channel, { after: flags.after, limit: flags.limit })
    this.out.value({ imports: imports.map(presentImport), next })
    showPage(
      this.out,
      ['ID', 'STATE', 'LINES', 'APPLIED', 'UNKNOWN', 'CREATED', 'ERROR'],
      imports.map((one) => [
        one.id,
        one.state,
        one.total,
        one.applied,
        one.unknown,
        shortTime(one.createdAt),
        one.error,
      ]),
      { after: flags.after, next, things: 'files', none: 'No file was taken in for this channel yet.' },
    )
  }
}
