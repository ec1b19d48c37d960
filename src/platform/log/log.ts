import { isatty, WriteStream } from 'node:tty'
import { styleText } from 'node:util'
import pino from 'pino'
import { keepLine } from './tail.ts'

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

export const LOG_FORMATS = ['auto', 'json', 'text'] as const

/**
 * A log on standard error (standard output belongs to the commands' results): JSON lines, or lines for people on a
 * terminal; `format` is one of LOG_FORMATS. Writing is asynchronous and bounded: a reader that stops reading costs log lines, never the sending of pushes.
 */
export function createLog(level: string, format = 'json'): Log {
  const destination = pino.destination({ dest: 2, sync: false, maxLength: 1 << 20 })
  // A closed pipe must not take the program down.
  destination.on('error', () => {})
  const isText = format === 'text' || (format === 'auto' && isatty(2))
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      // Words, because nobody knows by heart that 40 is a warning.
      formatters: { level: (label) => ({ level: label }) },
      redact: ['password', 'authorization', '*.password'],
    },
    {
      write(line: string) {
        destination.write(isText ? readableLine(line, isColoured()) : line)
        keepLine(line)
      },
    },
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

/** Whether standard error is a terminal with colours, and nobody turned them off (NO_COLOR). Worker threads ask as well. */
function isColoured(): boolean {
  return isatty(2) && WriteStream.prototype.getColorDepth() > 1
}

const STYLES: Record<string, Parameters<typeof styleText>[0]> = {
  debug: 'dim',
  info: 'green',
  warn: 'yellow',
  error: 'red',
}
/** What pino writes; all else are fields. */
interface Entry extends Record<string, unknown> {
  level: string
  time: string
  msg?: string
  err?: { stack?: string }
}

/** The widest of the levels. */
const LEVEL_WIDTH = 5

/**
 * A line of the log for people: the time of day (UTC), the level, the message, the fields, and below it the stack of an
 * error. `line` is the JSON of an entry.
 */
export function readableLine(line: string, colour: boolean): string {
  const { level: word, time, msg = '', err, ...fields } = JSON.parse(line) as Entry
  const paint = (style: Parameters<typeof styleText>[0], text: string) =>
    colour ? styleText(style, text, { validateStream: false }) : text
  const { stack, ...about } = err ?? {}
  const shown = Object.entries({ ...fields, ...(stack === undefined && err !== undefined && { err: about }) })
  const parts = [
    paint('dim', time.slice(11, 23)),
    paint(STYLES[word] ?? 'red', word.padEnd(LEVEL_WIDTH)),
    visible(msg),
    ...shown.map(([name, value]) =>
      paint('dim', `${name}=${visible(typeof value === 'string' ? value : JSON.stringify(value))}`),
    ),
  ]
  const trace =
    stack === undefined
      ? ''
      : stack
          .split('\n')
          .map((text) => `    ${visible(text.trim())}\n`)
          .join('')
  return `${parts.join('  ')}\n${trace}`
}

/** Control characters from devices and vendors must not reach the terminal. */
function visible(text: string): string {
  return text.replace(UNSAFE, (character) => `\\u${character.codePointAt(0)!.toString(16).padStart(4, '0')}`)
}

const UNSAFE = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** A log that says nothing. */
export const silentLog: Log = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => silentLog,
  flush() {},
}
