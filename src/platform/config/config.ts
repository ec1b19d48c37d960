import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { AppError, messageOf } from '../errors.ts'
import { suggest } from '../text/suggest.ts'
import type { Problems } from '../values/reader.ts'
import { PATHS } from './kinds.ts'
import { Secret } from './secret.ts'
import { type Config, environmentName, type Setting, type SettingName, type Settings } from './settings.ts'
import { baseUrlOfCertificate, tlsProblems } from './tls-settings.ts'

/** The origin of a value, for `config show`. */
type Source = 'default' | 'file' | 'environment' | 'flag'

export interface LoadedConfig {
  config: Config
  sources: Record<SettingName, Source>
}

export interface ConfigInput {
  /** Path of `appsvc.yaml`; without it no file is read. */
  file?: string | undefined
  environment: Readonly<Record<string, string | undefined>>
  flags?: Partial<Record<SettingName, string | undefined>>
}

/** The environment of the process. Nothing else reads it, so this file lists everything that influences the program. */
export function systemEnvironment(): ConfigInput['environment'] {
  return process.env
}

/**
 * Reads the settings; flags override the environment, which overrides the file, which overrides the defaults. Throws
 * one `AppError('config')` that names every wrong setting, its source and what it must be.
 */
export async function loadConfig(
  settings: Settings,
  { file, environment, flags = {} }: ConfigInput,
): Promise<LoadedConfig> {
  const wrong: string[] = []
  const problems: Problems = { say: (at, problem) => void wrong.push(`${at} ${problem}`) }
  const fromFile = file === undefined ? {} : await readFile(file, settings, problems)
  for (const key of Object.keys(environment)) {
    if (!key.startsWith('APPSVC_') || NOT_SETTINGS.has(key)) continue
    const byEnvironment = Object.keys(settings).map(environmentName)
    if (!byEnvironment.includes(key)) problems.say(key, `is not a setting${nearest(key, byEnvironment)}`)
  }

  const values: Record<string, unknown> = {}
  const sources: Record<string, Source> = {}
  for (const [name, known] of Object.entries(settings) as [SettingName, Setting<unknown>][]) {
    const variable = environmentName(name)
    const candidates: [Source, string | undefined][] = [
      ['flag', flags[name]],
      ['environment', environment[variable]],
      ['file', fromFile[name]],
    ]
    const [source, value] = candidates.find(([, given]) => given !== undefined) ?? ['default']
    const where = source === 'environment' ? variable : source === 'file' ? `${name} in ${file}` : name
    values[name] = value === undefined ? presetOf(known) : known.read(value, where, problems)
    sources[name] = source
  }
  // Settings are compared with each other only when each is right by itself.
  if (wrong.length === 0) wrong.push(...tlsProblems(values as unknown as Config))
  if (wrong.length > 0) throw new AppError('config', `bad configuration: ${wrong.join('; ')}`)
  values['baseUrl'] ||= baseUrlOfCertificate(values as unknown as Config)
  const config = Object.freeze(values) as Config
  knownSources.set(config, sources)
  if (file !== undefined && Object.values(sources).includes('file')) knownFiles.set(config, resolve(file))
  return { config, sources }
}

const presets = new WeakMap<Setting<unknown>, unknown>()

/** The value of a setting that nobody set; read once, because commands and tests load settings by the hundred. */
function presetOf(setting: Setting<unknown>): unknown {
  if (!presets.has(setting)) presets.set(setting, setting.read(setting.default, 'default', NO_PROBLEM))
  return presets.get(setting)
}

const NO_PROBLEM: Problems = {
  say: (at, problem) => {
    throw new Error(`${at} ${problem}`)
  },
}

const knownSources = new WeakMap<Config, Record<SettingName, Source>>()
const knownFiles = new WeakMap<Config, string>()

/** The settings file from which secrets of a loaded configuration come, and the names of these settings; undefined without such. */
export function secretsInFile(config: Config): { file: string; names: SettingName[] } | undefined {
  const file = knownFiles.get(config)
  const sources = knownSources.get(config)
  if (file === undefined || sources === undefined) return undefined
  const names = (Object.keys(sources) as SettingName[]).filter((name) => {
    const value: unknown = config[name]
    return sources[name] === 'file' && value instanceof Secret && containsPassword(value.reveal())
  })
  return names.length > 0 ? { file, names } : undefined
}

