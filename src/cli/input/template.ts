import type { TagValues } from '../../domain/templates/types.ts'
import { AppError } from '../../platform/errors.ts'
import { isPlainObject } from '../../platform/json/json.ts'
import { printable } from '../output/output.ts'
import type { Io } from '../process/io.ts'
import { readJsonFile } from './files.ts'

/** The content of a template file, unchecked. Flags override its fields. Throws `not_found` or `bad_request`. */
export async function readTemplateFile(
  io: Io,
  file: string | undefined,
  flags: Record<string, string | undefined>,
): Promise<unknown> {
  const given = file === undefined ? {} : await readJsonFile(io, file, '--file')
  if (!isPlainObject(given)) return given
  return { ...given, ...Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined)) }
}

/** The values of `--content`, overridden by those of `--set Title=value`; undefined without either flag. */
export async function readTagValues(
  io: Io,
  file: string | undefined,
  settings: readonly string[] = [],
): Promise<TagValues | undefined> {
  if (file === undefined && settings.length === 0) return undefined
  const given = file === undefined ? {} : await readJsonFile(io, file, '--content')
  if (!isPlainObject(given)) throw new AppError('bad_request', '--content must be an object with tag titles as keys')
  return Object.fromEntries([...Object.entries(given), ...settings.map(parseSetting)])
}

function parseSetting(setting: string): [title: string, value: string] {
  const at = setting.indexOf('=')
  if (at < 1) throw new AppError('usage', `--set ${printable(setting)}: write TITLE=VALUE`)
  return [setting.slice(0, at).trim(), setting.slice(at + 1)]
}
