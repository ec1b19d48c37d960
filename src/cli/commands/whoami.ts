import { AppError } from '../../platform/errors.ts'
import { BaseCommand } from '../kinds/base.ts'

export class Whoami extends BaseCommand {
  static override summary = 'Show on which server commands run, as whom, and with which rights'
  static override examples = ['appsvc whoami', 'appsvc whoami --url https://push.example.com --json']

  async run(): Promise<void> {
    await this.parse(Whoami)
    const [{ targetOf }, { whoIs }] = await Promise.all([import('../remote/target.ts'), import('../remote/who-is.ts')])
    // As any command that shows something.
    const found = targetOf('apps:list', this.argv, this.io, { hasOwnUrl: false })
    if (!found)
      throw new AppError('not_found', 'commands run on this machine (appsvc login SERVER signs in to another one)')
    const { url } = found.target
    const { name, email, roles } = await whoIs(found.target)
    this.out.value({ url, name, email, roles })
    this.out.fields({ server: url, person: name, email })
    this.out.line()
    this.out.table(
      ['APP', 'ROLE'],
      roles.map(({ appId, role }) => [appId === null ? 'the whole server' : String(appId), role]),
      'No role in any app.',
    )
  }
}
