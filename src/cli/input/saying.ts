import type { NotificationRequest } from '../../domain/notifications/request/request.ts'
import { AppError } from '../../platform/errors.ts'
import { isPlainObject } from '../../platform/json/json.ts'
import type { Io } from '../process/io.ts'
import { checked } from './checked.ts'
import { readJsonFile } from './files.ts'

/** The content of a push: the body of `POST {messages_url}/v2/notifications` without the fields for recipients and time. */
type Saying = Record<string, unknown>

/** Reads the content from `file`, which errors call `what`. Throws `not_found` or `bad_request`. */
export async function readSaying(io: Io, file: string, what: string): Promise<Saying> {
  const value = await readJsonFile(io, file, what)
  if (!isPlainObject(value)) throw new AppError('bad_request', `${what} must contain one JSON object`)
  return value
}

/**
 * The request of a push with this content to this target. What the file says of recipients and time does not count. Throws `invalid`
 * naming every wrong field.
 */
export async function requestOfSaying(saying: Saying, target: unknown): Promise<NotificationRequest> {
  const { fromMessagesForm, messagesForm, sayingForm } = await import('../../domain/notifications/schema.ts')
  const { ttl: _, ...said } = await checked(sayingForm, saying)
  return fromMessagesForm(await checked(messagesForm, { ...said, target, isTest: true }))
}
