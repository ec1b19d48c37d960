import { showRoles } from '../../input/admin.ts'
import { BaseCommand } from '../../kinds/base.ts'
import { pageFlags, showPage } from '../../kinds/list-command.ts'
import { printable } from '../../output/output.ts'
import { shortTime } from '../../output/present.ts'

export class AdminsList extends BaseCommand {
  static override summary = 'List the people of the admin interface and their roles'
  static override examples = ['appsvc admins list', 'appsvc admins list --json']
  static override flags = pageFlags()

  async run(): Promise<void> {
    const { flags } = await this.parse(AdminsList)
    const program = await this.open(flags)
    const { presentAdmin } = await import('../../../present/admin/people.ts')
    const { people, next } = await program.admins.list(flags)
    this.out.value({ items: people.map(presentAdmin), next })
    const rows = people.map(({ admin, roles }) => [
      admin.id,
      printable(admin.email),
      printable(admin.name),
      showRoles(roles),
      admin.hasTotp ? 'yes' : 'no',
      shortTime(admin.createdAt),
    ])
    const none = 'Nobody can sign in yet: appsvc serve prints a one-time link, and appsvc admins create adds somebody.'
    const head = ['ID', 'EMAIL', 'NAME', 'ROLES', 'SECOND STEP', 'ADDED']
    showPage(this.out, head, rows, { after: flags.after, next, things: 'people', none })
  }
}
