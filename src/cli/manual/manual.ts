import { aboutFlag, flagWords, type ReferenceCommand, type ReferenceFlag } from './reference.ts'

interface Manual {
  version: string
  summary: string
  commands: readonly ReferenceCommand[]
  /** Flags that every command takes. */
  global: readonly ReferenceFlag[]
  /** Descriptions of the first words of commands. */
  topics: Readonly<Record<string, string>>
}

/** Exit codes of every command (sysexits.h), and what they mean. */
const EXITS: readonly (readonly [string, string])[] = [
  ['0', 'done'],
  ['1', 'an error of the program itself'],
  ['64', 'wrong usage: an unknown flag, a missing argument'],
  ['65', 'bad data, or some lines of the input were refused'],
  ['66', 'not found: an app, a file, a database'],
  ['69', 'unavailable: the database or a server cannot be reached'],
  ['75', 'in conflict with something else, or too early: change it or try again'],
  ['77', 'no permission'],
  ['78', 'bad configuration, or a check that found an error'],
  ['130, 143', 'interrupted by Ctrl-C or SIGTERM'],
]

const ABOUT_APPS =
  'A command that works in an app takes --app APP with its id or name, or names it before its other arguments ' +
  '(appsvc channels list 1). With a single app it need not be named.'

/** The end of the man page: variables and files, as roff. */
const SURROUNDINGS: readonly string[] = [
  '.SH ENVIRONMENT',
  '.TP',
  '.B APPSVC_CONFIG',
  'The settings file.',
  '.TP',
  '.B APPSVC_*',
  roff('Every setting: log.level is APPSVC_LOG_LEVEL. appsvc config show lists them.'),
  '.TP',
  '.B NO_COLOR',
  'Turns off colours.',
  '.SH FILES',
  '.TP',
  '.I appsvc.yaml',
  'Settings, in the working directory or the data directory.',
  '.TP',
  '.I /etc/appsvc.yaml',
  'Settings of the Debian package, for commands in a folder that has neither.',
  '.TP',
  '.I data/appsvc.sqlite, data/master.key',
  'The database, and the key that encrypts the secrets in it.',
]

/** The man page of the program, as roff with the man macros. `date` is `YYYY-MM-DD`. */
export function manPage({ version, summary, commands, global, topics }: Manual, date: string): string {
  const lines = [
    `.TH APPSVC 1 "${date}" "appsvc ${version}" "appsvc"`,
    // Long flags and addresses leave holes in adjusted lines.
    '.ad l',
    '.SH NAME',
    `appsvc \\- ${roff(summary)}`,
    '.SH SYNOPSIS',
    '.B appsvc',
    '.I command',
    '[\\fIarguments\\fR] [\\fIflags\\fR]',
    '.SH DESCRIPTION',
    roff(
      'Commands open the database of the data directory themselves and work while a server is running. Results go to standard output, everything else to standard error.',
    ),
    '.PP',
    roff(ABOUT_APPS),
    '.SH GLOBAL FLAGS',
    ...global.flatMap(flagInRoff),
    '.SH COMMANDS',
  ]
  let topic = ''
  for (const command of commands) {
    const [first = ''] = command.words
    if (first !== topic && topics[first] !== undefined) lines.push(`.SS ${roff(`${first}: ${topics[first]}`)}`)
    else if (first !== topic && topic !== '' && topics[topic] !== undefined) lines.push('.SS Other commands')
    topic = first
    lines.push('.TP', `.B ${roff(command.usage)}`, `${roff(command.summary)}.`)
    if (command.description !== undefined) lines.push('.IP', roff(command.description))
    if (command.args.length + command.flags.length > 0) lines.push('.RS')
    for (const { name, description } of command.args)
      lines.push('.TP', `.I ${roff(name.toUpperCase())}`, roff(description))
    lines.push(...command.flags.flatMap(flagInRoff))
    if (command.args.length + command.flags.length > 0) lines.push('.RE')
  }
  lines.push('.SH EXIT STATUS')
  for (const [code, meaning] of EXITS) lines.push('.TP', `.B ${code}`, roff(meaning))
  lines.push(...SURROUNDINGS)
  return `${lines.join('\n')}\n`
}

function flagInRoff(flag: ReferenceFlag): string[] {
  return ['.TP', `.B ${roff(flagWords(flag))}`, roff(aboutFlag(flag))]
}

/** Text in which nothing is a request, an escape or a typographic hyphen. */
export function roff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('…', '...')
    .replace(/^(['.])/, '\\&$1')
}

/** docs/reference/commands.md. */
export function commandsPage({ commands, global, topics }: Manual): string {
  const lines = [
    '# Commands',
    '',
    'Written by `npm run reference` from the commands themselves; a test compares the two. `appsvc COMMAND --help` says the same.',
    '',
    ABOUT_APPS.replace(/(--app APP|appsvc channels list 1)/g, '`$1`'),
    '',
    '## Global flags',
    '',
    ...flagTable(global),
    '',
    '## Exit codes',
    '',
    '| code | meaning |',
    '|---|---|',
    ...EXITS.map(([code, meaning]) => `| ${code} | ${meaning} |`),
  ]
  const groups = Map.groupBy(commands, ({ words }) => words[0]!)
  for (const [topic, members] of groups) {
    lines.push('', `## ${topic}`)
    if (topics[topic] !== undefined) lines.push('', `${topics[topic]}.`)
    for (const command of members) {
      const { words, usage, summary, description, args, flags, examples } = command
      if (members.length > 1 || words.length > 1) lines.push('', `### ${words.join(' ')}`)
      lines.push('', `    ${usage}`, '', `${inText(summary)}.`)
      if (description !== undefined) lines.push('', inText(description))
      if (args.length > 0) {
        lines.push('', '| argument | |', '|---|---|')
        for (const arg of args) lines.push(`| ${code(arg.name.toUpperCase())} | ${cell(aboutArg(arg))} |`)
      }
      if (flags.length > 0) lines.push('', ...flagTable(flags))
      if (examples.length > 0) lines.push('', ...examples.map((example) => `    ${example}`))
    }
  }
  return `${lines.join('\n')}\n`
}

function aboutArg({ description, options, required }: ReferenceCommand['args'][number]): string {
  return [
    description,
    ...(options.length > 0 ? [`one of ${options.join(', ')}`] : []),
    ...(required ? [] : ['optional']),
  ]
    .filter((text, i) => i === 0 || !description.includes(text))
    .join('; ')
}

function flagTable(flags: readonly ReferenceFlag[]): string[] {
  return ['| flag | |', '|---|---|', ...flags.map((flag) => `| ${code(flagWords(flag))} | ${cell(aboutFlag(flag))} |`)]
}

const code = (text: string) => `\`${text.replaceAll('|', '\\|')}\``
const cell = (text: string) => inText(text).replaceAll('|', '\\|')
/** The text with angle brackets and stars escaped, which would be read as markup. */
const inText = (text: string) => text.replace(/[<*_]/g, '\\$&')
