import { BaseCommand } from '../../kinds/base.ts'
import { CERTIFICATE_STATES } from '../../output/certificate-words.ts'

export class Certificates extends BaseCommand {
  static override summary = 'Show the certificates of the server: names, issuer, expiry, next renewal, last error'
  static override description =
    'The certificates with which the server speaks TLS itself: of tls.certFile, or from an authority (acme.enabled). ' +
    'Behind a proxy that speaks TLS there are none. docs/tls.md describes both ways.'
  static override examples = ['appsvc certificates', 'appsvc certificates --json']

  async run(): Promise<void> {
    const { flags } = await this.parse(Certificates)
    const program = await this.open(flags)
    const [{ reportCertificates }, { presentCertificate }, { shortTime }] = await Promise.all([
      import('../../../domain/certificates/report.ts'),
      import('../../output/certificate-words.ts'),
      import('../../output/present.ts'),
    ])
    const { config, clock } = program.kernel
    const now = clock.now()
    const found = await reportCertificates({ certificates: program.certificates, config }, now)
    this.out.value({ certificates: found.map((one) => presentCertificate(one, now)) })
    const isOn = config['tls.certFile'] !== '' || config['acme.enabled']
    this.out.table(
      ['NAME', 'STATE', 'VALID UNTIL', 'NEXT ATTEMPT', 'ISSUER'],
      found.map(({ names, state, notAfter, nextAt, issuer }) => [
        names.join(', '),
        CERTIFICATE_STATES[state],
        shortTime(notAfter),
        shortTime(nextAt),
        issuer,
      ]),
      isOn
        ? 'There are none yet: the server orders them when it runs.'
        : 'The server does not speak TLS: set tls.certFile or acme.enabled, or let a proxy do it.',
    )
    for (const { names, lastError, attempts, failedAt } of found) {
      if (lastError === null) continue
      const when = failedAt === null ? '' : ` (attempt ${attempts}, ${shortTime(failedAt)})`
      this.out.line(this.out.paint('red', `! ${names.join(', ')}: ${lastError}${when}`))
    }
  }
}
