import { suppressionArgs } from '../../input/args.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { printable } from '../../output/output.ts'
import { reasonFlag } from './reason.ts'

export const SuppressionsAdd = appCommand({
  summary: 'Put a user on the suppression list: they get nothing any more, not even transactional sends',
  description:
    'Only a digest of the identifier is stored, so that the entry can outlive the user. See docs/consent.md.',
  examples: ['appsvc suppressions add --app 1 anna@example.com --reason "asked by letter"'],
  args: suppressionArgs,
  flags: { reason: reasonFlag },
  async work({ program, appId, args, flags, out }) {
    const { presentSuppression } = await import('../../../present/api/consent.ts')
    const { suppression, created } = await program.inTransaction((tx) =>
      tx.suppressions.put(appId, args.user, flags.reason ?? null),
    )
    out.value(presentSuppression(args.user, suppression))
    out.line(`${printable(args.user)} ${created ? 'is now' : 'was already'} on the suppression list.`)
  },
})
