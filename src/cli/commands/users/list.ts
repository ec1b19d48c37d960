import { Flags } from '@oclif/core'
import type { UserPage } from '../../../domain/crm/types.ts'
import { appFlag } from '../../input/args.ts'
import { appCommand } from '../../kinds/app-command.ts'
import type { Output } from '../../output/output.ts'
import { countOf } from '../../output/plural.ts'
import { shortTime } from '../../output/present.ts'

export const UsersList = appCommand({
  summary: 'List users with their installs in pages, oldest first',
  examples: ['appsvc users list', 'appsvc users list --page 1000 --per-page 100 --json'],
  flags: {
    app: appFlag,
    page: Flags.integer({ default: 1, min: 1, helpValue: 'N', description: 'page number' }),
    'per-page': Flags.integer({ default: 50, min: 1, max: 1000, helpValue: 'N', description: 'users per page' }),
  },
  async work({ app, appId, flags, out }) {
    const { users, total } = await app.crm.listUsers(appId, flags.page, flags['per-page'])
    if (out.json) return printJson(out, users, total, flags.page)
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
    out.table(
      ['USER', 'INSTALLS', 'PUSH', 'LAST ACTIVE', 'ATTRIBUTES'],
      rows,
      total === 0 ? 'There are no users yet.' : 'There are no users on this page.',
    )
    if (rows.length > 0) {
      out.note(`page ${flags.page} of ${Math.ceil(total / flags['per-page'])}, ${countOf(total, 'user')}`)
    }
  },
})

/** Prints the answer that the HTTP interface gives, streamed so that it never has to fit in memory. */
async function printJson(out: Output, users: UserPage['users'], total: number, page: number): Promise<void> {
  const [{ presentUser, presentUserPage }, { streamOf }, { textOf }] = await Promise.all([
    import('../../../server/present/crm.ts'),
    import('../../../server/route.ts'),
    import('../../../server/stream.ts'),
  ])
  const list = streamOf(users, presentUser, { name: 'users', others: presentUserPage(total, page) })
  for await (const piece of textOf(list)) {
    out.piece(piece)
    await out.drained()
  }
  out.piece('\n')
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`
}
