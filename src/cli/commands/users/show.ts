import type { Install } from '../../../domain/crm/types.ts'
import { appFlag, textArg } from '../../input/args.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { printable } from '../../output/output.ts'
import { countOf } from '../../output/plural.ts'
import { shortTime } from '../../output/present.ts'

export const UsersShow = appCommand({
  summary: 'Show a user with attributes, installs and channels',
  examples: ['appsvc users show anna@example.com'],
  args: { user: textArg({ required: true, description: 'user identifier' }) },
  flags: { app: appFlag },
  async work({ program, appId, args, out }) {
    const { presentUserRecord } = await import('../../../present/api/crm.ts')
    const user = await program.crm.showUser(appId, args.user)
    const channels = await program.subscriptions.ofUser(appId, user.id)
    out.value(presentUserRecord(user, channels))
    out.fields({
      user: user.identifier,
      kind: user.anonymous ? 'anonymous' : 'known',
      'first seen': shortTime(user.firstActive),
      'last active': shortTime(user.lastActive),
      'in-app': user.inAppEnabled ? 'enabled' : 'not enabled',
    })
    for (const [name, value] of Object.entries(user.attributes)) {
      out.line(`${out.paint('dim', 'attribute')}     ${printable(name)} = ${printable(JSON.stringify(value))}`)
    }
    out.line()
    out.table(
      ['INSTALL', 'OS', 'APP', 'PUSH', 'LAST ACTIVE'],
      user.installs.map((install) => [
        install.installId,
        [install.os, install.osVersion, install.simulator && '(simulator)'].filter(Boolean).join(' ') || null,
        [install.appVersion, install.buildKind === 'debug' && '(debug)'].filter(Boolean).join(' ') || null,
        pushOf(install),
        shortTime(install.lastActive),
      ]),
      'No installs.',
    )
    if (channels.length === 0) return
    out.line()
    out.table(
      ['CHANNEL', 'NAME', 'SUBSCRIBED', 'OPTED OUT'],
      channels.map(({ uuid, name, subscribed, installIds, optedOutInstallIds }) => [
        printable(uuid),
        name === null ? null : printable(name),
        subscribed ? 'the user' : countOf(installIds.length, 'install'),
        optedOutInstallIds.length === 0 ? null : countOf(optedOutInstallIds.length, 'install'),
      ]),
      '',
    )
  },
})

function pushOf({ subscribed, timeSensitive }: Pick<Install, 'subscribed' | 'timeSensitive'>): string {
  if (!subscribed) return 'no'
  return timeSensitive ? 'yes (time-sensitive)' : 'yes'
}
