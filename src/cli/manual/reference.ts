import type { Command, Interfaces } from '@oclif/core'

/** Every command as data: completion, the man page and docs/reference/commands.md are written from it. */
export interface ReferenceCommand {
  words: string[]
  /** `appsvc channels create UUID`. */
  usage: string
  summary: string
  description: string | undefined
  args: ReferenceArg[]
  flags: ReferenceFlag[]
  examples: string[]
}

interface ReferenceArg {
  name: string
  required: boolean
  description: string
  options: readonly string[]
}

export interface ReferenceFlag {
  name: string
  char: string | undefined
  /** Placeholder of the value; undefined for a switch. */
  value: string | undefined
  /** There is `--no-` too. */
  negatable: boolean
  required: boolean
  multiple: boolean
  description: string
  options: readonly string[]
  /** As it is written on the command line. */
  default: string | undefined
}

interface Declared {
  summary?: string | undefined
  description?: string | undefined
  examples?: Command.Example[] | undefined
  args?: Interfaces.ArgInput
  flags?: Interfaces.FlagInput
}

/** Every command and topic. The command line hands them to its commands: importing them would be a cycle. */
export function catalogueOf(config: Interfaces.Config): Catalogue {
  return (config as unknown as { options: { catalogue: Catalogue } }).options.catalogue
}

interface Catalogue {
  commands: Record<string, Command.Class>
  topics: Record<string, string>
}

/** The commands by id, in the order of the alphabet. */
export function referenceOf(commands: Record<string, Command.Class>): ReferenceCommand[] {
  return Object.entries(commands)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, command]) => referenceOfOne(id, command))
}

function referenceOfOne(id: string, { summary, description, examples, args = {}, flags = {} }: Declared) {
  const words = id.split(':')
  const listed = Object.entries(args).map(([name, arg]) => ({
    name,
    required: arg.required === true,
    description: arg.description ?? '',
    options: arg.options ?? [],
  }))
  const shown = listed.map(({ name, required }) => (required ? name.toUpperCase() : `[${name.toUpperCase()}]`))
  return {
    words,
    usage: ['appsvc', ...words, ...shown].join(' '),
    summary: summary ?? '',
    description,
    args: listed,
    flags: flagsOf(flags),
    examples: ((examples ?? []) as string[]).map((one) => one.replaceAll('<%= config.bin %>', 'appsvc')),
  }
}

/** Flags in the order of the alphabet. */
export function flagsOf(flags: Interfaces.FlagInput): ReferenceFlag[] {
  return Object.entries(flags)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, flag]) => {
      const option = flag.type === 'option' ? flag : undefined
      const { default: standard } = flag
      return {
        name,
        char: flag.char,
        value: option ? (option.helpValue === undefined ? name.toUpperCase() : String(option.helpValue)) : undefined,
        negatable: flag.type === 'boolean' && flag.allowNo,
        required: flag.required === true,
        multiple: option?.multiple === true,
        description: flag.description ?? flag.summary ?? '',
        options: option?.options ?? [],
        default: ['string', 'number'].includes(typeof standard) && standard !== '' ? String(standard) : undefined,
      }
    })
}

/** `-a, --app=APP`. */
export function flagWords({ name, char, value, negatable }: ReferenceFlag): string {
  const long = `--${negatable ? '[no-]' : ''}${name}${value === undefined ? '' : `=${value}`}`
  return char === undefined ? long : `-${char}, ${long}`
}

/** The description with what else is to know of a flag. */
export function aboutFlag({ description, options, required, multiple, default: standard }: ReferenceFlag): string {
  const more = [
    required ? 'required' : undefined,
    multiple && !/repeated/.test(description) ? 'may be repeated' : undefined,
    options.length > 0 ? `one of ${options.join(', ')}` : undefined,
    standard === undefined || /default/.test(description) ? undefined : `default: ${standard}`,
  ].filter((one) => one !== undefined)
  return [description, ...more].join('; ')
}
