import { suppressionArgs } from '../../input/args.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { printable } from '../../output/output.ts'

export const SuppressionsDelete = appCommand({
  summary: 'Take a user off the suppression list',
  examples: ['appsvc suppressions delete --app 1 anna@example.com'],
  args: suppressionArgs,
  async work({ program, appId, args, out }) {
    await program.inTransaction((tx) => tx.suppressions.remove(appId, args.user))
    out.value({ identifier: args.user, removed: true })
    out.line(`${printable(args.user)} is no longer on the suppression list.`)
  },
})
