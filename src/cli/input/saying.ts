import type { StoredContent } from '../../domain/notifications/types.ts'
import { AppError } from '../../platform/errors.ts'
import { isPlainObject } from '../../platform/json/json.ts'
import type { Io } from '../process/io.ts'
import { checked } from './checked.ts'
import { readJsonFile } from './files.ts'

/** What a push says: the body of `POST {messages_url}/v2/notifications` without the fields for whom and when. */
type Saying = Record<string, unknown>

/** `what` names the file in errors. Throws `not_found` or `bad_request`. */
export async function readSaying(io: Io, file: string, what: string): Promise<Saying> {
  const value = await readJsonFile(io, file, what)
  if (!isPlainObject(value)) throw new AppError('bad_request', `${what} must contain one JSON object`)
  return value
}

/** The checked content of a push. A `target` of its own is replaced. Throws `invalid` naming every wrong field. */
export async function contentOfSaying(saying: Saying, target: Record<string, unknown>): Promise<StoredContent> {
  const { fromMessagesForm, messagesForm } = await import('../../domain/notifications/schema.ts')
  return fromMessagesForm(await checked(messagesForm, { ...saying, target })).content
}
