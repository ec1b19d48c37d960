import { Flags } from '@oclif/core'
import { isPlainObject } from '../../platform/json/json.ts'
import type { Io } from '../process/io.ts'
import { readJsonFile } from './files.ts'

/** Flags for the content of a push. */
export const textFlags = {
  title: Flags.string({ description: 'title of the push' }),
  message: Flags.string({ description: 'text of the push' }),
  url: Flags.string({ helpValue: 'URL', description: 'address that is opened when the push is clicked' }),
}

type FlagTexts = Record<string, string | undefined>

/** The content of a push template file, unchecked. Flags override its fields and its content. Throws `not_found` or `bad_request`. */
export async function readPushTemplateFile(
  io: Io,
  file: string | undefined,
  flags: FlagTexts,
  texts: FlagTexts = {},
): Promise<unknown> {
  const given = file === undefined ? {} : await readJsonFile(io, file, '--file')
  if (!isPlainObject(given)) return given
  const [fields, said] = [set(flags), set(texts)]
  const isSaid = Object.keys(said).length > 0
  const content = isPlainObject(given.content) ? { ...given.content, ...said } : said
  return { ...given, ...fields, ...(isSaid && { content }) }
}

const set = (texts: FlagTexts) => Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== undefined))
