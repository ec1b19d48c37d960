import pino from 'pino'

/** What the rest of the program needs of a log. `error` means: an operator must act. */
export interface Log {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
  child(fields: object): Log
  /** Writes out what is buffered; call before the process ends. */
  flush(): void
}

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const

/**
 * JSON lines on standard error (standard output belongs to the commands' results). Writing is asynchronous and bounded:
 * a reader that stops reading costs log lines, never the sending of pushes.
 */
export function createLog(level: string): Log {
  const destination = pino.destination({ dest: 2, sync: false, maxLength: 1 << 20 })
  // A closed pipe must not take the program down.
  destination.on('error', () => {})
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: ['password', 'authorization', '*.password'],
    },
    destination,
  )
  return Object.assign(logger as unknown as Log, {
    flush() {
      try {
        destination.flushSync()
      } catch {
        // Nothing was opened yet, or nobody reads any more.
      }
    },
  })
}

/** A log that says nothing. */
export const silentLog: Log = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => silentLog,
  flush() {},
}
