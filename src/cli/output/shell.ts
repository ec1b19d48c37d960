import type { Io } from '../io.ts'

/** A word as POSIX shells read it: in quotes if it needs them, or always. */
export function shellWord(text: string, always = false): string {
  return !always && /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

/** How the reader calls this program: in a clone, where npm started it, `npx appsvc`. */
export function programName({ environment }: Pick<Io, 'environment'>): string {
  return environment.npm_command === undefined ? 'appsvc' : 'npx appsvc'
}
