import { appFlag, chooseApp } from '../../input/app.ts'
import { BaseCommand, textArg } from '../../kinds/base.ts'
import { printable } from '../../output/output.ts'

export class UsersShow extends BaseCommand {
  static override summary = 'Show a user with attributes and installs'
  static override examples = ['<%= config.bin %> users show anna@example.com']
  static override args = { user: textArg({ required: true, description: 'identifier of the user' }) }
  static override flags = { app: appFlag }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(UsersShow)
    const app = await this.open(flags)
    const { id } = await chooseApp(app, flags.app)
    const [{ presentUser }, { shortTime }] = await Promise.all([
      import('../../../server/present/crm.ts'),
      import('../../output/present.ts'),
    ])
    const user = await app.crm.showUser(id, args.user)
    this.out.value(presentUser(user))
    this.out.fields({
      user: user.identifier,
      kind: user.anonymous ? 'anonymous' : 'known',
      'first active': shortTime(user.firstActive),
      'last active': shortTime(user.lastActive),
      'in-app': user.inAppEnabled ? 'enabled' : 'not enabled',
    })
    for (const [name, value] of Object.entries(user.attributes)) {
      this.out.line(
        `${this.out.paint('dim', 'attribute')}     ${printable(name)} = ${printable(JSON.stringify(value))}`,
      )
    }
    this.out.line()
    this.out.table(
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
  }
}
