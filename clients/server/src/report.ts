import type { Client } from 'openapi-fetch'
import { dataOf } from './errors.ts'
import type { components, paths } from './schema.ts'

type ServerEvent = components['schemas']['ServerEvent']

/** An event of a user. Without `uuid` it gets a new one, without `timestamp` the time now. */
export type NewEvent = Omit<ServerEvent, 'uuid' | 'timestamp'> & Partial<Pick<ServerEvent, 'uuid' | 'timestamp'>>

/** An event that the server did not take. */
export interface RefusedEvent {
  /** Its place among the events that were given. */
  index: number
  /** Its wrong fields, each with its reasons; empty behind the first twenty of an upload. */
  errors: Record<string, string[]>
}

/** The most events of one call (docs/events.md). */
const MOST = 1000

/** Reports events, a thousand at a time. The server stores each uuid once, so a repeat of the whole is safe when the uuids are the caller's. */
export async function reportEvents(
  api: Client<paths>,
  events: readonly NewEvent[],
  { signal }: { signal?: AbortSignal } = {},
): Promise<RefusedEvent[]> {
  const refused: RefusedEvent[] = []
  for (let start = 0; start < events.length; start += MOST) {
    const body = events.slice(start, start + MOST).map(complete)
    const answer = dataOf(await api.POST('/events/v1/events', { body, ...(signal && { signal }) }))
    for (const { index, errors } of answer?.refused ?? []) refused.push({ index: start + index, errors })
    for (const index of answer?.alsoRefused ?? []) refused.push({ index: start + index, errors: {} })
  }
  return refused
}

function complete(event: NewEvent): ServerEvent {
  return { uuid: crypto.randomUUID(), timestamp: Date.now(), ...event }
}
