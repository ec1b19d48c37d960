import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { AppError, messageOf } from '../../platform/errors.ts'
import { isLoopback } from '../../platform/net/http.ts'
import type { Io } from '../process/io.ts'
import { readLogins } from './logins.ts'
import { named, ONLY_THERE, PLACES, type Place } from './rights.ts'

/** The server on which a command runs. */
export interface Target {
  /** Address without a slash at its end. */
  url: string
  /** Personal token. */
  token: string
  /** File with certificate authorities, besides those of the system. */
  ca: string | undefined
}

/** Flags and variables that name a database of this machine. */
const LOCAL_FLAGS = ['--config', '--data-dir', '--database-url']
const LOCAL_VARIABLES = ['APPSVC_CONFIG', 'APPSVC_DATA_DIR', 'APPSVC_DATABASE_URL']
/** Files that a command finds without being told (kinds/base.ts). */
const LOCAL_PLACES = ['./appsvc.yaml', './data/appsvc.sqlite']

/**
 * The server that a command line is for, and the words without those that name it; undefined for one that runs here. That is, in
 * this order: `--url`; this machine, if a flag names its database; `APPSVC_URL` with a token in the environment; this machine, if
 * there is a database of it; the last `appsvc login`. `hasOwnUrl`: `--url` means something else to this command. Throws `usage`
 * for a command that cannot run there, and `unauthorized` without a token.
 */
export function targetOf(
  id: string,
  words: readonly string[],
  io: Io,
  { hasOwnUrl }: { hasOwnUrl: boolean },
): { target: Target; words: string[] } | undefined {
  const place = PLACES[id]
  if (place === 'anywhere' || isOfNoServer(place, words)) return undefined
  const url = hasOwnUrl ? { value: undefined, rest: [...words] } : takeFlag(words, '--url')
  const ca = takeFlag(url.rest, '--ca')
  const local = LOCAL_FLAGS.find((flag) => has(words, flag))
  if (url.value !== undefined) {
    const other = readAddress(url.value, '--url')
    if (place === 'machine') throw new AppError('usage', `${named(id)} ${ONLY_THERE}: run it there, without --url`)
    if (local !== undefined) throw new AppError('usage', `${local} cannot be combined with --url`)
    return { target: targetAt(other, io, ca.value), words: ca.rest }
  }
  if (ca.value !== undefined) throw new AppError('usage', '--ca goes with --url')
  if (place === 'machine' || local !== undefined) return undefined
  const { APPSVC_URL: variable, APPSVC_TOKEN: token, APPSVC_TOKEN_FILE: file } = io.environment
  // `apps create --env` sets the address as well, for programs that use the HTTP interface.
  if (variable && (token || file)) {
    return { target: targetAt(readAddress(variable, 'APPSVC_URL'), io, undefined), words: [...words] }
  }
  if (LOCAL_VARIABLES.some((name) => io.environment[name]) || LOCAL_PLACES.some((path) => existsSync(path))) return
  const { current } = readLogins(io)
  return current === undefined ? undefined : { target: targetAt(current, io, undefined), words: [...words] }
}

/** Tells whether a command needs no server as long as none of some flags is given. */
function isOfNoServer(place: Place | undefined, words: readonly string[]): boolean {
  if (typeof place !== 'object' || place.onlyWith === undefined) return false
  return !place.onlyWith.some((flag) => has(words, flag))
}

/** The target at an address, with the token of the environment or of a login. Throws `unauthorized` if there is none. */
function targetAt(url: string, io: Io, ca: string | undefined): Target {
  const { APPSVC_URL: variable } = io.environment
  // The token of the environment belongs to the server of the environment.
  const token = variable && readAddress(variable, 'APPSVC_URL') !== url ? undefined : tokenOfEnvironment(io)
  const login = readLogins(io).servers[url]
  const found = token ?? login?.token
  if (found === undefined) {
    throw new AppError(
      'unauthorized',
      `there is no token for ${url}: run appsvc login ${url}, or set APPSVC_TOKEN_FILE`,
    )
  }
  return { url, token: found, ca: ca === undefined ? login?.ca : resolve(ca) }
}

function tokenOfEnvironment({ environment }: Io): string | undefined {
  const { APPSVC_TOKEN: token, APPSVC_TOKEN_FILE: file } = environment
  if (token) return token
  if (!file) return undefined
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new AppError('config', `APPSVC_TOKEN_FILE cannot be read: ${messageOf(error)}`)
  }
}

/**
 * Reads an address into the form in which it is stored and compared. Throws `usage` for other text, and for an address where
 * others can read the token.
 */
export function readAddress(given: string, what: string): string {
  if (!URL.canParse(given) || !/^https?:$/.test(new URL(given).protocol)) {
    throw new AppError('usage', `${what} must be a URL such as https://push.example.com, not ${JSON.stringify(given)}`)
  }
  const url = new URL(given)
  if (url.username || url.password || url.search || url.hash) {
    throw new AppError('usage', `${what} must be the address of the server alone, without user, query and fragment`)
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw new AppError('usage', `${what} must begin with https://, because others could read the token on the way`)
  }
  // People copy the address of the console.
  return `${url.origin}${url.pathname.replace(/(?:^|\/)console(?:\/.*)?$/, '').replace(/\/+$/, '')}`
}

/** The value of a flag before any `--`, and the words without it. */
function takeFlag(words: readonly string[], flag: string): { value: string | undefined; rest: string[] } {
  const end = words.indexOf('--')
  const at = words.findIndex((word, i) => (end < 0 || i < end) && (word === flag || word.startsWith(`${flag}=`)))
  if (at < 0) return { value: undefined, rest: [...words] }
  const whole = words[at] !== flag
  const value = whole ? words[at]!.slice(flag.length + 1) : words[at + 1]
  if (value === undefined) throw new AppError('usage', `${flag} needs a value`)
  const rest = words.toSpliced(at, whole ? 1 : 2)
  if (has(rest, flag)) throw new AppError('usage', `${flag} is given twice`)
  return { value, rest }
}

function has(words: readonly string[], flag: string): boolean {
  const end = words.indexOf('--')
  return words.slice(0, end < 0 ? undefined : end).some((word) => word === flag || word.startsWith(`${flag}=`))
}
