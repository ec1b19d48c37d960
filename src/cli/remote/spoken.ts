/** Command lines as the audit log may keep them. Pure. */

/** All words together, in characters: a row stays small. */
const MOST = 2000
/** The most characters of one word. */
const LONGEST = 255
/** Names of flags that hold a secret itself; those of files, `--…-file`, name where it is. */
const SECRET_FLAG = /^--?[\w-]*(?:key|secret|password|passphrase|token|credential|database-url)[\w-]*$/i
/** Secrets that we made ourselves and nobody else should read: keys, tokens, one-time links, secrets of webhooks. */
const OURS = /\b(?:[a-z]{2}_[\w-]{16,}|appsvc_pt_\S+|whsec_\S+|once_\S+)/g
const FLAG = /^--[a-z][a-z0-9-]{0,60}(?==|$)/

/**
 * The index at which the flags of a command line end. A `--` behind a flag may be the value of that flag, so the parser may read
 * the words behind it as flags: it ends nothing. Pure.
 */
export function endOfFlags(words: readonly string[]): number {
  const end = words.findIndex((word, i) => word === '--' && words[i - 1]?.startsWith('-') !== true)
  return end < 0 ? words.length : end
}

/**
 * The words of a command that ran. Values of flags that hold secrets, keys wherever they stand, passwords and queries in
 * addresses and JSON are `…`.
 */
export function spokenWords(words: readonly string[]): string[] {
  const end = endOfFlags(words)
  return bounded(
    words.map((word, i) => {
      const isFlag = (one: string | undefined, at: number) => one !== undefined && at < end
      const before = words[i - 1]
      if (isFlag(before, i - 1) && isSecretFlag(before!)) return '…'
      const [name, ...value] = word.split('=')
      if (isFlag(word, i) && value.length > 0 && name!.startsWith('-') && isSecretFlag(name!)) return `${name}=…`
      return withoutSecrets(word)
    }),
  )
}

/** The name of a command and those of its flags, for one that names people or was refused. `known`: words of its name. */
export function namelessWords(words: readonly string[], known: number): string[] {
  const end = words.indexOf('--')
  return bounded(
    words.map((word, i) => {
      if (i < known) return word
      const flag = end >= 0 && i >= end ? undefined : FLAG.exec(word)?.[0]
      return flag === undefined ? (word === '--' ? word : '…') : word.length > flag.length ? `${flag}=…` : flag
    }),
  )
}

const isSecretFlag = (name: string) => SECRET_FLAG.test(name) && !name.endsWith('-file')

function withoutSecrets(word: string): string {
  const value = word.replace(/^--[\w-]+=/, '').trimStart()
  if (/^[[{]/.test(value)) return word.slice(0, word.indexOf(value)) + (value.startsWith('{') ? '{…}' : '[…]')
  return word
    .replace(/:\/\/[^/?#\s@]*@/g, '://…@')
    .replace(/(:\/\/[^?#\s]*)[?#]\S*/g, '$1?…')
    .replace(OURS, '…')
}

function bounded(words: readonly string[]): string[] {
  const kept: string[] = []
  let size = 0
  for (const word of words) {
    const cut = word.length > LONGEST ? `${word.slice(0, LONGEST - 1)}…` : word
    size += cut.length + 1
    if (size > MOST) return [...kept, `… ${words.length - kept.length} more`]
    kept.push(cut)
  }
  return kept
}
