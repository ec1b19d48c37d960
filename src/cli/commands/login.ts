import { resolve } from 'node:path'
import { Flags } from '@oclif/core'
import { AppError } from '../../platform/errors.ts'
import { textArg } from '../input/args.ts'
import { readSecret } from '../input/files.ts'
import { BaseCommand } from '../kinds/base.ts'
import { printable } from '../output/output.ts'

export class Login extends BaseCommand {
  static override summary = 'Sign in to a server on another machine with a personal token, and keep the token'
  static override description =
    'Commands run on that server from then on, unless they find a database of their own here or --url names another one. The token is ' +
    'asked for on the terminal, or read from standard input; make one in the console, or with appsvc admins on the server.'
  static override examples = [
    'appsvc login https://push.example.com',
    'appsvc login https://push.example.com --token-file token.txt',
  ]
  static override args = {
    server: textArg({ required: true, description: 'address of the server, such as https://push.example.com' }),
  }
  static override flags = {
    'token-file': Flags.string({
      default: '-',
      helpValue: 'FILE',
      description: 'file with the token, or - for standard input',
    }),
    ca: Flags.string({
      helpValue: 'FILE',
      description: 'certificate authorities (PEM) that the server is verified with, besides the usual ones',
    }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Login)
    const [{ readAddress }, { readLogins, writeLogins }, { whoIs }] = await Promise.all([
      import('../remote/target.ts'),
      import('../remote/logins.ts'),
      import('../remote/who-is.ts'),
    ])
    const url = readAddress(args.server, 'SERVER')
    const token = (await this.#readToken(flags['token-file'])).trim()
    if (token === '') throw new AppError('usage', 'the token is empty')
    const ca = flags.ca === undefined ? undefined : resolve(flags.ca)
    const person = await whoIs({ url, token, ca })
    const { servers } = readLogins(this.io)
    const login = { token, ...(ca !== undefined && { ca }) }
    const file = writeLogins(this.io, { current: url, servers: { ...servers, [url]: login } })
    this.out.value({ url, ...person })
    this.out.line(`You are signed in to ${url} as ${printable(person.name)}; the token is in ${file}.`)
  }

  async #readToken(file: string): Promise<string> {
    if (file !== '-' || this.io.stdin.isTTY !== true) return readSecret(this.io, file, '--token-file')
    const { askSecret } = await import('../input/ask-secret.ts')
    return askSecret(this.io, 'Personal token: ')
  }
}
