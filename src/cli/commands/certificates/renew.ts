import { AppError } from '../../../platform/errors.ts'
import { textArg } from '../../input/args.ts'
import { BaseCommand } from '../../kinds/base.ts'

export class CertificatesRenew extends BaseCommand {
  static override summary = 'Order the certificate of a name again now, or try again after a failure'
  static override description =
    'The running server does it within half a minute; appsvc certificates shows what came of it. ' +
    'Authorities limit how often a name gets a certificate (Let’s Encrypt: five times a week).'
  static override examples = ['appsvc certificates renew push.example.com']
  static override args = {
    name: textArg({ required: true, description: 'host name, as appsvc certificates shows it' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(CertificatesRenew)
    const program = await this.open(flags)
    if (!program.kernel.config['acme.enabled']) {
      throw new AppError(
        'config',
        'certificates are renewed only with acme.enabled: replace the files of tls.certFile yourself',
      )
    }
    const name = args.name.toLowerCase()
    await program.inTransaction((tx) => tx.certificates.hasten(name))
    this.out.value({ name })
    this.out.line(`The server orders a certificate for ${name} within half a minute. See: appsvc certificates`)
  }
}
