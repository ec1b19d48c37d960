/** What a completion script needs to know of a command. */
export interface CompletedCommand {
  words: string[]
  flags: { name: string; value: boolean }[]
  /** Fixed choices of each argument; empty where there are none. */
  options: (readonly string[])[]
}

/** Flags whose value is a file. */
const FILES = /^(config|p12|p8|plan|service-account|.*-file|write)$/

/** A bash script that completes command words, then flags, then the fixed choices of an argument or files. */
export function bashCompletion(commands: CompletedCommand[]): string {
  const next = nextWords(commands)
  const cases = commands.map(({ words, flags, options }) => {
    const names = flags.map(({ name }) => `--${name}`).join(' ')
    return `    '${words.join(' ')}') flags='${names}' choices='${options.flat().join(' ')}' ;;`
  })
  const files = [
    ...new Set(commands.flatMap(({ flags }) => flags.filter((flag) => flag.value && FILES.test(flag.name)))),
  ]
  const values = [
    ...new Set(commands.flatMap(({ flags }) => flags.filter((flag) => flag.value).map(({ name }) => `--${name}`))),
  ]
  return `# appsvc completion for bash: source <(appsvc completion bash)
_appsvc() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} path='' candidate i flags='' choices=''
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    [[ \${COMP_WORDS[i]} == -* ]] && break
    candidate="\${path:+$path }\${COMP_WORDS[i]}"
    case "$candidate" in
      ${[...new Set([...next.keys(), ...commands.map(({ words }) => words.join(' '))])]
        .filter(Boolean)
        .map((word) => `'${word}'`)
        .join('|')}) path=$candidate ;;
      *) break ;;
    esac
  done
  case "$prev" in
    ${[...new Set(files.map(({ name }) => `--${name}`))].join('|')}) COMPREPLY=($(compgen -f -- "$cur")); return ;;
    ${values.join('|')}) return ;;
  esac
  case "$path" in
${cases.join('\n')}
  esac
  if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "$flags --help" -- "$cur")); return; fi
  case "$path" in
${[...next].map(([path, words]) => `    '${path}') COMPREPLY=($(compgen -W '${words.join(' ')}' -- "$cur")); return ;;`).join('\n')}
  esac
  if [[ -n $choices ]]; then COMPREPLY=($(compgen -W "$choices" -- "$cur")); else COMPREPLY=($(compgen -f -- "$cur")); fi
}
complete -o filenames -F _appsvc appsvc
`
}

/** zsh runs the bash script in its bash compatibility mode. */
export function zshCompletion(commands: CompletedCommand[]): string {
  return `#compdef appsvc
autoload -U +X bashcompinit && bashcompinit
${bashCompletion(commands)}`
}

/** Maps the words typed so far to the words that may follow. */
function nextWords(commands: CompletedCommand[]): Map<string, string[]> {
  const next = new Map<string, string[]>()
  for (const { words } of commands) {
    for (let n = 0; n < words.length; n++) {
      const path = words.slice(0, n).join(' ')
      const known = next.get(path) ?? []
      if (!known.includes(words[n]!)) known.push(words[n]!)
      next.set(path, known)
    }
  }
  return next
}
