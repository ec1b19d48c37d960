import { Flags } from '@oclif/core'
import { appFlag, chooseApp } from '../../app-ref.ts'
import { BaseCommand } from '../../base.ts'
import { countOf } from '../../plural.ts'

export class UsersList extends BaseCommand {
  static override summary = 'List users with their installs, a page at a time, in the order in which they came'
  static override examples = [
    '<%= config.bin %> users list',
    '<%= config.bin %> users list --page 1000 --per-page 100 --json',
  ]
  static override flags = {
    app: appFlag,
    page: Flags.integer({ default: 1, min: 1, helpValue: 'N', description: 'which page' }),
    'per-page': Flags.integer({ default: 50, min: 1, max: 1000, helpValue: 'N', description: 'users of a page' }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(UsersList)
    const app = await this.open(flags)
    const { id } = await chooseApp(app, flags.app)
    const [{ presentUserPage }, { shortTime }] = await Promise.all([
      import('../../../server/present/crm.ts'),
      import('../../present.ts'),
    ])
    const page = await app.crm.listUsers(id, flags.page, flags['per-page'])
    this.out.value(presentUserPage(page, flags.page))
    this.out.table(
      ['USER', 'INSTALLS', 'PUSH', 'LAST ACTIVE', 'ATTRIBUTES'],
      page.users.map((user) => [
        user.identifier,
        user.installs.length,
        user.installs.filter((install) => install.subscribed).length,
        shortTime(user.lastActive),
        cut(JSON.stringify(user.attributes), 60),
      ]),
      page.total === 0 ? 'There are no users yet.' : 'There are no users on this page.',
    )
    if (page.users.length > 0)
      this.out.note(
        `page ${flags.page} of ${Math.ceil(page.total / flags['per-page'])}, ${countOf(page.total, 'user')}`,
      )
  }
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`
}
