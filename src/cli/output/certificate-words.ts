import type { CertificateReport } from '../../domain/certificates/report.ts'
import { isoOffset } from '../../platform/time/clock.ts'

/** What the states of a certificate are called. */
export const CERTIFICATE_STATES: Record<CertificateReport['state'], string> = {
  valid: 'valid',
  waiting: 'ordered soon',
  failing: 'renewal fails',
  expired: 'expired',
}

const DAY_MS = 86_400_000
const time = (ms: number | null) => (ms === null ? null : isoOffset(ms))

/** A certificate as JSON. */
export function presentCertificate(one: CertificateReport, now: number) {
  const { names, from, state, issuer, notBefore, notAfter, nextAt, attempts, lastError, failedAt } = one
  return {
    names,
    from,
    state,
    issuer,
    notBefore: time(notBefore),
    notAfter: time(notAfter),
    daysLeft: notAfter === null ? null : Math.floor((notAfter - now) / DAY_MS),
    nextAttempt: time(nextAt),
    attempts,
    lastError,
    failedAt: time(failedAt),
  }
}
