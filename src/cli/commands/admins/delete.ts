import { auditCommand, findPerson, personArg } from '../../input/admin.ts'
import { yesFlag } from '../../input/args.ts'
import { BaseCommand } from '../../kinds/base.ts'
import { printable } from '../../output/output.ts'

export class AdminsDelete extends BaseCommand {
  static override summary = 'Take all access to the admin interface away from somebody'
  static override description =
    'Sessions, passkeys and personal tokens of the person end at once. The last owner stays.'
  static override examples = ['appsvc admins delete bert@example.com', 'appsvc admins delete 3 --yes']
  static override args = { person: personArg }
  static override flags = { yes: yesFlag }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(AdminsDelete)
    const program = await this.open(flags)
    const person = await findPerson(program, args.person)
    await this.out.confirm(`Take all access away from ${printable(person.email)}?`, flags.yes)
    await program.inTransaction(async (tx) => {
      const { roles } = await tx.admins.lockRoles(person.id)
      await tx.admins.remove(person.id)
      await auditCommand(tx, this.io, 'admins.delete', { target: person.email, before: { roles } })
    })
    this.out.value({ id: person.id, deleted: true })
    this.out.line(`${printable(person.email)} has no access any more.`)
  }
}
