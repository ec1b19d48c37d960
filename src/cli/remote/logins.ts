import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AppError, messageOf } from '../../platform/errors.ts'
import { makeDirectories } from '../../platform/files/directories.ts'
import { replaceFile } from '../../platform/files/durable-file.ts'
import { isPlainObject } from '../../platform/json/json.ts'
import type { Io } from '../process/io.ts'

/** A server that the user has signed in to. */
interface Login {
  token: string
  /** Full path of a file with certificate authorities, besides those of the system. */
  ca?: string
}

export interface Logins {
  /** The server of commands that name none: the last one signed in to. */
  current: string | undefined
  /** By address. */
  servers: Record<string, Login>
}

/** `$XDG_CONFIG_HOME/appsvc/servers.json`; undefined for a user without a home. */
export function loginsFile({ environment }: Pick<Io, 'environment'>): string | undefined {
  const { XDG_CONFIG_HOME: xdg, HOME: home } = environment
  const directory = xdg || (home && join(home, '.config'))
  return directory && join(directory, 'appsvc', 'servers.json')
}

/** What is stored, or nothing. Throws `config` for a file that others can read, or that is not ours. */
export function readLogins(io: Pick<Io, 'environment'>): Logins {
  const file = loginsFile(io)
  if (file === undefined || !existsSync(file)) return { current: undefined, servers: {} }
  if ((statSync(file).mode & 0o077) !== 0) {
    throw new AppError('config', `others can read ${file}, which holds tokens: run chmod 600 ${file}, and replace them`)
  }
  const found = parsed(readFileSync(file, 'utf8'))
  if (!found) throw new AppError('config', `${file} cannot be read: delete it, and run appsvc login again`)
  return found
}

/** Replaces what is stored. Throws `config` for a user without a home. */
export function writeLogins(io: Pick<Io, 'environment'>, logins: Logins): string {
  const file = loginsFile(io)
  if (file === undefined) {
    throw new AppError('config', 'there is no place for the token: set HOME or XDG_CONFIG_HOME, or use APPSVC_TOKEN')
  }
  try {
    makeDirectories(dirname(file))
  } catch (error) {
    throw new AppError(
      'config',
      `${dirname(file)} cannot be created: ${messageOf(error)}; set XDG_CONFIG_HOME, or use APPSVC_TOKEN`,
    )
  }
  replaceFile(file, `${JSON.stringify(logins, null, 2)}\n`)
  return file
}

function parsed(text: string): Logins | undefined {
  try {
    const value: unknown = JSON.parse(text)
    if (!isPlainObject(value) || !isPlainObject(value.servers)) return undefined
    const isLogin = (one: unknown): one is Login => isPlainObject(one) && typeof one.token === 'string'
    if (!Object.values(value.servers).every(isLogin)) return undefined
    const current = typeof value.current === 'string' ? value.current : undefined
    return { current, servers: value.servers as Record<string, Login> }
  } catch {
    return undefined
  }
}
