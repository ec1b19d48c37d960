import { AppError, isAppError } from '../errors.ts'
import { damagedError, isDamage } from './soundness.ts'

/** SQLite's result codes for what the disk or another process did to us. */
const SQLITE = /^SQLITE_(BUSY|FULL|IOERR|READONLY|CANTOPEN)/

/**
 * PostgreSQL's SQLSTATE classes for the same (connection, resources, operator; then deadlock, lock and statement timeouts:
 * https://www.postgresql.org/docs/current/errcodes-appendix.html) and the system's words for a server that is not there.
 */
const POSTGRES = /^(08|53|57)\w{3}$|^(40001|40P01|55P03|25P03)$|^(ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|EAI_|ENOTFOUND)/

/** What is thrown without any code when the connection goes away under a query, or none becomes free. Knex puts the statement before it. */
const NO_CODE = /Connection terminated|is not queryable|Timeout acquiring a connection/

/** What PostgreSQL's driver threw: codes of the network alone do not tell whose connection it was. */
const driverErrors = new WeakSet<Error>()

/** Remembers that the driver threw this. Returns it. */
export function fromDriver(error: unknown): unknown {
  if (error instanceof Error) driverErrors.add(error)
  return error
}

/** `asUnavailable` for what was thrown anywhere, also outside of a write: only what the database threw is taken for its fault. */
export function asDatabaseUnavailable(error: unknown): unknown {
  const isOurs = error instanceof Error && (driverErrors.has(error) || error.name === 'SqliteError')
  return isOurs ? asUnavailable(error) : error
}

/** Whether this was thrown because the database cannot be used now, which is named as a fault of its own (platform/faults.ts). */
export function isDatabaseFault(error: unknown): boolean {
  const known = asDatabaseUnavailable(error)
  return isAppError(known) && known.code === 'unavailable'
}

/**
 * What the disk, the network or another process did to a write is a 503 with the cause in the sentence, not a bug of ours.
 * Anything else comes back as it is.
 */
export function asUnavailable(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof AppError) return error
  if (isDamage(error)) return damagedError()
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  if (SQLITE.test(code)) {
    const why = code.startsWith('SQLITE_FULL') ? 'the disk is full' : `the database cannot be used now (${code})`
    return unavailable(`${why}; nothing was changed, try again`)
  }
  // No promise that nothing changed: a connection can break between a commit and its answer.
  if (POSTGRES.test(code)) return unavailable(`the database cannot be used now (${code}); try again`)
  if (NO_CODE.test(error.message)) return unavailable('the database cannot be reached now; try again')
  return error
}

function unavailable(message: string): AppError {
  return new AppError('unavailable', message, { headers: { 'Retry-After': '5' } })
}
