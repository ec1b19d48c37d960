import { Flags } from '@oclif/core'
import { BaseCommand } from '../kinds/base.ts'
import { pageFlags, showPage } from '../kinds/list-command.ts'
import { printable } from '../output/output.ts'
import { shortTime } from '../output/present.ts'

export class Audit extends BaseCommand {
  static override summary = 'List what people did in the admin interface, the newest first'
  static override examples = ['appsvc audit', 'appsvc audit --action admins.roles --json']
  static override flags = {
    ...pageFlags(),
    action: Flags.string({ helpValue: 'WORD', description: 'only this action, such as admins.roles' }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(Audit)
    const program = await this.open(flags)
    const { presentAudit } = await import('../../present/admin/people.ts')
    const { action, after, limit } = flags
    const { entries, next } = await program.audit.list({ action, after, limit })
    this.out.value({ items: entries.map(presentAudit), next })
    const rows = entries.map((one) => [
      shortTime(one.at),
      printable(one.who),
      one.action,
      one.appId,
      one.target === null ? null : printable(one.target),
      one.remote || null,
    ])
    const head = ['TIME', 'WHO', 'ACTION', 'APP', 'TARGET', 'IP ADDRESS']
    showPage(this.out, head, rows, { after, next, things: 'rows', none: 'Nothing was done yet.' })
  }
}
