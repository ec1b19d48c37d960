import { type Command, Errors } from '@oclif/core'
import { damagedError } from '../platform/db/soundness.ts'
import { AppError, ERRORS, type FieldErrors, isAppError } from '../platform/errors.ts'
import { asFileFault } from '../platform/files/file-faults.ts'
import { suggest } from '../platform/text/suggest.ts'
import { printable } from './output/output.ts'
import { Interrupted } from './process/interruption.ts'

/** The result of a failed command: exit code (sysexits.h), message for people, object for `--json`. */
export interface Failure {
  exit: number
  sentence: string
  body: { error: string; errors?: FieldErrors }
  /** Set for internal errors only. */
  stack?: string
}

/** Thrown by `this.exit(n)`, when the command has already printed everything. */
export function isExit(error: unknown): error is { oclif: { exit: number } } {
  return error instanceof Error && (error as { code?: string }).code === 'EEXIT'
}

/**
 * Turns anything thrown by a command into its failure. `command` and `line`, the words that select it, are used in
 * usage errors.
 */
export function failureOf(error: unknown, command?: Command.Class, line = 'appsvc'): Failure {
  if (isAppError(error)) {
    const { fields } = error.details
    const list = Object.entries(fields ?? {}).map(
      ([key, messages]) => `${key === '' ? '' : `${key} `}${messages.join(', ')}`,
    )
    const sentence =
      [error.message, ...list].length > 2 ? [`${error.message}:`, ...list].join('\n  ') : join(error.message, list)
    return {
      exit: ERRORS[error.code].exit,
      sentence: safe(sentence),
      body: { error: error.message, ...(fields && { errors: fields }) },
    }
  }
  if (error instanceof Interrupted) return { exit: error.exit, sentence: error.message, body: { error: error.message } }
  if (error instanceof Errors.CLIError) {
    const sentence = describeUsage(error, command, line)
    return { exit: ERRORS.usage.exit, sentence: safe(sentence), body: { error: sentence } }
  }
  const fault = databaseFault(error) ?? asFileFault(error)
  if (fault !== error) return failureOf(fault)
  const message = error instanceof Error ? error.message : String(error)
  const sentence = `internal error: ${message} (set APPSVC_LOG_LEVEL=debug for the stack)`
  const stack = error instanceof Error ? error.stack : undefined
  return { exit: ERRORS.internal.exit, sentence: safe(sentence), body: { error: sentence }, ...(stack && { stack }) }
}

function join(message: string, list: string[]): string {
  return list.length === 0 ? message : `${message}: ${list[0]}`
}

/** Escapes text from devices and callers that the message may quote; keeps its line breaks. */
function safe(sentence: string): string {
  return sentence.split('\n').map(printable).join('\n')
}

const CONNECTION = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'ETIMEDOUT',
  'ECONNRESET',
  'EHOSTUNREACH',
  'EAI_AGAIN',
  '57P03',
  '53300',
])
/** PostgreSQL: wrong password, unknown role or database. */
const REFUSED = new Set(['28P01', '28000', '3D000'])

/** The error for a database that cannot be reached or used; undefined for any other error. */
function databaseFault(error: unknown): AppError | undefined {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: string }
  if (typeof code !== 'string') return undefined
  if (CONNECTION.has(code)) return new AppError('unavailable', `the database cannot be reached: ${message || code}`)
  if (REFUSED.has(code))
    return new AppError('config', `the database refuses the connection: ${message}; check APPSVC_DATABASE_URL`)
  if (code === 'SQLITE_NOTADB')
    return new AppError('config', 'the database file is not an SQLite database: restore a backup')
  if (code.startsWith('SQLITE_CORRUPT')) return damagedError()
  if (/^SQLITE_(BUSY|LOCKED)/.test(code))
    return new AppError('unavailable', `the database is busy (${code}): try again`)
  if (/^SQLITE_(FULL|IOERR|CANTOPEN|READONLY)/.test(code)) {
    return new AppError('unavailable', `the database cannot be used now (${code}: ${message})`)
  }
  return undefined
}

interface ParseError extends Error {
  flags?: string[]
  args?: { name?: string; description?: string }[] | string[]
}

/** Condenses oclif's message to one line that names the problem and the help command. */
function describeUsage(error: ParseError, command: Command.Class | undefined, line: string): string {
  const help = ` (${line} --help)`
  const kind = error.constructor.name
  if (kind === 'NonExistentFlagsError' && error.flags) {
    const known = Object.keys({ ...command?.baseFlags, ...command?.flags }).map((name) => `--${name}`)
    const near = suggest(error.flags[0]!, known)
    return `there is no flag ${error.flags.join(', ')}${near ? `; did you mean ${near}?` : ''}${help}`
  }
  if (kind === 'RequiredArgsError' && error.args) {
    const missing = (error.args as { name?: string }[]).map(({ name }) => name?.toUpperCase())
    return `${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} missing${help}`
  }
  if (kind === 'UnexpectedArgsError' && error.args) return `${(error.args as string[]).join(' ')} is too much${help}`
  // For a command without arguments oclif treats a further word as part of the command's name.
  const [, word] = /^command (?:[\w-]+:)*(.+) not found$/.exec(error.message) ?? []
  if (word !== undefined) return `${word} is too much${help}`
  const text = error.message
    .replace(/\nSee more help with --help$/, '')
    .replace(/^The following errors? occurred:\s*/, '')
    .replace(/^Parsing (--\S+)\s+/, '$1: ')
    .replace(ANSI, '')
    .replace(/(--\S+)=true /, '$1 ')
    .replace(/( but received:)[^\S\n]*$/gm, '$1 nothing')
    .replace(/^Expected (--[\w-]+)= to be/gm, '$1 is empty; expected it to be')
    .replace(/All of the following must be provided when using (--\S+): /, '$1 needs ')
    .split('\n')
    .map((part) => part.trim())
    .filter(Boolean)
    .join('; ')
  return text + help
}

// oxlint-disable-next-line no-control-regex
const ANSI = /\u001b\[[0-9;]*m/g
