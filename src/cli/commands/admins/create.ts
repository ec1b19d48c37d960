import { Flags } from '@oclif/core'
import {
  auditCommand,
  makeAddress,
  readNewPassword,
  readRoles,
  requiredRoleFlag,
  showRoles,
} from '../../input/admin.ts'
import { textArg } from '../../input/args.ts'
import { checked } from '../../input/checked.ts'
import { BaseCommand } from '../../kinds/base.ts'
import { shortTime } from '../../output/present.ts'

export class AdminsCreate extends BaseCommand {
  static override summary = 'Add somebody to the admin interface, and print a one-time link for them'
  static override description =
    'The address works once, for seven days: the person chooses a password there. With --password-file (- is standard input) the person ' +
    'has that password at once, and no address is made. A password is never an argument, because others on the machine see arguments.'
  static override examples = [
    'appsvc admins create anna@example.com --role owner',
    'appsvc admins create bert@example.com --name Bert --role marketer:1 --role viewer',
    'appsvc admins create anna@example.com --role owner --password-file /run/secrets/anna',
  ]
  static override args = { email: textArg({ required: true, description: 'e-mail address of the person' }) }
  static override flags = {
    name: Flags.string({ helpValue: 'NAME', description: 'name that others see; default: the e-mail address' }),
    role: requiredRoleFlag,
    'password-file': Flags.string({ helpValue: 'FILE', description: 'file with the password; - is standard input' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(AdminsCreate)
    const { createAdmin } = await import('../../../domain/admins/schema.ts')
    const roles = await readRoles(flags.role)
    const { email, name } = await checked(createAdmin, {
      email: args.email,
      name: flags.name ?? args.email.slice(0, 100),
      roles,
    })
    const file = flags['password-file']
    const password = file === undefined ? null : await readNewPassword(this.io, file, '--password-file')
    const program = await this.open(flags, { make: true })
    const made = await program.inTransaction(async (tx) => {
      const admin = await tx.admins.add({ email, name, password, roles })
      await auditCommand(tx, this.io, 'admins.create', { target: admin.email, after: { roles } })
      const address = password === null ? await makeAddress(tx, program, admin.id, 'invitation') : undefined
      return { admin, address }
    })
    const { admin, address } = made
    this.out.value({ id: admin.id, email: admin.email, name: admin.name, roles, link: address?.link ?? null })
    this.out.fields({
      person: `${admin.id} ${admin.email}`,
      roles: showRoles(roles),
      'one-time link': address?.link,
      'works until': address && shortTime(address.expiresAt),
    })
  }
}
