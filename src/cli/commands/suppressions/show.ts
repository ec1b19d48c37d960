import { suppressionArgs } from '../../input/args.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { shortTime } from '../../output/present.ts'

export const SuppressionsShow = appCommand({
  summary: 'Show whether a user is on the suppression list, since when and why',
  examples: ['appsvc suppressions show --app 1 anna@example.com'],
  args: suppressionArgs,
  async work({ program, appId, args, out }) {
    const { presentSuppression } = await import('../../../present/api/consent.ts')
    const suppression = await program.suppressions.get(appId, args.user)
    out.value(presentSuppression(args.user, suppression))
    out.fields({ user: args.user, since: shortTime(suppression.at), reason: suppression.reason })
  },
})
