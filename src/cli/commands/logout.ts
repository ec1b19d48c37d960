import { AppError } from '../../platform/errors.ts'
import { textArg } from '../input/args.ts'
import { BaseCommand } from '../kinds/base.ts'

export class Logout extends BaseCommand {
  static override summary = 'Forget the personal token of a server'
  static override description = 'The token itself stays valid: delete it in the console if others may have it.'
  static override examples = ['appsvc logout', 'appsvc logout https://push.example.com']
  static override args = {
    server: textArg({ description: 'address of the server; default: the last one signed in to' }),
  }

  async run(): Promise<void> {
    const { args } = await this.parse(Logout)
    const [{ readAddress }, { readLogins, writeLogins }] = await Promise.all([
      import('../remote/target.ts'),
      import('../remote/logins.ts'),
    ])
    const { current, servers } = readLogins(this.io)
    const url = args.server === undefined ? current : readAddress(args.server, 'SERVER')
    if (url === undefined || !Object.hasOwn(servers, url)) {
      throw new AppError(
        'not_found',
        url === undefined ? 'you are signed in to no server' : `there is no login for ${url}`,
      )
    }
    const { [url]: _forgotten, ...others } = servers
    writeLogins(this.io, { current: current === url ? undefined : current, servers: others })
    this.out.value({ url })
    this.out.line(`The token of ${url} is forgotten.`)
  }
}
