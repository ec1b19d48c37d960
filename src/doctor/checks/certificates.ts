import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { createSecureContext } from 'node:tls'
import { type CertificateReport, reportCertificates } from '../../domain/certificates/report.ts'
import type { Config } from '../../platform/config/settings.ts'
import { configuredNames, speaksTls } from '../../platform/config/tls-settings.ts'
import { isForName } from '../../platform/crypto/x509.ts'
import { messageOf } from '../../platform/errors.ts'
import { type Check, error, type Finding, info, ok, warning } from './types.ts'

const DAY_MS = 86_400_000
/** The time (ms) before its end at which somebody has to replace a certificate from files by hand. */
const FILE_ENDS_MS = 30 * DAY_MS
/** The time (ms) before its end at which an authority's certificate should long have been renewed. */
const RENEWAL_FAILS_MS = 7 * DAY_MS

/** The certificates with which this server speaks TLS itself. Contradicting settings of TLS keep it from starting (`settings`). */
export const certificatesCheck: Check = {
  name: 'certificates',
  group: 'machine',
  needs: 'settings',
  async run({ config, clock, storage }) {
    if (!speaksTls(config)) return []
    const now = clock.now()
    const program = storage.state === 'open' ? storage.program : undefined
    if (config['acme.enabled'] && !program) {
      return [info('which certificates the authority has issued is in the database, which cannot be read')]
    }
    const certificates = program?.certificates ?? { list: async () => [] }
    const reports = await reportCertificates({ certificates, config }, now)
    if (reports.length === 0) return [info('no certificate has been ordered yet: a running server orders them')]
    const findings = reports.map((report) => judgeCertificate(report, now))
    return config['acme.enabled'] ? findings : [...findings, ...ofFiles(config, reports[0]!)]
  },
}

/** Judges the end of a certificate and its renewal. `now` in ms. */
export function judgeCertificate(
  { names, from, state, notAfter, attempts, lastError }: CertificateReport,
  now: number,
): Finding {
  const who = `the certificate of ${names.join(', ') || 'tls.certFile'}`
  const isFile = from === 'file'
  const reason = lastError === null ? '' : `: ${lastError}`
  if (isFile && lastError !== null) return error(lastError, 'name a PEM file that the server may read in tls.certFile')
  const remedy = isFile
    ? 'replace the files of tls.certFile and tls.keyFile; the server reads them by itself'
    : `correct what it names, then appsvc certificates renew ${names[0]}`
  if (state === 'expired') return error(`${who} has expired, so clients refuse it${reason}`, remedy)
  const left = notAfter === null ? undefined : notAfter - now
  const ends = left === undefined ? 'has never been issued' : `ends in ${Math.floor(left / DAY_MS)} days`
  if (attempts > 0 || lastError !== null) {
    const what = `${who} ${ends}, and ${attempts === 1 ? 'one attempt' : `${attempts} attempts`} to get a new one failed${reason}`
    return left === undefined || left < RENEWAL_FAILS_MS ? error(what, remedy) : warning(what, remedy)
  }
  if (left === undefined) return info(`${who} is being ordered`)
  if (isFile && left < FILE_ENDS_MS) return warning(`${who} ${ends}`, remedy)
  return ok(`${who} ${ends}`)
}

/** Checks whether the two files fit each other and the names of this server, and who may read the key. */
function ofFiles(config: Config, { names, lastError }: CertificateReport): Finding[] {
  const { 'tls.certFile': certFile, 'tls.keyFile': keyFile } = config
  const findings: Finding[] = []
  let key: string
  try {
    key = readFileSync(keyFile, 'utf8')
  } catch (failure) {
    return [
      error(
        `tls.keyFile cannot be read, so the server does not start: ${messageOf(failure)}`,
        'name the PEM file of the private key in tls.keyFile, one that the server may read',
      ),
    ]
  }
  try {
    // Another user is common for this file, a group too (ssl-cert of Debian); everybody is not.
    if ((statSync(keyFile).mode & 0o007) !== 0) {
      findings.push(warning(`every user may read the private key ${resolve(keyFile)}`, `chmod o= ${resolve(keyFile)}`))
    }
    // Throws when they do not belong together.
    if (lastError === null) createSecureContext({ cert: readFileSync(certFile, 'utf8'), key })
  } catch (failure) {
    findings.push(
      error(
        `tls.certFile and tls.keyFile cannot be used together, so the server does not start: ${messageOf(failure)}`,
        'put the key that belongs to the certificate, without a passphrase, into tls.keyFile',
      ),
    )
  }
  if (lastError !== null) return findings
  for (const [setting, name] of configuredNames(config)) {
    if (isForName(names, name) || setting === 'links.domain') continue
    findings.push(
      warning(
        `the certificate is not for ${name} (${setting}), so clients refuse it there`,
        `a certificate that has the name ${name} too`,
      ),
    )
  }
  return findings
}
