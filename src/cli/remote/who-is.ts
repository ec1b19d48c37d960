import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { AppError } from '../../platform/errors.ts'
import { isPlainObject, parseJsonBytes } from '../../platform/json/json.ts'
import { refusalOf, requestOf, unreachable } from './call.ts'
import type { Target } from './target.ts'

/** Whose token it is. */
export interface Who {
  name: string
  email: string
  /** `appId` null: on the whole server. */
  roles: { appId: number | null; role: string }[]
}

const LARGEST = 1024 * 1024

/** Asks the server whose token it is. Throws `unauthorized` for a wrong one and `unavailable`. */
export async function whoIs(target: Target): Promise<Who> {
  const request = requestOf(target, 'GET', '/admin/v1/session')
  request.end()
  let response: IncomingMessage
  try {
    ;[response] = (await once(request, 'response')) as [IncomingMessage]
  } catch (error) {
    throw unreachable(target, error)
  }
  if (response.statusCode !== 200) throw await refusalOf(target, response)
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > LARGEST) throw notOurs(target)
    chunks.push(chunk)
  }
  const who = readWho(Buffer.concat(chunks))
  if (!who) throw notOurs(target)
  return who
}

function readWho(bytes: Buffer): Who | undefined {
  let value: unknown
  try {
    value = parseJsonBytes(bytes)
  } catch {
    return undefined
  }
  if (!isPlainObject(value) || !isPlainObject(value.person) || !Array.isArray(value.roles)) return undefined
  const { name, email } = value.person
  return { name: String(name), email: String(email), roles: value.roles as Who['roles'] }
}

function notOurs({ url }: Target): AppError {
  return new AppError('unavailable', `${url} does not answer like an appsvc server: check the address`)
}
