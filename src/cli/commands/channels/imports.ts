import type { Program } from '../../../program.ts'
import { channelArgs, textArg } from '../../input/args.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { pageFlags, showPage } from '../../kinds/list-command.ts'
import type { Output } from '../../output/output.ts'
import { shortTime } from '../../output/present.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export const ChannelsImports = appCommand({
  summary: 'List the subscriber imports of a channel; with an id, show one with the lines that name unknown users',
  examples: [
    'appsvc channels imports --app 1 news',
    'appsvc channels imports --app 1 news 53561251-4c7f-45a9-935a-8c2f6f3c2d78',
  ],
  args: { ...channelArgs, id: textArg({ description: 'import id' }) },
  flags: pageFlags({ limit: 20 }),
  // `imports news 5356…` of the only app.
  appLeads: ([, second]) => !UUID.test(second!),
  async work({ program, appId, args, flags, out }) {
    const { presentImport, presentImportReport } = await import('../../../present/api/channels.ts')
    const channel = await program.channels.get(appId, { uuid: args.uuid })
    if (args.id !== undefined) {
      const one = await program.channelImports.get(channel, args.id)
      out.value(presentImportReport(one))
      return showOne(out, one)
    }
    const { imports, next } = await program.channelImports.list(channel, { after: flags.after, limit: flags.limit })
    out.value({ imports: imports.map(presentImport), next })
    showPage(
      out,
      ['ID', 'STATE', 'LINES', 'APPLIED', 'UNKNOWN', 'CREATED', 'ERROR'],
      imports.map(({ id, state, total, applied, unknown, createdAt, error }) => [
        id,
        state,
        total,
        applied,
        unknown,
        shortTime(createdAt),
        error,
      ]),
      { after: flags.after, next, things: 'imports', none: 'No file was imported into this channel yet.' },
    )
  },
})

function showOne(out: Output, one: Awaited<ReturnType<Program['channelImports']['get']>>): void {
  const { id, state, error, total, applied, unknown, createdAt } = one
  const created = shortTime(createdAt)
  out.fields({ id, state, error: error ?? undefined, lines: total, applied, unknown, created })
  out.line()
  const lines = one.unknownLines.map(({ line, identifier }) => [line, identifier])
  out.table(['LINE', 'UNKNOWN USER'], lines, 'Every line so far names a known user.')
  if (unknown > lines.length) out.note(`Only the first ${lines.length} of ${unknown} are kept.`)
}
