import { Flags } from '@oclif/core'
import type { UserPage } from '../../../domain/crm/types.ts'
import { appFlag, chooseApp } from '../../input/app.ts'
import { BaseCommand } from '../../kinds/base.ts'
import { countOf } from '../../output/plural.ts'

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
    const { users, total } = await app.crm.listUsers(id, flags.page, flags['per-page'])
    if (this.out.json) return this.#printJson(users, total, flags.page)
    const { shortTime } = await import('../../output/present.ts')
    const rows = []
    for await (const user of users) {
      rows.push([
        user.identifier,
        user.installs.length,
        user.installs.filter((install) => install.subscribed).length,
        shortTime(user.lastActive),
        cut(JSON.stringify(user.attributes), 60),
      ])
    }
    this.out.table(
      ['USER', 'INSTALLS', 'PUSH', 'LAST ACTIVE', 'ATTRIBUTES'],
      rows,
      total === 0 ? 'There are no users yet.' : 'There are no users on this page.',
    )
    if (rows.length > 0) {
      this.out.note(`page ${flags.page} of ${Math.ceil(total / flags['per-page'])}, ${countOf(total, 'user')}`)
    }
  }

  /** The answer of the server to the same question, written as it is read. */
  async #printJson(users: UserPage['users'], total: number, page: number): Promise<void> {
    const [{ presentUser, presentUserPage }, { streamOf }, { textOf }] = await Promise.all([
      import('../../../server/present/crm.ts'),
      import('../../../server/route.ts'),
      import('../../../server/stream.ts'),
    ])
    const list = streamOf(users, presentUser, { name: 'users', others: presentUserPage(total, page) })
    for await (const piece of textOf(list)) {
      this.out.piece(piece)
      await this.out.drained()
    }
    this.out.piece('\n')
  }
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`
}
