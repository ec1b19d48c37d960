import { auditCommand, findPerson, makeAddress, personArg } from '../../input/admin.ts'
import { BaseCommand } from '../../kinds/base.ts'
import { shortTime } from '../../output/present.ts'

export class AdminsReset extends BaseCommand {
  static override summary = 'Print a one-time link with which somebody chooses a new password'
  static override description =
    'For a forgotten password or a lost phone. The address works once, for 30 minutes. When it is used, all sessions, passkeys and personal tokens ' +
    'of the person and the second factor end; until then everything stays as it is.'
  static override examples = ['appsvc admins reset anna@example.com']
  static override args = { person: personArg }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(AdminsReset)
    const program = await this.open(flags)
    const person = await findPerson(program, args.person)
    const { link, expiresAt } = await program.inTransaction(async (tx) => {
      await auditCommand(tx, this.io, 'admins.reset', { target: person.email })
      return makeAddress(tx, program, person.id, 'reset')
    })
    this.out.value({ id: person.id, link })
    this.out.fields({
      person: `${person.id} ${person.email}`,
      'one-time link': link,
      'works until': shortTime(expiresAt),
    })
  }
}
