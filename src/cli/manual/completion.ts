import type { ReferenceCommand, ReferenceFlag } from './reference.ts'

/** What the completion scripts are written from. */
interface Completed {
  commands: readonly ReferenceCommand[]
  /** Flags that every command takes. */
  global: readonly ReferenceFlag[]
  /** Descriptions of the first words of commands. */
  topics: Readonly<Record<string, string>>
}

/** Whether the value of a flag is a file or a directory. */
function takesFile({ value }: ReferenceFlag): boolean {
  return value === 'FILE' || value === 'DIR'
}

/** A bash script that completes command words, then flags, then the fixed choices of an argument or files. */
function bashCompletion({ commands: listed, global }: Completed): string {
  const commands = listed.map((command) => ({ ...command, flags: [...command.flags, ...global] }))
  const next = nextWords(commands)
  const cases = commands.map(({ words, flags, args }) => {
    const names = flags.map(({ name }) => `--${name}`).join(' ')
    return `    '${words.join(' ')}') flags='${names}' choices='${args.flatMap(({ options }) => options).join(' ')}' ;;`
  })
  const files = [...new Set(commands.flatMap(({ flags }) => flags.filter(takesFile)))]
  const values = [
    ...new Set(
      commands.flatMap(({ flags }) => flags.filter(({ value }) => value !== undefined).map(({ name }) => `--${name}`)),
    ),
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
function zshCompletion(commands: Completed): string {
  return `#compdef appsvc
autoload -U +X bashcompinit && bashcompinit
${bashCompletion(commands)}`
}

/** A fish script: words with their summaries, flags with their values. It needs fish 3.1. */
function fishCompletion({ commands, global, topics }: Completed): string {
  const next = nextWords(commands)
  const summaries = new Map(commands.map(({ words, summary }) => [words.join(' '), summary]))
  const known = [...new Set([...next.keys(), ...summaries.keys()])].filter(Boolean)
  const about = (path: string) => summaries.get(path) ?? topics[path.replaceAll(' ', ':')] ?? ''
  const lines = [
    '# appsvc completion for fish: appsvc completion fish > ~/.config/fish/completions/appsvc.fish',
    `set -g __appsvc_known ${known.map(fishWord).join(' ')}`,
    'function __appsvc_path',
    '    set -l path',
    '    for word in (commandline -opc)[2..-1]',
    "        string match -q -- '-*' $word; and break",
    '        contains -- (string join " " $path $word) $__appsvc_known; or break',
    '        set -a path $word',
    '    end',
    '    string join " " $path',
    'end',
    'function __appsvc_at',
    '    set -l path (__appsvc_path)',
    '    test "$path" = "$argv[1]"',
    'end',
    'complete -c appsvc -f',
    'complete -c appsvc -s h -l help -d "show help"',
    ...global.map((flag) => `complete -c appsvc ${flagOfFish(flag)}`),
  ]
  for (const [path, words] of next) {
    for (const word of words) {
      const summary = about(path === '' ? word : `${path} ${word}`)
      lines.push(`complete -c appsvc -n ${at(path)} -a ${fishWord(word)} -d ${fishWord(summary)}`)
    }
  }
  for (const { words, flags, args } of commands) {
    const where = `complete -c appsvc -n ${at(words.join(' '))}`
    for (const flag of flags) lines.push(`${where} ${flagOfFish(flag)}`)
    const choices = args.flatMap(({ options }) => options)
    if (choices.length > 0) lines.push(`${where} -a ${fishWord(choices.join(' '))}`)
    if (args.some(({ name }) => name === 'file')) lines.push(`${where} -F`)
  }
  return `${lines.join('\n')}\n`
}

const at = (path: string) => fishWord(`__appsvc_at ${fishWord(path)}`)

function flagOfFish(flag: ReferenceFlag): string {
  const { name, char, value, description, options } = flag
  const kind =
    value === undefined
      ? ''
      : options.length > 0
        ? ` -x -a ${fishWord(options.join(' '))}`
        : takesFile(flag)
          ? ' -r -F'
          : ' -x'
  return `${char === undefined ? '' : `-s ${char} `}-l ${name}${kind} -d ${fishWord(description)}`
}

/** In single quotes, where fish reads a backslash and a quote only. */
function fishWord(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

/** Maps the words typed so far to the words that may follow. */
function nextWords(commands: readonly Pick<ReferenceCommand, 'words'>[]): Map<string, string[]> {
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

/** The script of each shell. */
export const COMPLETIONS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const
