import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { isSea } from 'node:sea'
import type { Io } from '../process/io.ts'

/** A word as POSIX shells read it: in quotes if it needs them, or always. */
export function shellWord(text: string, always = false): string {
  return !always && /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

/**
 * How the reader calls this program: `appsvc` where the PATH leads to it, `npx appsvc` in a clone, else the path of the executable. A
 * caller without a PATH, on another machine, has it as `appsvc`.
 */
export function programName({ environment: { npm_command: npm, PATH: path } }: Pick<Io, 'environment'>): string {
  if (npm !== undefined) return 'npx appsvc'
  if (
    path === undefined ||
    path.split(delimiter).some((folder) => folder !== '' && isExecutable(join(folder, 'appsvc')))
  ) {
    return 'appsvc'
  }
  return isSea() ? shellWord(process.execPath) : 'npx appsvc'
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
