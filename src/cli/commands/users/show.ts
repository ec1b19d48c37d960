import { appFlag, textArg } from '../../input/args.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { printable } from '../../output/output.ts'
import { shortTime } from '../../output/present.ts'

export const UsersShow = appCommand({
  summary: 'Show a user with attributes and installs',
  examples: ['appsvc users show anna@example.com'],
  args: { user: textArg({ required: true, description: 'user identifier' }) },
  flags: { app: appFlag },
  async work({ app, appId, args, out }) {
    const { presentUser } = await import('../../../server/present/crm.ts')
    const user = await app.crm.showUser(appId, args.user)
    out.value(presentUser(user))
    out.fields({
      user: user.identifier,
      kind: user.anonymous ? 'anonymous' : 'known',
      'first active': shortTime(user.firstActive),
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
        [install.os, install.osVersion].filter(Boolean).join(' ') || null,
        install.appVersion,
        install.subscribed ? 'yes' : 'no',
        shortTime(install.lastActive),
      ]),
      'No installs.',
    )
  },
})
