import { readFile } from 'node:fs/promises'
import type { Config } from '../../platform/config/settings.ts'
import { certificateFacts } from '../../platform/crypto/x509.ts'
import { messageOf } from '../../platform/errors.ts'
import { type CertificateState, stateOf } from './plan.ts'
import type { CertificatesService } from './service.ts'

/** The state of a certificate, for operators. Times in milliseconds. */
export interface CertificateReport {
  names: readonly string[]
  /** `file`: of `tls.certFile`; `authority`: of `acme.directory`. */
  from: 'file' | 'authority'
  state: CertificateState
  issuer: string | null
  notBefore: number | null
  notAfter: number | null
  /** The time at which it is ordered, renewed or tried again; null for a file. */
  nextAt: number | null
  /** Attempts that failed since the last certificate. */
  attempts: number
  lastError: string | null
  failedAt: number | null
}

/**
 * The certificates that this server shows to clients, and the state of their renewal: for `appsvc certificates`,
 * `status`, `doctor` and metrics. Empty when the server does not speak TLS.
 */
export async function reportCertificates(
  { certificates, config }: { certificates: Pick<CertificatesService, 'list'>; config: Config },
  now: number,
): Promise<CertificateReport[]> {
  if (config['tls.certFile'] !== '') return [await ofFile(config['tls.certFile'], now)]
  if (!config['acme.enabled']) return []
  return (await certificates.list()).map((one) => {
    const { name, issuer, notBefore, notAfter, nextAt, attempts, lastError, failedAt } = one
    const state = stateOf(one, now)
    return {
      names: [name],
      from: 'authority',
      state,
      issuer,
      notBefore,
      notAfter,
      nextAt,
      attempts,
      lastError,
      failedAt,
    }
  })
}

async function ofFile(file: string, now: number): Promise<CertificateReport> {
  const unknown = { from: 'file', nextAt: null, attempts: 0, failedAt: null } as const
  try {
    const { names, issuer, notBefore, notAfter } = certificateFacts(await readFile(file, 'utf8'))
    const state = stateOf({ notAfter, lastError: null }, now)
    return { ...unknown, names, state, issuer, notBefore, notAfter, lastError: null }
  } catch (error) {
    const lastError = `tls.certFile cannot be read: ${messageOf(error)}`
    return { ...unknown, names: [], state: 'failing', issuer: null, notBefore: null, notAfter: null, lastError }
  }
}
