import { auditCommand, findPerson, personArg, readRoles, roleFlag, showRoles } from '../../input/admin.ts'
import { BaseCommand } from '../../kinds/base.ts'

export class AdminsRoles extends BaseCommand {
  static override summary = 'Show or replace the roles of somebody'
  static override examples = [
    'appsvc admins roles bert@example.com',
    'appsvc admins roles bert@example.com --role marketer:1 --role viewer',
  ]
  static override args = { person: personArg }
  static override flags = { role: roleFlag }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(AdminsRoles)
    const wanted = flags.role && (await readRoles(flags.role))
    const program = await this.open(flags)
    const person = await findPerson(program, args.person)
    if (wanted) {
      await program.inTransaction(async (tx) => {
        const { roles } = await tx.admins.lockRoles(person.id)
        await tx.admins.setRoles(person.id, wanted)
        await auditCommand(tx, this.io, 'admins.roles', {
          target: person.email,
          before: { roles },
          after: { roles: wanted },
        })
      })
    }
    const roles = wanted ?? (await program.admins.roles(person.id))
    this.out.value({ id: person.id, roles })
    this.out.fields({ person: `${person.id} ${person.email}`, roles: showRoles(roles) })
  }
}
