import { AppError, isAppError } from '../errors.ts'
import { POOLER_PROBLEMS, POOLER_REMEDY } from './pooler.ts'
import { damagedError, isDamage } from './soundness.ts'

/** Result codes of SQLite for problems of the disk and for locks of other processes. */
const SQLITE = /^SQLITE_(BUSY|FULL|IOERR|READONLY|CANTOPEN)/

/**
 * The same for PostgreSQL: SQLSTATE classes for connection, resources and operator intervention, then deadlock, lock and idle timeouts, and a server that is not the primary
 * (https://www.postgresql.org/docs/current/errcodes-appendix.html), then error codes of the operating system for an unreachable server.
 */
const POSTGRES =
  /^(08|53|57)\w{3}$|^(40001|40P01|55P03|25P03|25006)$|^(ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|EAI_|ENOTFOUND)/

/** A prepared statement that is not there, or is there already: a pooler has given the connection of the server to somebody else. */
const FOREIGN_SESSION = /^(26000|42P05)$/

/** Errors without a code: the connection was lost during a query, or none became free. Knex puts the statement in front of the message. */
const NO_CODE = /Connection terminated|is not queryable|Timeout acquiring a connection/

/** Errors thrown by PostgreSQL's driver. A network error code alone does not say which connection failed. */
const driverErrors = new WeakSet<Error>()

/** Tells whether PostgreSQL cancelled a statement that took longer than `statement_timeout`. */
export function isStatementTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '57014'
}

/** Marks an error as thrown by the driver. Returns it. */
export function fromDriver(error: unknown): unknown {
  if (error instanceof Error) driverErrors.add(error)
  return error
}

/** `asUnavailable` for an error from anywhere: changes it only if the database threw it. */
export function asDatabaseUnavailable(error: unknown): unknown {
  const isOurs = error instanceof Error && (driverErrors.has(error) || error.name === 'SqliteError')
  return isOurs ? asUnavailable(error) : error
}

/** Tells whether an error means that the database cannot be used now, which is reported as a fault (platform/instance/faults.ts). */
export function isDatabaseFault(error: unknown): boolean {
  const known = asDatabaseUnavailable(error)
  return isAppError(known) && known.code === 'unavailable'
}

/**
 * Turns an error caused by the disk, the network or another process into `unavailable` (503) with the cause in its message. Returns
 * any other error unchanged.
 */
export function asUnavailable(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof AppError) return error
  if (isDamage(error)) return damagedError()
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  if (SQLITE.test(code)) {
    const why = code.startsWith('SQLITE_FULL') ? 'the disk is full' : `the database cannot be used now (${code})`
    return unavailable(`${why}; nothing was changed, try again`)
  }
  if (FOREIGN_SESSION.test(code)) return unavailable(`${POOLER_PROBLEMS.transaction}: ${POOLER_REMEDY}`)
  // The message does not promise that nothing was changed: a connection can break between a commit and its answer.
  if (POSTGRES.test(code)) return unavailable(`the database cannot be used now (${code}); try again`)
  if (NO_CODE.test(error.message)) return unavailable('the database cannot be reached now; try again')
  return error
}

function unavailable(message: string): AppError {
  return new AppError('unavailable', message, { headers: { 'Retry-After': '5' } })
}
