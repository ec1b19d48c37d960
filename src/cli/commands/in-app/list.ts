import { appFlag, chooseApp } from '../../input/app.ts'
import { BaseCommand } from '../../kinds/base.ts'
import { pageFlags, showPage } from '../../kinds/pages.ts'
import { printable } from '../../output/output.ts'

export class InAppList extends BaseCommand {
  static override summary = 'List in-app messages, newest first'
  static override examples = ['<%= config.bin %> in-app list', '<%= config.bin %> in-app list --limit 100 --json']
  static override flags = {
    app: appFlag,
    ...pageFlags({ limit: 20, most: 100 }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(InAppList)
    const app = await this.open(flags)
    const { id } = await chooseApp(app, flags.app)
    const [{ presentMessage }, { shortTime }, { inAppStatusName }] = await Promise.all([
      import('../../../server/present/in-app.ts'),
      import('../../output/present.ts'),
      import('../../output/in-app-words.ts'),
    ])
    const { messages, next } = await app.inApp.list(id, { after: flags.after, limit: flags.limit })
    this.out.value({ messages: messages.map(presentMessage), next })
    showPage(
      this.out,
      ['ID', 'STATUS', 'TEMPLATE', 'USERS', 'SHOWN', 'NEXT', 'CREATED'],
      messages.map((one) => [
        one.id,
        inAppStatusName(one.status),
        printable(one.template),
        one.recipients,
        one.shown,
        one.nextAt === null ? null : shortTime(one.nextAt),
        shortTime(one.createdAt),
      ]),
      {
        after: flags.after,
        next,
        things: 'in-app messages',
        none: 'There are no in-app messages yet: appsvc notify --in-app sends one.',
      },
    )
  }
}
