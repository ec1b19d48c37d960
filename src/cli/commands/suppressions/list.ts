import { optionalAppArg } from '../../input/args.ts'
import { listCommand } from '../../kinds/list-command.ts'
import { printable } from '../../output/output.ts'
import { shortTime } from '../../output/present.ts'

export const SuppressionsList = listCommand({
  summary: 'List the suppression list: digests, because no identifiers are stored',
  examples: ['appsvc suppressions list --app 1', 'appsvc suppressions list --app 1 --json'],
  args: { app: optionalAppArg },
  things: 'entries',
  none: 'Nobody is on the suppression list.',
  head: ['ID', 'DIGEST', 'SINCE', 'REASON'],
  async page({ program, appId, flags }) {
    const { presentListed } = await import('../../../present/api/consent.ts')
    const { suppressions, next } = await program.suppressions.list(appId, { after: flags.after, limit: flags.limit })
    const rows = suppressions.map(({ id, digest, at, reason }) => [
      id,
      `${digest.slice(0, 12)}…`,
      shortTime(at),
      reason === null ? null : printable(reason),
    ])
    return { json: { suppressions: suppressions.map(presentListed) }, rows, next }
  },
})
