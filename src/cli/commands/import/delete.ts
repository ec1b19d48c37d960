import { Args } from '@oclif/core'
import { appArg, yesFlag } from '../../input/args.ts'
import { appCommand } from '../../kinds/app-command.ts'

export const ImportDelete = appCommand({
  summary: 'Forget how far an interrupted import is; what it stored stays',
  description: 'Importing the same files afterwards begins at the first row, and stores nothing twice.',
  examples: ['appsvc import delete --app 1 7 --yes'],
  args: {
    app: appArg,
    id: Args.integer({ ignoreStdin: true, required: true, description: 'id, as appsvc import list shows it' }),
  },
  flags: { yes: yesFlag },
  async work({ program, appId, args, flags, out }) {
    await out.confirm(`Forget how far import ${args.id} is?`, flags.yes ?? false)
    await program.inTransaction((tx) => tx.imports.drop(appId, args.id))
    out.value({ id: args.id, dropped: true })
    out.line(`Import ${args.id} is forgotten.`)
  },
})
