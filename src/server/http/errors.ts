import { asDatabaseUnavailable } from '../../platform/db/unavailable.ts'
import { ERRORS, isAppError, messageOf } from '../../platform/errors.ts'
import { asDiskUnavailable } from '../../platform/files/file-faults.ts'
import type { Log } from '../../platform/log/log.ts'
import { withoutTexts } from '../../platform/log/without-texts.ts'
import { Reply } from '../routing/route.ts'

/**
 * Turns an error into an answer (docs/decisions/0006-where-the-contract-is-silent.md). An unusable database and a full disk are a 503.
 * Any other error that is not an `AppError` is logged in full and answered with a bare 500.
 */
export function replyOfError(thrown: unknown, log: Log, request: { method: string; path: string }): Reply {
  const error = asDiskUnavailable(asDatabaseUnavailable(thrown))
  if (error !== thrown)
    log.warn({ error: messageOf(thrown), ...request }, 'a request failed: the database or its disk cannot be used')
  if (!isAppError(error)) {
    log.error({ err: withoutTexts(error), ...request }, 'a request failed unexpectedly')
    return new Reply(500, { error: 'something went wrong on our side; the log has the details' })
  }
  const { http } = ERRORS[error.code]
  if (http === 500) {
    log.error({ error: error.message, ...request }, 'a request failed')
    return new Reply(500, { error: 'something went wrong on our side; the log has the details' })
  }
  const { fields, headers, body } = error.details
  if (body !== undefined) return new Reply(http, body, headers)
  return new Reply(http, fields ? { error: error.message, errors: fields } : { error: error.message }, headers)
}
