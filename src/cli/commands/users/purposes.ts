import { Flags } from '@oclif/core'
import { AppError } from '../../../platform/errors.ts'
import { appFlag, textArg } from '../../input/args.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { printable } from '../../output/output.ts'
import { shortTime } from '../../output/present.ts'

const uids = (description: string) => Flags.string({ multiple: true, helpValue: 'UID', description })

export const UsersPurposes = appCommand({
  summary: 'Show what a user allows, or store what they chose',
  examples: [
    'appsvc users purposes anna@example.com',
    'appsvc users purposes anna@example.com --refuse offers --allow news',
    'appsvc users purposes anna@example.com --forget news',
  ],
  args: {
    user: textArg({ required: true, description: 'user identifier; with a choice the user need not exist yet' }),
  },
  flags: {
    app: appFlag,
    allow: uids('the user allows this purpose; may be repeated'),
    refuse: uids('the user refuses this purpose; may be repeated'),
    forget: uids('the default of this purpose counts again; may be repeated'),
  },
  read({ flags }) {
    const choices = [
      ...(flags.allow ?? []).map((uid) => [uid, true] as const),
      ...(flags.refuse ?? []).map((uid) => [uid, false] as const),
      ...(flags.forget ?? []).map((uid) => [uid, null] as const),
    ]
    const changes: Record<string, boolean | null> = Object.fromEntries(choices)
    if (Object.keys(changes).length < choices.length)
      throw new AppError('usage', 'each purpose can be named once: in --allow, --refuse or --forget')
    return changes
  },
  async work({ program, appId, args, input: changes, out }) {
    const { presentAllChosen } = await import('../../../present/api/consent.ts')
    const isChange = Object.keys(changes).length > 0
    const chosen = isChange
      ? (await program.inTransaction((tx) => tx.purposes.choose(appId, args.user, changes, 'server'))).chosen
      : await program.purposes.ofUser(appId, args.user)
    out.value(presentAllChosen(chosen))
    out.table(
      ['PURPOSE', 'NAME', 'ALLOWED', 'CHOSEN'],
      chosen.map(({ purpose, allowed, choice }) => [
        purpose.uid,
        printable(purpose.name),
        allowed ? 'yes' : 'no',
        choice ? `${shortTime(choice.at)} (${choice.source})` : purpose.required ? 'required' : 'by default',
      ]),
      'The app has no purposes.',
    )
  },
})
