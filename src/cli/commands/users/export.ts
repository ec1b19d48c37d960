import { appFlag, textArg } from '../../input/args.ts'
import { appCommand } from '../../kinds/app-command.ts'

/** Characters written at once. */
const PIECE = 65_536

export const UsersExport = appCommand({
  summary: 'Print everything that is stored about a user, one row a line (NDJSON)',
  examples: ['appsvc users export anna@example.com > anna.jsonl'],
  args: { user: textArg({ required: true, description: 'user identifier' }) },
  flags: { app: appFlag },
  async work({ program, appId, args, out, io }) {
    const { presentExported } = await import('../../../present/api/crm.ts')
    let text = ''
    for await (const exported of await program.exporting.of(appId, args.user)) {
      if (out.closed()) return
      text += `${JSON.stringify(presentExported(exported))}\n`
      if (text.length < PIECE) continue
      io.stdout.write(text)
      await out.drained()
      text = ''
    }
    io.stdout.write(text)
  },
})
