import { Flags } from '@oclif/core'
import type { AuditNote, RoleIn } from '../../domain/admins/types.ts'
import { AppError } from '../../platform/errors.ts'
import type { Areas, Program } from '../../program.ts'
import type { Io } from '../process/io.ts'
import { addressOf } from '../state/address.ts'
import { textArg } from './args.ts'
import { readSecret } from './files.ts'

/** The argument that names a person. */
export const personArg = textArg({ required: true, description: 'e-mail address or number of the person' })

const ROLE = {
  helpValue: 'ROLE[:APP]',
  description: 'viewer, marketer, operator or owner; in one app (marketer:1), or in the whole server',
}
export const roleFlag = Flags.string({ ...ROLE, multiple: true })
export const requiredRoleFlag = Flags.string({ ...ROLE, multiple: true, required: true })

/** `marketer:1` -> a role in app 1, `owner` -> in the whole server. Throws `usage`. */
export async function readRoles(given: readonly string[]): Promise<RoleIn[]> {
  const { ROLES } = await import('../../domain/admins/types.ts')
  return given.map((text) => {
    const [name, app, ...more] = text.split(':')
    const role = ROLES.find((one) => one === name)
    if (!role || more.length > 0 || (app !== undefined && !/^[1-9]\d{0,14}$/.test(app))) {
      throw new AppError('usage', `--role ${text}: use ${ROLES.join(', ')}, and behind a colon the number of an app`)
    }
    return { role, appId: app === undefined ? null : Number(app) }
  })
}

export const showRoles = (roles: readonly RoleIn[]): string =>
  roles.map(({ appId, role }) => (appId === null ? role : `${role}:${appId}`)).join(', ') || 'none'

/** The person of an argument. Throws `not_found`. */
export async function findPerson(
  program: Program,
  named: string,
): Promise<{ id: number; email: string; name: string }> {
  if (/^\d{1,15}$/.test(named)) return program.admins.get(Number(named))
  const found = await program.admins.findByEmail(named)
  if (!found) throw new AppError('not_found', `there is no person ${named}: appsvc admins list shows them`)
  return found
}

/** The digest of the password in a file; `-` is standard input. Throws `invalid` for one that is too short. */
export async function readNewPassword(io: Io, file: string, what: string): Promise<string> {
  const [{ parseJson }, { newPassword }, { digestPassword }] = await Promise.all([
    import('../../platform/values/parse.ts'),
    import('../../domain/admins/schema.ts'),
    import('../../domain/admins/passwords.ts'),
  ])
  return digestPassword(parseJson(newPassword().required().label(what), await readSecret(io, file, what)))
}

/** Notes in the audit log what a command does on this machine, where nobody has signed in. For a caller elsewhere the server notes it. */
export async function auditCommand(tx: Areas, { caller }: Io, action: string, details: AuditNote): Promise<void> {
  if (caller) return
  await tx.audit.record({ ...details, action, adminId: null, who: 'command line', appId: null, remote: '' })
}

/** A new one-time link for a person. */
export async function makeAddress(
  tx: Areas,
  program: Program,
  id: number,
  kind: 'invitation' | 'reset',
): Promise<{ link: string; expiresAt: number }> {
  const [{ oneTimeAddress }, { consoleAddress }] = await Promise.all([
    import('../../domain/admins/addresses.ts'),
    import('../../server/console/entrance.ts'),
  ])
  const { config } = program.kernel
  const aside = config['console.listen']
  const { origin } = new URL(consoleAddress(config, aside === '' ? addressOf(config) : `http://${aside}`))
  const { token, expiresAt } = await tx.admins.linkFor(id, kind)
  return { link: oneTimeAddress(origin, kind, token), expiresAt }
}