/** Tells whether an address has a password in it. */
export function containsPassword(address: string): boolean {
  if (!URL.canParse(address)) return /:\/\/[^/?#]*:[^/?#]+@|[?&]password=/i.test(address)
  const { password, searchParams } = new URL(address)
  return password !== '' || [...searchParams].some(([name, value]) => name.toLowerCase() === 'password' && value !== '')
}

/** The origin of each setting of a loaded configuration; undefined in a thread, which gets all settings from its program. */
export function sourcesOf(config: Config): Record<SettingName, Source> | undefined {
  const sources = knownSources.get(config)
  return sources && Object.values(sources).some((source) => source !== 'flag') ? sources : undefined
}

/** Variables that `apps create --env` prints. They mean nothing to this program, but may be in its environment. */
export const APP_VARIABLES = [
  'APPSVC_APP_ID',
  'APPSVC_API_KEY',
  'APPSVC_SERVER_KEY',
  'APPSVC_SECRET_KEY',
  'APPSVC_LINK_HOST',
  'APPSVC_URL',
] as const

/** Variables with our prefix that are not settings: the path of the file, the target of `db copy`, what tests set. */
const NOT_SETTINGS = new Set([
  'APPSVC_CONFIG',
  'APPSVC_COPY_TO',
  'APPSVC_FAILPOINTS',
  // Of commands that run on another machine's server.
  'APPSVC_TOKEN',
  'APPSVC_TOKEN_FILE',
  ...APP_VARIABLES,
])

async function readFile(file: string, settings: Settings, problems: Problems): Promise<Record<string, string>> {
  const { parse } = await import('yaml')
  let document: unknown
  try {
    document = parse(readFileSync(file, 'utf8'))
  } catch (error) {
    // A second line and the next show the place; the first has its line and column.
    const [why] = messageOf(error).split('\n')
    const isClosed = (error as NodeJS.ErrnoException).code === 'EACCES'
    const remedy = isClosed
      ? '; run as the user of the service (sudo -u appsvc appsvc …), or as another who may read it'
      : ''
    throw new AppError(
      'config',
      `cannot read the configuration file ${resolve(file)}: ${why!.replace(/:$/, '')}${remedy}`,
    )
  }
  if (typeof (document ?? {}) !== 'object' || Array.isArray(document)) {
    throw new AppError('config', `the configuration file ${resolve(file)} must contain lines of "name: value"`)
  }
  const flat: Record<string, string> = {}
  const visit = (value: unknown, path: string) => {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      for (const [key, inner] of Object.entries(value)) visit(inner, path ? `${path}.${key}` : key)
    } else if (value === null && Object.keys(settings).some((name) => name.startsWith(`${path}.`))) {
      // A section in which every line is commented out.
    } else if (!Object.hasOwn(settings, path)) {
      problems.say(`${path} in ${file}`, `is not a setting${nearest(path, Object.keys(settings))}`)
    } else if (value !== null && value !== undefined) flat[path] = asText(value)
  }
  visit(document ?? {}, '')
  return flat
}

/** A YAML value as the text that the environment would hold; items of a list are joined by commas. */
function asText(value: unknown): string {
  if (Array.isArray(value)) return value.map(asText).join(',')
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Maximum distance of a suggestion. The names are long, so a third of their letters would suggest nearly anything. */
const MAX_LETTERS_OFF = 2

/** `; did you mean x?` when a known name differs in at most two letters. */
function nearest(name: string, known: string[]): string {
  const bare = (value: string) => value.toLowerCase().replace(/[^a-z]/g, '')
  const byBare = new Map(known.map((candidate) => [bare(candidate), candidate]))
  const found = suggest(bare(name), [...byBare.keys()], MAX_LETTERS_OFF)
  return found === undefined ? '' : `; did you mean ${byBare.get(found)}?`
}

/** Every effective setting as text, secrets included, to pass the configuration to a worker thread. */
export function settingsAsText(config: Config): Record<SettingName, string> {
  const entries = Object.entries(config).map(([name, value]) => [
    name,
    value instanceof Secret ? value.reveal() : String(value),
  ])
  return Object.fromEntries(entries) as Record<SettingName, string>
}

/** Every effective setting but secrets, as text that means the same in a process of another directory. */
export function settingsForOthers(settings: Settings, config: Config): Record<string, string> {
  const texts = Object.entries(settingsAsText(config)).filter(
    ([name]) => !((config[name as SettingName] as unknown) instanceof Secret),
  )
  const isHere = (name: string, value: string) =>
    PATHS.has(settings[name as SettingName]!.read) && value !== '' && !value.includes('://')
  return Object.fromEntries(texts.map(([name, value]) => [name, isHere(name, value) ? resolve(value) : value]))
}

/**
 * The settings of another process (`settingsForOthers`) with the secrets and the data directory of this one. A setting that this version
 * does not know, or knows otherwise, keeps the value of this process.
 */
export function withSettingsOf(settings: Settings, config: Config, texts: Readonly<Record<string, unknown>>): Config {
  const told = Object.entries(settings).flatMap(([name, { read }]): [string, unknown][] => {
    const value = Object.hasOwn(texts, name) ? texts[name] : undefined
    const isOurs = name === 'dataDir' || (config[name as SettingName] as unknown) instanceof Secret
    if (isOurs || typeof value !== 'string') return []
    let isWrong = false
    const taken = read(value, name, { say: () => void (isWrong = true) })
    return isWrong ? [] : [[name, taken]]
  })
  const both = Object.freeze({ ...config, ...Object.fromEntries(told) }) as Config
  const [sources, file] = [knownSources.get(config), knownFiles.get(config)]
  if (sources) knownSources.set(both, sources)
  if (file !== undefined) knownFiles.set(both, file)
  return both
}
