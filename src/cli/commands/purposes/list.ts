import { optionalAppArg } from '../../input/args.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { printable } from '../../output/output.ts'
import { shortTime } from '../../output/present.ts'

export const PurposesList = appCommand({
  summary: 'List the purposes of an app',
  examples: ['appsvc purposes list --app 1', 'appsvc purposes list --app 1 --json'],
  args: { app: optionalAppArg },
  async work({ program, appId, out }) {
    const { presentPurposes } = await import('../../../present/api/consent.ts')
    const purposes = await program.purposes.list(appId)
    out.value(presentPurposes(purposes))
    out.table(
      ['UID', 'NAME', 'DEFAULT', 'REQUIRED', 'CHANGED'],
      purposes.map((one) => [
        one.uid,
        printable(one.name),
        one.default ? 'allow' : 'refuse',
        one.required ? 'yes' : 'no',
        shortTime(one.updatedAt),
      ]),
      'There are no purposes yet. Create one with appsvc purposes set.',
    )
  },
})
